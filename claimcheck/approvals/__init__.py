"""Decisions that need a second pair of eyes: which ones, and where each stands."""
