"""Running a desk: whether it is ready, what it measures and alerts to, and what operators may do to it, each act with its reason on record."""
