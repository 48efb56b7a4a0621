"""The message that a producer sends for a break: what it holds, its money in exact decimals, and the two hashes over it."""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from claimcheck import canonical
from claimcheck.intake.currencies import PLACES
from claimcheck.validation import Model, Name

BYTES = 1024 * 1024  # of a whole message; files go ahead through POST /v1/uploads
SHOWN = ("variance_amount", "currency", "match_decision", "ledger_entity")  # of the message, on the reviewer's screen beside the payload
_AMOUNT = re.compile(r"-?[0-9]{1,15}(\.[0-9]+)?")
_EXPONENT = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)[eE][+-]?[0-9]++")  # takes nothing back: a megabyte of digits is one look at each
_CODE = re.compile("[A-Za-z]{3}")
_DIGITS = re.compile(r"-?[0-9]{16,}(\.[0-9]+)?")


def _amount(value: Any) -> Any:
    """Text in plain decimals; every other way to write an amount is refused by its own name."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        raise PydanticCustomError("float_on_the_wire", 'must be text, such as "12.50": programs on the way read JSON numbers as floats')
    if not isinstance(value, str) or _AMOUNT.fullmatch(value):
        return value
    if value.strip("+-").lower() in ("nan", "inf", "infinity"):
        raise PydanticCustomError("not_finite", "must be an amount, not NaN or infinity")
    if _EXPONENT.fullmatch(value):
        raise PydanticCustomError("exponent", 'must be written out, such as "1200.00", without an exponent')
    if _DIGITS.fullmatch(value):
        raise PydanticCustomError("amount_too_large", "must have at most 15 digits before its point")
    raise PydanticCustomError("not_an_amount", 'must be digits with a point before the decimals, such as "12.50" or "-3.00"')


def _known(code: str) -> str:
    if code not in PLACES:
        named = f", not {code}" if _CODE.fullmatch(code) else ""
        said = 'must be a currency of ISO 4217 that is in force and has decimal places, such as "EUR"{named}'
        raise PydanticCustomError("unknown_currency", said, {"named": named})
    return code


def _unreserved(payload: dict[str, Any]) -> dict[str, Any]:
    taken = next((name for name in SHOWN if name in payload), None)
    if taken is not None:
        raise PydanticCustomError("reserved_name", "is the message's own and shown beside the payload; give it another name", {"field": taken})
    return payload


class Message(Model):
    """A break between two ledgers. Its project asks for a verdict."""

    project_id: int = Field(ge=1, le=2**31 - 1)
    idempotency_key: Name = Field(description="once for ever in its project: the same message again is a repeat, another one is refused")
    trace_id: Name | None = Field(None, description="given at intake where it is absent")
    partition_key: Name = Field(description="such as the counterparty: breaks of one partition are handled, and their outcomes delivered, in order")
    ledger_entity: Name
    currency: Annotated[str, AfterValidator(_known), Field(description="ISO 4217", json_schema_extra={"pattern": "^[A-Z]{3}$"})]
    variance_amount: Annotated[
        str,
        BeforeValidator(_amount),
        Field(
            description="text, with no more decimals than the currency has places",
            json_schema_extra={"pattern": r"^-?[0-9]{1,15}(\.[0-9]{1,4})?$"},
        ),
    ]
    match_decision: Literal["MATCHED", "PARTIAL", "UNMATCHED"]
    payload: Annotated[dict[str, Any], AfterValidator(_unreserved)] = Field(
        description=f"the two sides of the break, and `files` as in an item; may not name {', '.join(SHOWN)}"
    )

    @model_validator(mode="after")
    def _right_money(self) -> Self:
        check_money(self.currency, self.variance_amount, self.match_decision)
        return self

    @cached_property
    def variance(self) -> Decimal:
        """The amount with all the places of its currency."""
        return quantised(self.variance_amount, self.currency)

    def content(self) -> dict[str, Any]:
        """What makes a message the same: all of it but its trace id."""
        return {**self.model_dump(exclude={"trace_id"}), "variance_amount": f"{self.variance:f}"}

    def source_hash(self) -> bytes:
        """SHA-256 of `idempotency_key:ledger_entity:variance_amount:match_decision`."""
        said = f"{self.idempotency_key}:{self.ledger_entity}:{self.variance:f}:{self.match_decision}"
        return hashlib.sha256(said.encode()).digest()

    def message_hash(self) -> bytes:
        """SHA-256 of the canonical content: sameness is judged by it, since a colon in a key could make two source hashes equal."""
        return hashlib.sha256(canonical.encode(self.content())).digest()

    def shown(self) -> dict[str, Any]:
        """The payload of its item."""
        own = {name: getattr(self, name) for name in SHOWN} | {"variance_amount": f"{self.variance:f}"}
        return {**self.payload, **own}

    def item(self, trace_id: str) -> dict[str, Any]:
        """The fields of its items.Item, but for the priority."""
        return {"idempotency_key": self.idempotency_key, "partition_key": self.partition_key, "trace_id": trace_id, "payload": self.shown()}


def quantised(amount: str, currency: str) -> Decimal:
    """The amount with the places of its currency, never rounded: what has more of them is refused."""
    places, written = PLACES[currency], len(amount.partition(".")[2])
    if written > places:
        said = "{currency} has {places} decimal places, this amount has {written}: send exact amounts of the currency"
        raise PydanticCustomError("too_many_places", said, {"field": "variance_amount", "currency": currency, "places": places, "written": written})
    found = Decimal(amount).quantize(Decimal(1).scaleb(-places))
    return abs(found) if found.is_zero() else found


def check_money(currency: str, amount: str, match_decision: str) -> None:
    """Raises where the three do not fit together, each of them being right by itself."""
    if quantised(amount, currency) and match_decision == "MATCHED":
        said = "must be zero where the match decision is MATCHED; send PARTIAL or UNMATCHED, or mend the amount"
        raise PydanticCustomError("matched_with_variance", said, {"field": "variance_amount"})
