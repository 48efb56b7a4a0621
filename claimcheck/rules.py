"""A project's rules: one model for `POST /v1/projects` and for YAML project files, and what they say of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from claimcheck import errors, questions
from claimcheck.access import masking
from claimcheck.approvals import asking
from claimcheck.control.facets import Facets
from claimcheck.hooks import Watch, Webhook
from claimcheck.validation import Code, Model, Moment, Name, Prose, unique, validated, wrong

Of = Literal["approve", "reject", "escalate", "answer"]  # what a reason may be given for
RESERVED = {"agreement": "The looks agree", "auto_zero_variance": "No variance is left"}  # the system actor's own
RESERVED_START = "desk."  # for reasons and skills of its own
WEEK = 7 * 24 * 3600


class Reason(Model):
    """Why somebody decided, or skipped, as it is counted (`code`) and as people read it (`label`)."""

    code: Code
    label: Name


class ReasonCode(Reason):
    """A reason for a decision; `verdicts` names those it may be given for, all where it is absent."""

    verdicts: list[Of] | None = Field(None, min_length=1, max_length=4)


class Pair(Model):
    """Two fields or files that are shown side by side."""

    left: Name
    right: Name


OWN_QUEUES = ("escalation", "adjudication", "approval", "automatic")  # the desk's; no route leads there


class Route(Model):
    """Which breaks go to a queue: those that fulfil all that is named here. Amounts are without their sign."""

    queue: Code
    skill: Code | None = Field(None, description="what its reviewers must be able to do; the project's where absent")
    at_least: str = Field("0", pattern=r"^[0-9]{1,15}(\.[0-9]{1,4})?$", description="the smallest variance, as text")
    currency: str | None = Field(None, pattern="^[A-Z]{3}$")
    match_decisions: list[Literal["PARTIAL", "UNMATCHED"]] | None = Field(None, min_length=1)
    priority: int | None = Field(None, ge=-10, le=20)

    def takes(self, *, variance: Decimal, currency: str, match_decision: str) -> bool:
        """Whether a break goes this way."""
        return (
            abs(variance) >= Decimal(self.at_least)
            and self.currency in (None, currency)
            and (self.match_decisions is None or match_decision in self.match_decisions)
        )


class Thresholds(Model):
    """Where intake sends a break: the first route that takes it, else the queue `review`."""

    routes: list[Route] = Field([], max_length=50)

    @model_validator(mode="after")
    def _one_skill_a_queue(self) -> Self:
        skills: dict[str, str | None] = {"review": None}
        for n, route in enumerate(self.routes):
            if route.queue in OWN_QUEUES:
                raise wrong(f"routes[{n}].queue", f"must not be {route.queue!r}, which is the desk's own; choose another name")
            if skills.setdefault(route.queue, route.skill) != route.skill:
                known = skills[route.queue] or "the project's"
                raise wrong(f"routes[{n}].skill", f"must be {known} as elsewhere for the queue {route.queue!r}, or name another queue")
        return self

    def route(self, *, variance: Decimal, currency: str, match_decision: str) -> Route | None:
        """The first that takes the break; None: the queue `review`."""
        return next((r for r in self.routes if r.takes(variance=variance, currency=currency, match_decision=match_decision)), None)


class Agreement(Model):
    """How several looks settle an item. `adaptive` asks for `least` looks and then, one by one up to `most`, for as many as it needs to be `sure`."""

    mode: Literal["unanimous", "majority", "adaptive"] = "unanimous"
    tolerance: int = Field(0, ge=0, le=1000, description="how far grades may lie from their median and still agree")
    least: int = Field(2, ge=2, le=20)
    most: int = Field(5, ge=2, le=20)
    sure: float = Field(0.8, gt=0.5, lt=1)
    audit: float | None = Field(None, ge=0, le=1, description="share of items with equal looks that are adjudicated too; 0.04 where adaptive, else 0")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.most < self.least:
            raise wrong("most", f"must be at least least ({self.least})")
        return self

    @property
    def audited(self) -> float:
        return self.audit if self.audit is not None else 0.04 if self.mode == "adaptive" else 0.0


class Bound(Model):
    """How few may be wrong of what a batch decision decides unseen, and how sure its sample must make us of that."""

    share: float = Field(0.02, gt=0, le=0.5)
    confidence: float = Field(0.95, ge=0.5, le=0.9999)


class Prices(Model):
    """What a look is paid where that differs from `price_minor`; an exam's looks are gold."""

    gold: int | None = Field(None, ge=0, le=10**9)
    adjudication: int | None = Field(None, ge=0, le=10**9)


def _labelled(value: Any) -> Any:
    """A code that has no label is its own."""
    return [_with_label({"code": v} if isinstance(v, str) else v) for v in value] if isinstance(value, list) else value


