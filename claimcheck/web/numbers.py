"""Whole numbers as forms and addresses carry them. What is none is taken for something else, and shown: nobody is refused a page for one."""

from __future__ import annotations

from typing import TypeVar

from flask import request

Other = TypeVar("Other")


def whole(text: str, otherwise: Other, digits: int = 9) -> int | Other:
    """What the text says; `otherwise` where it is not made of so many digits at the most. Nine of them fit any number of the database."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else otherwise


def asked(name: str, otherwise: int = 0, digits: int = 9) -> int:
    """What the form says under this name, or the address where none was sent."""
    return whole((request.form if request.method == "POST" else request.args).get(name, ""), otherwise, digits)
