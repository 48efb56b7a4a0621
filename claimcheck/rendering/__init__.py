"""How a payload is shown: bytes that nobody trusts become frozen views, one kind a partial.

The truth of a type is whether our parser for the declared type accepts the bytes. Everything else is
offered as a file, with the reason. Nothing here imports Flask, runs SQL or decodes a picture.
"""

from claimcheck.rendering.errors import InvalidPart, NotShown
from claimcheck.rendering.intake import check_part
from claimcheck.rendering.item import show
from claimcheck.rendering.parts import FIELDS, Part, Read
from claimcheck.rendering.rules import Pair, Rules

__all__ = ["FIELDS", "InvalidPart", "NotShown", "Pair", "Part", "Read", "Rules", "check_part", "show"]
