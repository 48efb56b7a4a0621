"""The control room: what waits, what is stuck, what drifts, who does what, and whether the desk is well; three regions, each read anew by itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, render_template, url_for

from claimcheck.approvals import standing
from claimcheck.control import beats, figures, trends
from claimcheck.control.figures import Leases, Queue, Route
from claimcheck.forecasts import alerts
from claimcheck.web import access, batch_words, charts, desk, numbers, pages
from claimcheck.web.charts import Chart, Series

blueprint = Blueprint("control", __name__, url_prefix="/control")
STALE = 120.0  # seconds, after which figures are old
UNAPPLIED = 300.0  # likewise, after which an outcome that is not applied is an alarm
MATCHES = {"MATCHED": "matched", "PARTIAL": "partly matched", "UNMATCHED": "unmatched"}
STORES = {
    "database": "PostgreSQL answers",
    "migrations": "its schema is up to date",
    "store": "the object store answers",
    "doorbell": "Redis answers; without it work goes on, slower",
}


@blueprint.record_once
def _filters(state: Any) -> None:
    words = {"variance": variance, "as_route": as_route, "in_percent": in_percent, "items_of": items_of, "as_said": as_said}
    state.app.jinja_env.filters.update(words, meter=charts.meter)


@blueprint.get("")
@access.allow("lead", "operator")
def show():
    one = _project()
    return render_template("control/show.html", listed=_listed(), **{**_now(one), **_work(one), **_health()})


@blueprint.get("/now")
@access.allow("lead", "operator", background=True)
def now():
    return render_template("control/_now.html", **_now(_project()))


@blueprint.get("/work")
@access.allow("lead", "operator", background=True)
def work():
    return render_template("control/_work.html", **_work(_project()))


@blueprint.get("/health")
@access.allow("lead", "operator", background=True)
def health():
    return render_template("control/_health.html", **_health())


def _project() -> int:
    """The project that is asked for; 0, or whatever is no number: the whole desk."""
    return numbers.asked("project")


def _listed() -> list[tuple[int, str]]:
    """Projects to choose from: those with something open, and those that were worked on lately."""
    db = desk().db
    found = {q.project_id: q.project for q in figures.queues(db)} | {r.project_id: r.project for r in figures.reasons(db)}
    return sorted(found.items(), key=lambda one: one[1].lower())


def _now(one: int) -> dict[str, Any]:
    db, queues = desk().db, figures.queues(desk().db, project_id=one)
    marks = figures.marks(db)
    return {
        "project": one, "at": datetime.now(UTC), "open_mark": marks["open"], "stale": STALE, "alarm": UNAPPLIED, "desk_figures": figures.desk(db),
        "queues": queues, "most": max((q.pending for q in queues), default=0), "danger": alerts.in_danger(db, access.current()),
        "led": sum(q.pending for q in queues if q.queue in ("escalation", "adjudication")), "oldest": _oldest(queues),
        "approvals": [row for row in standing.waiting(db) if one in (0, row.project_id)],
    }  # fmt: skip


def _oldest(queues: list[Queue]) -> Queue | None:
    return next((q for q in queues if q.oldest), None)


def _work(one: int) -> dict[str, Any]:
    db, at, marks = desk().db, datetime.now(UTC), figures.marks(desk().db)
    hours, leases = figures.hours(db, project_id=one), figures.leases(db, project_id=one)
    load = figures.load(db) if not one else []
    return {
        "project": one, "at": at, "marks": marks, "pace": trends.pace(hours, at), "backlog": _backlog(trends.spans(hours, at)),
        "drift": trends.drift(leases, at.date()), "leases": _leases(leases), "reasons": figures.reasons(db, project_id=one),
        "routes": figures.routes(db, project_id=one), "load": load, "busiest": max((d.looks for p in load for d in p.days), default=0),
        "missed": figures.missed(db), "desk_figures": figures.desk(db),
    }  # fmt: skip


def _backlog(spans: list[trends.Span]) -> Chart | None:
    if not any(s.arrived or s.settled or s.open for s in spans):
        return None
    arrived, settled = Series("came", "came", [s.arrived for s in spans]), Series("settled", "settled", [s.settled for s in spans])
    names = [f"{s.begin:%a} {s.begin:%H}:00" for s in spans]
    label = "Items that came and were settled in each six hours of the last week, and the tasks open at their end, as a line"
    return charts.columns(label, names, [arrived, settled], stacked=False, line=Series("open", "open", [s.open for s in spans]))


def _leases(rows: list[Leases]) -> Chart | None:
    days = sorted({row.day for row in rows})
    tasks = {(row.day, row.leases): row.tasks for row in rows}
    series = [Series(_lease_name(n), f"lease-{n}", [tasks.get((day, n), 0) for day in days]) for n in range(1, 7)]
    label = "Tasks that ended on each day, by how many leases they had taken"
    return charts.columns(label, [f"{day.day} {day:%b}" for day in days], series) if days else None


def _lease_name(n: int) -> str:
    return {1: "one lease", 6: "six or more"}.get(n, ("two", "three", "four", "five")[n - 2] if 2 <= n <= 5 else str(n))


def _health() -> dict[str, Any]:
    checks = pages.checked(desk())
    return {"beats": beats.heard(desk().db), "stores": [(one.name, STORES.get(one.name, one.name), one.ok) for one in checks], "silent": beats.SILENT}


def as_said(text: str) -> str:
    """What a look said, as it is counted: a verdict, or the beginning of an answer's JSON."""
    try:
        answer = json.loads(text)
    except ValueError:
        return text
    return (", ".join(map(str, answer)) or "none of them") if isinstance(answer, list) else str(answer)


def variance(route: Route) -> str:
    """What intake knew of a group of items, in words."""
    amount = batch_words.band_words(f"under {10**route.band}" if route.band else "0", route.currency)
    return f"{MATCHES.get(route.match_decision, route.match_decision)}, {amount}"


def as_route(route: Route) -> str:
    """A route of a project's thresholds that would take them apart."""
    least = "0" if route.band < 2 else str(10 ** (route.band - 1))
    return f'{{queue: foreseen, at_least: "{least}", currency: {route.currency}, match_decisions: [{route.match_decision}]}}'


def in_percent(share: float | None) -> str:
    """A share in whole per cent; what is very little or nearly all is no 0 and no 100."""
    if share is None:
        return "–"
    shown = round(100 * share, 1)
    return f"{shown:.0f} %" if shown in (0, 100) or 1 <= shown <= 95 else f"{shown} %"


def items_of(queue: Queue) -> str:
    """Where a queue's items are looked at: the list for leads, the project for operators."""
    if access.current().role == "lead":
        return url_for("items.page", project=queue.project_id)
    return url_for("projects.show", project_id=queue.project_id)
