"""Reviewing: a task is claimed, looked at under a lease, decided, and what was decided can be asked about again."""
