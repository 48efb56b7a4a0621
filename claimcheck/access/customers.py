"""Customers: who sends work."""

from __future__ import annotations

from dataclasses import dataclass

from claimcheck import errors
from claimcheck.access import people
from claimcheck.db import Database

HOUSE = "House"  # the customer of what is opened at the desk itself while there is none yet


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer; people of role customer belong to one."""

    id: int
    name: str


def all(db: Database) -> list[Customer]:
    """Every customer, by name."""
    return db.all("customers/all", Customer)


def ensure(db: Database, name: str) -> Customer:
    """The customer of this name, made where it is missing. Raises Invalid."""
    wanted = people.line(name, "customer", 200)
    db.run("customers/ensure", name=wanted)
    return next(customer for customer in all(db) if customer.name == wanted)


def chosen(db: Database, name: str | None) -> Customer:
    """The customer of this name, or the only one there is (the house where there is none). Raises Invalid where several could be meant."""
    known = all(db)
    if name or len(known) < 2:
        return ensure(db, name or (known[0].name if known else HOUSE))
    raise errors.Invalid.field("customer", f"say whose project it is with --customer: one of {', '.join(c.name for c in known)}")
