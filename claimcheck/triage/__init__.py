"""Triage: leads search items, look at them beside the list, and act on many at once. No payload is read here."""
