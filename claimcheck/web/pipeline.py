"""The pipeline for operators: its signals with what to do, its pools, what waits, and its settings with their history. Leads may look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.intake import dead_letters, inbox, parameters, pools, signals
from claimcheck.intake.parameters import Parameters
from claimcheck.validation import validated
from claimcheck.web import access, desk, htmx

blueprint = Blueprint("pipeline", __name__, url_prefix="/pipeline")
DIGITS = 12  # of a number that somebody types


@dataclass(frozen=True)
class Field:
    """A parameter in the form. `value` is what is in force, or what was typed; `default` what it is as delivered."""

    name: str
    label: str
    unit: str
    about: str
    value: str
    default: int
    wrong: str


UNITS = {"_ms": "ms", "_s": "s"}


@blueprint.get("")
@access.allow("lead", "operator")
def show():
    return _show()


def _show(*, error: errors.Error | None = None, typed: dict[str, str] | None = None) -> str:
    db = desk().db
    in_force, measured = parameters.current(db), parameters.measured_p99_ms(db)
    return render_template(
        "pipeline/show.html",
        in_force=in_force,
        allowed=in_force.parameters,
        fields=_fields(in_force, typed, error),
        why=(typed or {}).get("why", ""),
        history=_history(parameters.versions(db)),
        signals=signals.lately(db),
        hours=signals.HOURS,
        pools=pools.lately(db),
        waiting=inbox.depth(db, in_force.parameters.inbox_limit + 1),
        oldest=inbox.oldest(db),
        letters=dead_letters.waiting(db),
        measured=measured,
        error=error,
    )


def _fields(in_force: parameters.Version, typed: dict[str, str] | None, error: errors.Error | None) -> list[Field]:
    wrong = {e.field: e.message for e in error.errors} if error else {}
    return [_field(name, (typed or {}).get(name, str(getattr(in_force.parameters, name))), wrong.get(name, "")) for name in Parameters.model_fields]


def _field(name: str, value: str, wrong: str) -> Field:
    bare, unit = next(((name.removesuffix(end), unit) for end, unit in UNITS.items() if name.endswith(end)), (name, ""))
    about = Parameters.model_fields[name].description or ""
    return Field(name, bare.replace("_", " ").capitalize(), unit, about[:1].upper() + about[1:], value, parameters.DEFAULTS.settings[name], wrong)


def _history(versions: list[parameters.Version]) -> list[tuple[parameters.Version, dict[str, tuple[Any, Any]]]]:
    """Each version, newest first, with what it changed: name → (before, after)."""
    pairs = zip(versions, [*versions[1:], versions[-1]], strict=True)
    return [(v, {n: (before.settings.get(n), x) for n, x in v.settings.items() if before.settings.get(n) != x}) for v, before in pairs]


@blueprint.post("/settings")
@access.allow("operator")
def change():
    typed = {name: request.form.get(name, "").strip()[:2000] for name in (*Parameters.model_fields, "why", "after")}
    try:
        new = validated(Parameters, {name: _number(typed[name]) for name in Parameters.model_fields})
        after = _number(typed["after"])
        version = parameters.change(
            desk().db, new, after=after if isinstance(after, int) else -1, source="page", why=typed["why"].replace("\0", ""), by=access.current().id
        )
    except (errors.Invalid, errors.SettingsChanged) as error:
        return _show(error=error, typed=typed), error.status
    flash(f"Version {version} is in force.")
    return htmx.go(url_for("pipeline.show"))


def _number(text: str) -> int | str:
    """The number, or what was typed, for the model to refuse."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else text
