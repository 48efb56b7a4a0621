"""Who comes in and by what, and who saw which payload."""
