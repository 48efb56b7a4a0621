"""Claimcheck, a self-hosted review desk: one module a noun (see CONTRIBUTING.md)."""
