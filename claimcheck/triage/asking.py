"""Filters as an address carries them: read with a message for each that cannot be one, so that a page, the API and a saved view mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from claimcheck import errors
from claimcheck.triage.searching import PLACE, STATES, Asked

NAMES = ("project", "queue", "state", "older", "newer", "least", "most", "reason", "reviewer", "partition", "trace", "key", "order", "after")
AGE = re.compile(r"([0-9]{1,4}) ?([hd])")
AMOUNT = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")
INT4 = 2**31 - 1


def cleaned(given: Mapping[str, str], names: tuple[str, ...] = NAMES) -> dict[str, str]:
    """What stands under each of these names, empty where nothing does."""
    return {name: (given.get(name) or "").replace("\0", "").strip() for name in names}


def kept(given: Mapping[str, str]) -> dict[str, str]:
    """The filters that ask for something, as they are kept: no place where a page goes on."""
    return {name: value for name, value in cleaned(given).items() if value and name != "after"}


def read(given: Mapping[str, str]) -> Asked:
    """The filters under NAMES; an empty one asks for nothing. Raises Invalid, naming the first that is wrong."""
    told = cleaned(given)
    return Asked(
        project_id=number("project", told["project"]),
        queue=told["queue"][:60] or None,
        state=one_of("state", told["state"], STATES),
        older=moment("older", told["older"]),
        newer=moment("newer", told["newer"]),
        least=_amount("least", told["least"]),
        most=_amount("most", told["most"]),
        reason=told["reason"][:100] or None,
        reviewer_id=number("reviewer", told["reviewer"]),
        partition=told["partition"][:200] or None,
        trace_id=told["trace"][:200] or None,
        key=told["key"][:200] or None,
        order=one_of("order", told["order"], ("newest", "oldest")),
        after=_place(told["after"]),
    )


def number(name: str, text: str) -> int | None:
    """A number that can be an id; None where nothing is said. Raises Invalid."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= INT4):
        raise errors.Invalid.field(name, "give its number")
    return int(text)


def one_of(name: str, text: str, known: tuple[str, ...]) -> str | None:
    """One of some words. Raises Invalid."""
    if text and text not in known:
        raise errors.Invalid.field(name, f"choose one of {', '.join(known)}")
    return text or None


def moment(name: str, text: str) -> datetime | None:
    """An age (12h, 3d) or a moment. Raises Invalid."""
    if not text:
        return None
    if age := AGE.fullmatch(text):
        return datetime.now(UTC) - timedelta(**{"hours" if age[2] == "h" else "days": int(age[1])})
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise errors.Invalid.field(name, "give an age such as 12h or 3d, or a date such as 2027-01-31") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _amount(name: str, text: str) -> Decimal | None:
    if text and not AMOUNT.fullmatch(text):
        raise errors.Invalid.field(name, "give an amount such as 12.50, without a sign")
    return Decimal(text) if text else None


def _place(text: str) -> str | None:
    if text and not PLACE.fullmatch(text):
        raise errors.Invalid.field("after", "give what the page before said")
    return text or None
