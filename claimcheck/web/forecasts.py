"""Forecasts for customers and leads: a project's, the planner that moves it, and the report card of past ones."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, request

from claimcheck import errors, projects
from claimcheck.forecasts import judged, levers, measuring, record
from claimcheck.forecasts.levers import Plan
from claimcheck.forecasts.measuring import Told
from claimcheck.web import access, desk, forecast_words, skill_words

blueprint = Blueprint("forecasts", __name__)
DIGITS = 7
SHOWN = 40  # finished projects and batches in the report's table


@blueprint.record_once
def _filters(state: Any) -> None:
    state.app.jinja_env.filters.update(skill_words.FILTERS | forecast_words.FILTERS)


def tell(project_id: int, batch_id: int | None = None) -> Told:
    """The forecast of a project or a batch that the asker was found to be allowed to see."""
    db = desk().db
    return measuring.tell(db, project_id=project_id, batch_id=batch_id, before=record.before(db, project_id, batch_id))


@blueprint.get("/projects/<int:project_id>/forecast")
@access.allow("lead", "operator", "customer", background=True)
def of_project(project_id: int):
    """The forecast alone, which the project's page looks at again and again."""
    one = projects.load(desk().db, project_id, access.current())
    return render_template("forecasts/_card.html", told=tell(one.id), again=request.path)


@blueprint.get("/forecasts")
@access.allow("lead", "customer")
def report():
    rows = record.judged(desk().db, customer_id=projects.reach(access.current()))
    most, last = [s for r in rows if (s := r.of_most())], [r.of_last() for r in rows]
    context = {
        "cards": [("95 % of the items", judged.card(most)), ("the last item", judged.card(last))],
        "buckets": [(name, judged.by_bucket(most).get(n), judged.by_bucket(last).get(n)) for n, name in enumerate(measuring.buckets())],
        "dots": [forecast_words.dot(s) for s in last],
        "finished": _finished(rows),
    }
    return render_template("forecasts/report.html", **context)


def _finished(rows: list[record.Judged]) -> list[record.Judged]:
    """Of each finished project or batch the forecast nearest to its middle."""
    nearest: dict[int, record.Judged] = {}
    for row in rows:
        there = nearest.get(row.ended)
        if there is None or abs(row.progress - 0.5) < abs(there.progress - 0.5):
            nearest[row.ended] = row
    return list(nearest.values())[:SHOWN]


@blueprint.get("/projects/<int:project_id>/plan")
@access.allow("lead")
def plan(project_id: int):
    """What if: other numbers of experts, another price, fewer or more items. Nothing is kept."""
    one = projects.load(desk().db, project_id, access.current())
    told, wrong = tell(one.id), {}
    try:
        asked = _asked(told)
    except errors.Invalid as error:
        asked, wrong = Plan({}), {e.field: e.message for e in error.errors}
    price = told.subject.price_minor
    found = levers.moved(
        told.lines, asked, price=price, items=told.subject.items, settled=told.settled, past=told.past,
        looks_an_item=told.looks_an_item, hours_left=told.subject.hours_left,
    )  # fmt: skip
    lines = levers.planned(told.lines, asked, price=price, items=told.subject.items, settled=told.settled)
    context = {
        "one": one, "told": told, "found": found, "wrong": wrong, "asked": asked, "typed": request.args,
        "skills": [line for line in told.lines if not line.led], "led": [line for line in told.lines if line.led],
        "cost": (levers.cost(told.lines, price), levers.cost(lines, asked.price if asked.price is not None else price)),
    }  # fmt: skip
    return render_template("forecasts/plan.html", **context), 422 if wrong else 200


def _asked(told: Told) -> Plan:
    """What was typed; an empty field is as it is. Raises Invalid."""
    experts, leads = _people(told, led=False), _people(told, led=True)
    price, elasticity = _number("price", 0, 10**DIGITS), _number("elasticity", 0, 200)
    items = _number("items", 0, 10**DIGITS)
    return Plan(experts, price, items, levers.ELASTICITY if elasticity is None else elasticity / 100, leads)


def _people(told: Told, *, led: bool) -> dict[str, int]:
    """How many experts or leads were typed, by skill."""
    name, lines = "leads" if led else "experts", [line for line in told.lines if line.led == led]
    given = {line.skill: _number(f"{name}{n}", 0, levers.MOST_EXPERTS) for n, line in enumerate(lines)}
    return {skill: count for skill, count in given.items() if count is not None}


def _number(name: str, least: int, most: int) -> int | None:
    text = request.args.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > DIGITS + 1 or not least <= int(text) <= most:
        raise errors.Invalid.field(name, f"should be a whole number from {least} to {most}")
    return int(text)
