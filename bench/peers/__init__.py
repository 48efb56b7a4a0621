"""What the bench compares the desk with, one module each.

A peer has NAME, `prepare(places)` (an empty queue), `add(places, n)` (pending jobs that do nothing) and
`work(places, end)`: what one process does until `end` (monotonic), the moment of each completion as its result.
"""
