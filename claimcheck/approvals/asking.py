"""Which decisions of a project need a second pair of eyes: its rule `four_eyes`. The matching itself is `eyes_rule` in queue/."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from psycopg.types.json import Jsonb
from pydantic import Field

from claimcheck.validation import Code, Model, Name, wrong

OVERTURNS = ("overturn", "reopen")  # what a lead does to an outcome, whatever the question


class FourEyes(Model):
    """Outcomes that fulfil all that is named here; with nothing named, all."""

    verdict: Literal["approve", "reject", "answer", "overturn", "reopen"] | None = Field(
        None, description="what the item would come to; `overturn`: whatever supersedes an outcome"
    )
    reason_code: Code | None = None
    amount_from: str | None = Field(
        None, pattern=r"^[0-9]{1,15}(\.[0-9]{1,4})?$", description="the smallest amount, as text; an item without one counts as any"
    )
    currency: str | None = Field(None, pattern="^[A-Z]{3}$")
    customer: Name | None = Field(None, description="whose project it is, for rules that several customers' projects share")

    @property
    def words(self) -> str:
        """What it catches, in a few words."""
        amount = f"from {self.amount_from}{f' {self.currency}' if self.currency else ''}" if self.amount_from else self.currency
        named = [self.verdict, amount, self.reason_code and f"for {self.reason_code}", self.customer and f"of {self.customer}"]
        return ", ".join(part for part in named if part) or "every outcome"


def check(asked: Sequence[FourEyes], *, reasons: Collection[str], outcomes: Collection[str]) -> None:
    """Raises ValueError that names the rule that no decision could match, and how to mend it."""
    possible = [*sorted(outcomes), *OVERTURNS]
    for n, rule in enumerate(asked):
        if rule.verdict is not None and rule.verdict not in possible:
            raise wrong(f"four_eyes[{n}].verdict", f"must be one of {', '.join(possible)}, since nothing else is decided here")
        if rule.reason_code is not None and rule.reason_code not in reasons and not rule.reason_code.startswith("desk."):
            raise wrong(f"four_eyes[{n}].reason_code", f"must be one of the project's: {', '.join(sorted(reasons))}")


def stored(asked: Sequence[FourEyes]) -> Any:
    """As statements read it from the project's row; null where nothing is asked."""
    return Jsonb([rule.model_dump(exclude_none=True) for rule in asked]) if asked else None
