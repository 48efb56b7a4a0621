"""What a receiver answered, what that means for the outbox, and when to try again."""

import dataclasses
import datetime
import email.utils
import random
import re
import unicodedata
from typing import Literal

Kind = Literal["applied", "transient", "permanent", "gone"]
Fault = Literal["url", "denied", "redirect", "certificate", "timeout", "connection", "name", "protocol"]

EXCERPT_CHARACTERS = 1000
HORIZON = datetime.timedelta(hours=72)  # from the first attempt; afterwards the effect is dead
LONGEST_WAIT = 3600.0
_FIRST_WAIT = 2.0
_TRY_AGAIN = {408, 425, 429}
_FINAL_FAULTS = {"url", "denied", "redirect", "certificate"}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class Failure(Exception):
    """The call came to nothing. The text is for the customer and holds nothing that the target said."""

    def __init__(self, fault: Fault, text: str):
        super().__init__(text)
        self.fault: Fault = fault


@dataclasses.dataclass(frozen=True)
class Answer:
    """The end of one call: an HTTP status with an excerpt of the body, or a fault with its error in words.

    `seconds` is the wall-clock time of the call, 0 for a target that was denied; `retry_after` is what the
    receiver asked for in seconds, capped at an hour.
    """

    status: int | None
    excerpt: str
    seconds: float
    error: str | None = None
    fault: Fault | None = None
    retry_after: float | None = None

    @property
    def kind(self) -> Kind:
        """`applied` (2xx), `transient` (try again), `permanent` (an operator looks), `gone` (410: switch off)."""
        if self.fault or self.status is None:
            return "permanent" if self.fault in _FINAL_FAULTS else "transient"
        if 200 <= self.status < 300:
            return "applied"
        if self.status == 410:
            return "gone"
        return "permanent" if 400 <= self.status < 500 and self.status not in _TRY_AGAIN else "transient"


def answered(status: int, excerpt: str, seconds: float, retry_after: str | None) -> Answer:
    """The answer for a status line that arrived in time; an error sentence unless it is 2xx."""
    if 300 <= status < 400:
        text = f"The receiver answered {status}: redirects are not followed. Register the final address."
        return Answer(status, excerpt, seconds, text, "redirect")
    if not 200 <= status < 600:
        return Answer(status, excerpt, seconds, f"The receiver answered {status}, which is no answer.", "protocol")
    error = None if status < 300 else f"The receiver answered {status}."
    return Answer(status, excerpt, seconds, error, retry_after=_wanted_wait(retry_after))


def failed(failure: Failure, seconds: float) -> Answer:
    """The answer for a call without a status; of a denied target not even the time is told."""
    return Answer(None, "", 0.0 if failure.fault == "denied" else seconds, str(failure), failure.fault)


def excerpt(body: bytes) -> str:
    """The beginning of a body as one line of text without control, invisible or direction-changing characters."""
    text = body[: EXCERPT_CHARACTERS * 8].decode("utf-8", "replace")
    shown = "".join(" " if unicodedata.category(character) in _HIDDEN else character for character in text)
    line = " ".join(shown.split())
    return line if len(line) <= EXCERPT_CHARACTERS else line[: EXCERPT_CHARACTERS - 1] + "…"


def _wanted_wait(header: str | None) -> float | None:
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return min(float(text), LONGEST_WAIT)
    try:
        date = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=datetime.UTC)
    return min(max((date - datetime.datetime.now(datetime.UTC)).total_seconds(), 0.0), LONGEST_WAIT)


def backoff(attempts: int, retry_after: float | None = None, jitter: float | None = None) -> float:
    """Seconds to wait after the `attempts`-th failed attempt: 2, 4, 8 … up to an hour, times 0.5 to 1.

    `jitter` (0 to 1) stands for chance. The receiver's wish holds where it is longer, up to an hour.
    """
    chance = random.random() if jitter is None else jitter  # noqa: S311
    wait = min(_FIRST_WAIT * 2.0 ** min(max(attempts, 1) - 1, 30), LONGEST_WAIT) * (0.5 + chance / 2)
    return max(wait, min(retry_after or 0.0, LONGEST_WAIT))
