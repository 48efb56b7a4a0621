"""Who saw what: of a customer's data, for the customer, leads and operators; of one person's looking, for leads and operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from flask import Blueprint, Response, abort, render_template, request

from claimcheck import errors
from claimcheck.access import access_events, customers, people, viewing
from claimcheck.access.access_events import EVER, NEVER, NEWEST, Filter
from claimcheck.web import access, desk

blueprint = Blueprint("access_events", __name__)
readers = access.allow("lead", "operator", "customer")
overseers = access.allow("lead", "operator")
PAGE = 100
FILTERS = {"customer", "person", "item", "since", "until", "before"}


@dataclass(frozen=True)
class Asked:
    """What was typed, and what it comes to."""

    typed: dict[str, str]
    wanted: Filter
    customer: customers.Customer | None


@blueprint.get("/access-events")
@readers
def index():
    """A customer's; leads and operators say whose."""
    asked = _asked()
    sights = access_events.page(desk().db, asked.wanted, before=_before(), limit=PAGE + 1) if asked.customer else []
    copies = access_events.copies(desk().db, asked.wanted) if not asked.wanted.copies else 0
    known = [] if access.current().role == "customer" else customers.all(desk().db)
    return render_template("access_events/index.html", asked=asked, known=known, copies=copies, **_listed(sights))


@blueprint.get("/access-events.csv")
@readers
def table():
    """The same as CSV, however long."""
    asked = _asked()
    if asked.customer is None:
        raise errors.Invalid.field("customer", "name one: its number")
    return _csv(access_events.written(desk().db, asked.wanted), f"customer-{asked.customer.id}")


@blueprint.get("/people/<int:person_id>/access-events")
@overseers
def person(person_id: int):
    """What somebody saw, with what is unusual in it."""
    db, one = desk().db, people.load(desk().db, person_id=person_id)
    asked = _of_person(person_id)
    sights = access_events.page(db, asked.wanted, before=_before(), limit=PAGE + 1)
    seen = viewing.of_person(db, person_id=person_id)
    return render_template(
        "access_events/person.html", one=one, asked=asked, viewing=seen, rule=viewing.RULE, undecided=viewing.undecided, **_listed(sights)
    )


@blueprint.get("/people/<int:person_id>/access-events.csv")
@overseers
def person_table(person_id: int):
    one = people.load(desk().db, person_id=person_id)
    return _csv(access_events.written(desk().db, _of_person(person_id).wanted), one.pseudonym)


def _listed(sights: list[access_events.Sight]) -> dict[str, object]:
    return {"sights": sights[:PAGE], "more": len(sights) > PAGE}


def _csv(rows: Iterator[str], name: str) -> Response:
    response = Response(rows, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="access-events-{name}.csv"'
    return response


def _typed() -> dict[str, str]:
    if not set(request.args) <= FILTERS:
        abort(400)
    return {name: request.args.get(name, "").replace("\0", "").strip()[:200] for name in sorted(FILTERS - {"before"})}


def _asked() -> Asked:
    """The filters of a customer's log. Raises Invalid for a value that can't be one."""
    typed, db = _typed(), desk().db
    typed |= {"customer": ""} if access.current().role == "customer" else {}
    customer = _customer(typed["customer"])
    person_id = access_events.known(db, typed["person"]).id if typed["person"] else None
    since, until = _day("since", typed["since"], EVER), _day("until", typed["until"], NEVER, end=True)
    item, copies = _number("item", typed["item"]), access.current().role != "customer"
    return Asked(typed, Filter(customer.id if customer else -1, person_id, item, since, until, copies), customer)


def _of_person(person_id: int) -> Asked:
    typed = _typed()
    since, until = _day("since", typed["since"], EVER), _day("until", typed["until"], NEVER, end=True)
    return Asked(typed, Filter(None, person_id, since=since, until=until), None)


def _customer(typed: str) -> customers.Customer | None:
    """A customer's own, whatever they ask for; to others the one of that number, or the only one. Raises NotFound."""
    me, known = access.current(), customers.all(desk().db)
    if me.role == "customer":
        return next(one for one in known if one.id == me.customer_id)
    if typed:
        found = next((one for one in known if one.id == _number("customer", typed)), None)
        if found is None:
            raise errors.NotFound()
        return found
    return known[0] if len(known) == 1 else None


def _number(name: str, typed: str) -> int | None:
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 18):
        raise errors.Invalid.field(name, "give a number")
    return int(typed)


def _before() -> int:
    return _number("before", request.args.get("before", "").strip()) or NEWEST


def _day(name: str, typed: str, otherwise: datetime, *, end: bool = False) -> datetime:
    """The beginning of a day, or its end, in UTC. Raises Invalid."""
    if not typed:
        return otherwise
    try:
        day = date.fromisoformat(typed)
        return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1 if end else 0)
    except (ValueError, OverflowError):
        raise errors.Invalid.field(name, "give a day such as 2026-11-30") from None
