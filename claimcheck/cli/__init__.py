"""The desk's command line: `bin/claimcheck COMMAND …`, one module a noun."""
