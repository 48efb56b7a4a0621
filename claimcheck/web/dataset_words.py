"""Words for the pages of datasets and retractions."""

from __future__ import annotations

from claimcheck.datasets.retractions import EVER, Author, Line, Retraction
from claimcheck.datasets.versions import Version

STATUSES = {
    "settled": ("settled", ""),
    "changed": ("changed", "ask"),
    "confirmed": ("confirmed", "ok"),
    "pending": ("pending", "ask"),
    "withdrawn": ("withdrawn", "no"),
}
SCOPES = {"all": "all of their labels", "since": "from a time on", "change": "since their golds turned bad"}


def bytes_of(size: int) -> str:
    """A size as people say it."""
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size} bytes"
        size /= 1000  # type: ignore[assignment]
    return f"{size:.3g} GB"


def made_word(one: Version) -> tuple[str, str]:
    """How far a version is, and the mark beside it."""
    if one.delivered:
        return "delivered", "ok"
    return {"waiting": ("waits", ""), "leased": ("being made", "ask")}.get(one.state, ("given up", "no"))


def statuses(counts: dict[str, int] | None) -> list[tuple[str, str, int]]:
    """Rows by status, as (word, mark, how many), in a fixed order."""
    return [(*STATUSES[status], counts[status]) for status in STATUSES if counts and counts.get(status)]


def scope_words(one: Retraction | Line) -> str:
    """Which labels were taken back."""
    return SCOPES[one.scope]


def begins(one: Retraction | Line) -> bool:
    """Whether it has a time to tell."""
    return one.since > EVER


def share(author: Author) -> str:
    """What gold says of somebody; an interval that leaves everything open says nothing."""
    if author.low is None or author.high is None or author.high - author.low > 0.99:
        return "not measured"
    return f"{author.low:.0%}–{author.high:.0%} right on gold"


FILTERS = {f.__name__: f for f in (bytes_of, made_word, statuses, scope_words, begins, share)}
