"""Deciding and overturning many items at once, each under its own fence."""
