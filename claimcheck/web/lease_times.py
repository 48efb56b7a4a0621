"""A project's lease time: how long its work takes, what the present lease cuts off, the advised one, and the change of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, projects, rules, versions
from claimcheck.projects import Project
from claimcheck.review import lease_times
from claimcheck.review.lease_times import Times
from claimcheck.web import access, desk, htmx, look
from claimcheck.web.charts import Chart, Series

blueprint = Blueprint("lease_times", __name__, url_prefix="/projects/<int:project_id>/lease")
SHARES = (0.5, 0.9, 0.95, 0.99)
SCALE = (0.5, 0.9, 1)
WIDTH, HEIGHT = 640.0, 220.0
TICKS = (1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400)  # seconds


def chart(times: Times, lease: int) -> Chart:
    """The share decided over time, as a logarithm since work is spread over decades of seconds, with room for the lease and the advised one."""
    advised = times.advised if times.advised != lease else None
    longest = max(60, lease, advised or 0, *(one.seconds for one in times.points[-1:])) + 1
    ticks = [(tick, _x(tick, longest)) for tick in TICKS if tick <= longest]
    told = [("curve", "decided by then", None), ("now", f"the lease now, {look.span(lease)}", lease)]
    told += [("advised", f"advised, {look.span(advised)}", advised)] if advised else []
    return Chart(
        label="Share of work decided over time", rects=[], line=" ".join(f"{x},{y}" for x, y in _steps(times, longest)), line_shape="curve",
        ticks=[(f"{100 * share:.0f} %", HEIGHT * (1 - share)) for share in SCALE], line_ticks=[], marks=[(look.span(tick), x) for tick, x in ticks],
        series=[Series(words, shape, []) for shape, words, _ in told], rows=[], width=WIDTH, height=HEIGHT,
        uprights=[("grid", x) for _, x in ticks] + [(shape, _x(at, longest)) for shape, _, at in told if at], left=78.0, right=24.0,
    )  # fmt: skip


def _x(seconds: float, longest: int) -> float:
    return round(WIDTH * math.log(max(1.0, seconds)) / math.log(longest), 1)


def _steps(times: Times, longest: int) -> Iterator[tuple[float, float]]:
    """The corners of the line, as far as leases were seen; of points that share a pixel the last."""
    at = [(_x(one.seconds, longest), round(HEIGHT * one.share, 1)) for one in times.points]
    kept = [now for now, after in pairwise([*at, (math.inf, 0.0)]) if int(now[0]) != after[0] // 1]
    height = HEIGHT
    yield 0.0, height
    for x, y in kept:
        yield x, height
        yield x, y
        height = y
    yield WIDTH if times.seen(longest) else _x(times.longest, longest), height


def exactly(seconds: int) -> str:
    """A length of time to the second: 45 s, 1 min 46 s, 3 h 05 min."""
    minutes, rest = divmod(seconds, 60)
    return look.span(seconds) if not minutes or minutes >= 60 or not rest else f"{minutes} min {rest} s"


def cut_off(share: float) -> str:
    """A share that may be very small."""
    return "nothing" if share == 0 else f"{100 * share:.1f} %" if share >= 0.0005 else "under 0.1 %"


@blueprint.record_once
def _filters(state: Any) -> None:
    state.app.jinja_env.filters.update(exactly=exactly, cut_off=cut_off)


@blueprint.get("")
@access.allow("lead", "operator")
def show(project_id: int):
    return _show(_load(project_id))


def _load(project_id: int) -> Project:
    return projects.load(desk().db, project_id, access.current())


def _show(one: Project, *, typed: dict[str, str] | None = None, error: errors.Error | None = None) -> str:
    times, lease = lease_times.of_project(desk().db, project_id=one.id), one.parsed.lease_seconds
    drawn = chart(times, lease) if times and times.points else None
    typed = typed or {"seconds": str(times.advised or lease) if times else str(lease), "why": ""}
    return render_template("projects/lease.html", one=one, rules=one.parsed, times=times, chart=drawn, typed=typed, error=error, shares=SHARES)


@blueprint.post("")
@access.allow("lead")
def change(project_id: int):
    """Another lease is a new version of the rules; what was typed comes back with an error."""
    one, typed = _load(project_id), {name: request.form.get(name, "").strip() for name in ("seconds", "why")}
    try:
        _change(one, typed)
    except (errors.Invalid, errors.ProjectCancelled) as error:
        return _show(one, typed=typed, error=error), error.status
    flash(f"From now on a claim of this project holds {int(typed['seconds'])} seconds.")
    return htmx.go(url_for("lease_times.show", project_id=project_id))


def _change(one: Project, typed: dict[str, str]) -> None:
    if not typed["why"]:
        raise errors.Invalid.field("why", "say why the lease changes, for the record")
    if not (typed["seconds"].isascii() and typed["seconds"].isdecimal() and len(typed["seconds"]) < 9):
        raise errors.Invalid.field("seconds", "write a whole number of seconds, such as 600")
    new = rules.parse(one.rules | {"lease_seconds": int(typed["seconds"])})
    versions.change(desk().db, one.id, access.current().id, new, why=typed["why"][:2000], settings=desk().settings)
