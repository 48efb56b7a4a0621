"""Files of other tools, in and out: Label Studio's JSON, CSV with a column map, JSONL. Nothing here knows Flask or the command line."""
