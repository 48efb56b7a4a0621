"""A deadline over a whole call. A socket's time-out is none: it starts again with every byte."""

import dataclasses
import time

from claimcheck.outbound.answers import Failure


@dataclasses.dataclass(frozen=True)
class Deadline:
    """`seconds` of wall-clock time, counted from `started`."""

    seconds: float
    started: float = dataclasses.field(default_factory=time.monotonic)

    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Seconds left; Failure "timeout" where there are none."""
        left = self.seconds - self.spent()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> Failure:
        """The failure to raise when time is up."""
        return Failure("timeout", f"The receiver gave no complete answer within {self.seconds:g} seconds.")
