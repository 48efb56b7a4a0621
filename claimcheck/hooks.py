"""Rules that tie a project to other places: where outcomes are sent, and what is in the folder that it watches."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from claimcheck.validation import Model, Name, unique

Outcome = Literal["approve", "reject", "answer", "overturn"]


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an https address, such as https://example.com/hook")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ValueError("must hold neither a name and password nor a #fragment")
    return text


class Webhook(Model):
    """Where outcomes are sent, and which."""

    url: Annotated[Name, Field(max_length=2000), AfterValidator(_url)]
    on: list[Outcome] = Field(["approve", "reject", "answer", "overturn"], min_length=1, max_length=4)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        unique("on", self.on)
        return self


class Watch(Model):
    """What the objects in the project's folder are, `inbox/ID/` in the store; `map` as an import has it."""

    format: Literal["csv", "jsonl", "label-studio"]
    map: dict[Name, Annotated[str, Field(max_length=200)]] = Field({}, max_length=200, description="{column: field}")
