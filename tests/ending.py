"""What has to come to an end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending(seconds: int = 60) -> Iterator[None]:
    """Raises where the work goes on as good as for ever; says nothing about speed."""

    def over(*_: object) -> None:
        raise TimeoutError("it does not end")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
