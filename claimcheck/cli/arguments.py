"""How a command and its arguments are declared."""

from __future__ import annotations

import argparse
from typing import Any


def command(commands: Any, name: str, run: Any, text: str) -> argparse.ArgumentParser:
    """A command of that name; `run` gets its arguments."""
    made = commands.add_parser(name, help=text, description=text)
    made.add_argument("--json", action="store_true", help="answer with one line of JSON")
    made.set_defaults(run=run)
    return made


def group(commands: Any, name: str, text: str) -> Any:
    """A word that commands stand behind."""
    return commands.add_parser(name, help=text, description=text).add_subparsers(metavar="WHAT", required=True)


def by(made: argparse.ArgumentParser, *, needed: bool = True) -> None:
    """Who does it, and why, for the record."""
    made.add_argument("--reason", default="", help="why, for the record" + ("; it is not done without" if needed else ""))
    made.add_argument("--as", dest="who", metavar="NAME", help="the operator whose act it is; of your login's name if not given")
