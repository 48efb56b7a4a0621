"""PostgreSQL, Valkey and an S3 store out of wheels, and the supervisor that `bin/run` starts.

The store's filer and volume ports ask for no password: all of this is for one machine whose users trust each other.
"""
