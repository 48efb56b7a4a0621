"""Letters: what people read of a project whose deadline is in danger, or safe again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from claimcheck.outbound import Failure, mail
from claimcheck.outbound.mail import Post
from claimcheck.outbound.notices import Notice

WORDS = {"on_time": "on time again", "at_risk": "at risk of missing its deadline", "late": "late or about to be"}


def send(post: Post, base_url: str, notice: Notice) -> None:
    """Sends one, once. Raises Failure: `denied` where trying again is no use."""
    if notice.email is None:
        raise Failure("denied", "This person has no address any more, or is disabled.")
    key, subject = f"notice-{notice.id}", f"{notice.body['project']} is {_words(notice.body)}"
    made = mail.letter(post, to=notice.email, key=key, subject=subject, text=text(notice, base_url), at=notice.created_at)
    mail.send(post, made, key=key)


def _words(told: dict[str, Any]) -> str:
    return "finished in time" if told["state"] == "on_time" and not told["open"] else WORDS[told["state"]]


def text(notice: Notice, base_url: str) -> str:
    """The letter."""
    told = notice.body
    chance = "not known" if told["miss_probability"] is None else f"{told['miss_probability']:.0%}"
    lines = [
        f"Hello {notice.person},",
        "",
        f"the project {told['project']} is {_words(told)}.",
        "",
        f"Deadline: {_said(told['deadline'])}",
        f"Chance of missing it: {chance}",
        f"Open items: {told['open']:,}",
    ]
    if told["eta"]:
        lines.append(f"Last item expected: {_said(told['eta'])}, with 80 % between {_said(told['eta_low'])} and {_said(told['eta_high'])}")
    if (ways := _ways(told["help"])) and told["state"] != "on_time":
        lines += ["", f"What would help: {' or '.join(ways)}."]
    return "\n".join([*lines, "", f"{base_url}/projects/{notice.project_id}", "", "You are told once each time this changes.", ""])


def _ways(helps: dict[str, Any]) -> list[str]:
    ways = [f"{helps['experts']:,} more expert{'s' if helps['experts'] != 1 else ''} of “{helps['skill']}” at work"] if helps["experts"] else []
    return [*ways, f"{helps['items']:,} item{'s' if helps['items'] != 1 else ''} fewer"] if helps["items"] else ways


def _said(moment: str | None) -> str:
    return "unknown" if moment is None else f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