def _with_label(reason: Any) -> Any:
    return {"label": reason["code"], **reason} if isinstance(reason, dict) and "code" in reason else reason


PURPOSES = [Reason(code=c, label=c.capitalize()) for c in ("needed to decide", "looks wrong", "the customer asks")]
SKIPS = [Reason(code=c, label=c.capitalize()) for c in ("too hard", "not my field", "unclear", "cannot be read")]


class Rules(Model):
    """What is asked in a project, of whom, on what terms, and what follows."""

    name: Name = Field(description="unique among the customer's projects")
    skill: Code = Field(description="what a reviewer must be able to do; made where it is missing")
    question: questions.Question = Field(default_factory=questions.Verdict)
    show: list[Name] | None = Field(None, min_length=1, max_length=200, description="fields and files in the order shown; all where absent")
    pairs: list[Pair] = Field([], max_length=50)
    title: Name | None = Field(None, description="the field that an item is called by in lists")
    masked: list[Name] = Field([], max_length=50, description="fields (`holder.iban`: inside another) and files that are hidden until revealed")
    facets: Facets = Field([], description="at most 5 fields, as JSON Pointers, by whose values what goes wrong is grouped")
    purposes: Annotated[list[Reason], BeforeValidator(_labelled)] = Field(PURPOSES, min_length=1, max_length=50, description="of reveals")
    guidance: Prose = Field("", description="how to judge, in Markdown")
    reason_codes: Annotated[list[ReasonCode], BeforeValidator(_labelled)] = Field(min_length=1, max_length=200)
    skip_reasons: Annotated[list[Reason], BeforeValidator(_labelled)] = Field(SKIPS, min_length=1, max_length=50)
    wanted: int = Field(1, ge=1, le=20, description="looks by different people")
    lease_seconds: int = Field(1800, ge=1, le=WEEK)
    max_hold_seconds: int = Field(14400, ge=1, le=WEEK, description="heartbeats extend a lease up to here")
    idle_seconds: int = Field(300, ge=1, le=WEEK)
    abandon_limit: int = Field(3, ge=1, le=1000, description="leases without a decision before an item goes to the leads")
    weight: float = Field(1.0, gt=0, le=1000, description="the project's share of reviewers' time, beside others")
    priority: int = Field(0, ge=-10, le=20)
    deadline: Moment | None = None
    price_minor: int = Field(0, ge=0, le=10**9, description="for one look, in the currency's smallest unit")
    currency: str = Field("EUR", pattern="^[A-Z]{3}$")
    prices: Prices = Field(default_factory=lambda: Prices.model_validate({}))
    agreement: Agreement = Field(default_factory=lambda: Agreement.model_validate({}))
    batch_decision_bound: Bound = Field(default_factory=lambda: Bound.model_validate({}), description="what a batch decision's sample must show")
    undo_seconds: int = Field(300, ge=0, le=86400, description="for which the effects of a batch decision wait, so that it can be undone")
    thresholds: Thresholds = Field(Thresholds(routes=[]), description="where intake's messages go, by variance, currency and match decision")
    four_eyes: list[asking.FourEyes] = Field([], max_length=50, description="decisions that somebody else has to look at before they hold")
    webhook: Webhook | None = None
    watch: Watch | None = Field(None, description="the project's folder in the object store")
    gold_rate: float = Field(0.0, ge=0, le=1, description="gold's share of a measured person's looks in the skill; the skill's own where 0")
    quality_floor: int = Field(0, ge=0, le=3, description="the lowest tier that may take its items")

    @model_validator(mode="before")
    @classmethod
    def _hold_at_least_the_lease(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "max_hold_seconds" not in data and isinstance(data.get("lease_seconds"), int):
            return {**data, "max_hold_seconds": max(14400, data["lease_seconds"])}
        return data

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.max_hold_seconds < self.lease_seconds:
            raise wrong("max_hold_seconds", f"must be at least lease_seconds ({self.lease_seconds})")
        if self.agreement.mode == "adaptive" and self.wanted not in (1, self.agreement.least):
            raise wrong("wanted", f"is agreement.least ({self.agreement.least}) where looks are adaptive; leave it out")
        self._check_reasons()
        unique("show", self.show or [])
        unique("skip_reasons", [r.code for r in self.skip_reasons])
        unique("purposes", [r.code for r in self.purposes])
        unique("masked", self.masked)
        unique("facets", self.facets)
        masking.check_listed(self.title, self.facets, self.masked)
        if self.skill.startswith(RESERVED_START):
            raise wrong("skill", f"must not begin with {RESERVED_START!r}: such skills are the desk's own; choose another name")
        lost = next((n for p in self.pairs for n in (p.left, p.right) if self.show and n not in self.show), None)
        if lost is not None:
            raise wrong("pairs", f"names {lost!r}, which show leaves out; add it to show")
        return self

    def _check_reasons(self) -> None:
        codes = [r.code for r in self.reason_codes]
        unique("reason_codes", codes)
        taken = next((c for c in codes if c in RESERVED or c.startswith(RESERVED_START)), None)
        if taken is not None:
            raise wrong("reason_codes", f"must not name {taken!r}: the desk gives that one itself; choose another")
        possible = {*self.question.verdicts, *(() if self.question.ask == "verdict" else ("answer",))}
        lost = next((v for r in self.reason_codes for v in r.verdicts or () if v not in possible), None)
        if lost is not None:
            raise wrong("reason_codes", f"names {lost!r}, which nobody decides here; possible: {', '.join(sorted(possible))}")
        asking.check(self.four_eyes, reasons=[*codes, *RESERVED], outcomes=possible - {"escalate"})

    def queues(self) -> dict[str, str]:
        """Every queue of a project by these rules, with the skill of its lane."""
        routed = {r.queue: r.skill or self.skill for r in self.thresholds.routes}
        seconds = {"approval": self.skill} if self.four_eyes else {}
        return {"review": self.skill, "escalation": self.skill, "adjudication": self.skill, **seconds, **routed}

    @property
    def first_wanted(self) -> int:
        """Looks that an item wants when it comes."""
        return self.agreement.least if self.agreement.mode == "adaptive" else self.wanted

    def stored(self) -> dict[str, Any]:
        """As they are kept in a project version; equal rules give equal objects."""
        return self.model_dump(mode="json")

    def asked(self) -> dict[str, Any]:
        """What is shown and asked: where this changes, evidence hashes do."""
        return self.model_dump(mode="json", include={"question", "show", "pairs", "guidance"})

    def reasons(self, of: str) -> list[ReasonCode]:
        """The reasons that may be given for a verdict, or for an `answer`."""
        return [r for r in self.reason_codes if r.verdicts is None or of in r.verdicts]


LEADS = ("escalation", "adjudication", "approval", "overturn")  # kinds of work that can't be passed on


def parse(data: Any) -> Rules:
    """Rules as somebody wrote them. Raises Invalid that names each field and its fix."""
    return validated(Rules, _with_floats(data))


def _with_floats(value: Any) -> Any:
    """`canonical.parse_json` keeps a decimal as it was written; nothing in the rules needs more digits than a float has."""
    match value:
        case Decimal():
            return float(value)
        case dict():
            return {k: _with_floats(v) for k, v in value.items()}
        case list():
            return [*map(_with_floats, value)]
    return value


def verdicts(rules: Rules, kind: str) -> list[str]:
    """The verdicts that a task of this kind may end in, `escalate` among them for reviewers; answers stand beside."""
    return [v for v in rules.question.verdicts if v != "escalate" or kind not in LEADS]


def check_decision(rules: Rules, kind: str, *, verdict: str | None, answer: Any, reason_code: str) -> Any:
    """The answer in its canonical form (None with a verdict): equal answers of several looks are equal JSON.

    `kind` is the task's, or `overturn`. Raises Invalid that names the field and what is allowed there.
    """
    if verdict is not None and answer is not None:
        raise errors.Invalid.field("answer", "send a verdict or an answer, not both")
    allowed = verdicts(rules, kind)
    if verdict is None and (answer is not None or not rules.question.by_verdict):
        answer = rules.question.canonical(answer)
    elif verdict not in allowed:
        fix = f"must be {_one_of(allowed)}" if allowed else f"is out of place: answer with {rules.question.hint()}"
        raise errors.Invalid.field("verdict", fix)
    check_reason(rules, reason_code, of=verdict or "answer")
    return answer


def check_reason(rules: Rules, reason_code: str, *, of: str | None = None) -> None:
    """Raises Invalid unless the project knows this reason and, with `of`, it may be given for that verdict or `answer`."""
    known = rules.reasons(of) if of else rules.reason_codes
    if reason_code not in [r.code for r in known]:
        raise errors.Invalid.field("reason_code", f"must be {_one_of([r.code for r in known])}" + (f" for {of}" if of else ""))


def check_skip(rules: Rules, reason: str) -> None:
    """Raises Invalid unless this is one of the project's reasons for skipping."""
    if reason not in [r.code for r in rules.skip_reasons]:
        raise errors.Invalid.field("reason", f"must be {_one_of([r.code for r in rules.skip_reasons])}")


def _one_of(allowed: list[str]) -> str:
    return f"one of {', '.join(allowed)}" if len(allowed) != 1 else allowed[0]
