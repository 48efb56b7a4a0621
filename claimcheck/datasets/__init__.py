"""Delivered datasets: versions that never change, signed manifests, and retractions of labels that were delivered."""
