"""Reasons: what may hurt is not done without one, and it stands on record."""

from __future__ import annotations

from claimcheck import errors

LONGEST = 500


def given(reason: str) -> str:
    """The reason, trimmed. Raises Invalid that names the field where it says nothing, too much, or cannot be stored."""
    said = " ".join(reason.split())
    if not said or len(said) > LONGEST or not said.isprintable():
        raise errors.Invalid.field("reason", f"say in at most {LONGEST} characters why; it is kept on record")
    return said


def optional(reason: str) -> str:
    """The same where it may be left out: "" then."""
    return given(reason) if reason.strip() else ""
