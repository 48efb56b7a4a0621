"""The table of commands and their arguments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from claimcheck.cli import accounts, auditing, delivering, intake, keeping, moving, operators, pipeline, projects, simulating, verifying
from claimcheck.cli.arguments import by
from claimcheck.cli.arguments import command as _command
from claimcheck.cli.arguments import group as _group
from claimcheck.formats import reading

ROLES = ["reviewer", "lead", "customer", "operator"]


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="claimcheck",
        description="The review desk's command line.",
        epilog="Exit codes: 0 done, 1 it went wrong, 2 the call was wrong.",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    taking_in, giving_out = (_project, _import, _intake, _pipeline, _replay_audit, _simulate), (_export, _dataset, _verify)
    for add in (_user, _token, *taking_in, *giving_out, *operators.COMMANDS, _receive, _key, _schema, _licences):
        add(commands)
    return top


def _skills(command: argparse.ArgumentParser) -> None:
    command.add_argument("--skill", action="append", default=[], help="what they can do; again for more; made if need be")


def _user(commands: Any) -> None:
    add = _command(
        _group(commands, "user", "people who sign in"),
        "add",
        accounts.add_user,
        "Adds a person and prints the link that sets their password.",
    )
    add.add_argument("email")
    add.add_argument("--name", help="as colleagues see it; the part before the @ if not given")
    add.add_argument("--role", required=True, choices=ROLES)
    add.add_argument("--customer", help="whose account it is, for role customer; the name if not given")
    add.add_argument("--password-stdin", action="store_true", help="take the password from standard input instead of making a link")
    _skills(add)


def _token(commands: Any) -> None:
    new = _command(
        _group(commands, "token", "tokens of the API"),
        "new",
        accounts.new_token,
        "Makes an account and its skills if need be, and prints a token, alone.",
    )
    new.add_argument("name")
    new.add_argument("--role", required=True, choices=ROLES)
    _skills(new)


def _simulate(commands: Any) -> None:
    text = "Sizes a project before it starts: plays labels that a crowd gave through a throw-away desk, and says how right and how dear they are."
    command = _command(commands, "simulate", simulating.simulate, text)
    command.add_argument(
        "--labels", type=Path, required=True, metavar="FILE", help="CSV with at least worker,item,label; a later row of both replaces the earlier"
    )
    command.add_argument("--gold", type=Path, required=True, metavar="FILE", help="CSV with at least item,gold; a|b means either")
    command.add_argument("--seed", type=int, metavar="N", help="draws the order of rows and the golds; drawn itself if not given")
    how = command.add_mutually_exclusive_group()
    how.add_argument("--looks", type=int, metavar="K", help="as many looks for each item, settled by majority")
    how.add_argument("--adaptive", action="store_true", help="as many looks as each item needs (the default)")
    command.add_argument("--results", type=Path, metavar="FILE", help="write item,label,answers,used_as_gold as CSV")


def _project(commands: Any) -> None:
    group = _group(commands, "project", "projects and their rules")
    apply = _command(group, "apply", projects.apply, "Opens the project that a YAML file describes, or gives it these rules.")
    apply.add_argument("file", type=Path)
    apply.add_argument("--customer", help="whose project it is; needed where there are several customers")
    apply.add_argument("--why", default="", help="why the rules change, for the record")
    _command(group, "list", projects.listed, "Lists the projects.")


def _import(commands: Any) -> None:
    text = "Takes items in: a JSONL file of rows, or a folder of files with an optional manifest; with --format a CSV, "
    text += "flat JSONL or Label Studio's JSON, or (mt940) the breaks between a bank statement and a ledger."
    command = _command(commands, "import", moving.bring_in, text)
    command.add_argument("source", type=Path, help="a .jsonl file, - for standard input, or a folder; with --format mt940 the statement")
    columns = "a CSV with the columns reference, date, amount, and if need be currency, ledger_entity, account, counterparty, text"
    command.add_argument("ledger", type=Path, nargs="?", help=f"with --format mt940: {columns}")
    forms = "items: JSONL as the API takes it; jsonl: the same, or flat objects; csv; label-studio: its JSON tasks; mt940"
    command.add_argument("--format", choices=["items", *reading.FORMATS, "mt940"], default="items", help=forms)
    command.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="COLUMN=FIELD",
        help="a column's field, or idempotency_key; again for more; COLUMN=: left out",
    )
    command.add_argument("--dry-run", action="store_true", help="show the first five items as their reviewer will see them, and import nothing")
    command.add_argument("--days", type=int, choices=range(32), default=0, metavar="N", help="with --format mt940: days between matching dates")
    command.add_argument("--encoding", help="with --format mt940: of the statement; UTF-8, else Windows-1252, if not given")
    command.add_argument("--project", required=True, help="its name or number")
    command.add_argument(
        "--manifest",
        type=Path,
        help="CSV or JSONL: idempotency_key, files, and fields; manifest.csv or manifest.jsonl in the folder if not given",
    )
    command.add_argument("--no-wait", action="store_true", help="do not wait until everything is durable and can be claimed")


def _intake(commands: Any) -> None:
    command = _command(commands, "intake", intake.take, "Sends messages through the pipeline's gates: NDJSON, one message a line.")
    command.add_argument("source", type=Path, help="a file, or - for standard input")


def _pipeline(commands: Any) -> None:
    text = "Prints the pipeline's settings in force as YAML, or puts those of a file in force as a new version."
    command = _command(_group(commands, "pipeline", "the pipeline in front of the desk"), "settings", pipeline.settings, text)
    command.add_argument("file", type=Path, nargs="?", help="a YAML file; what it does not name is as delivered")
    command.add_argument("--why", default="", help="why they change, for the record")
    command.add_argument("--as", dest="who", metavar="NAME", help="the operator whose change it is; of your login's name if not given")


def _replay_audit(commands: Any) -> None:
    text = "Rebuilds the movement of an exception, or the pipeline's totals, from its log stream alone."
    command = _command(commands, "replay-audit", auditing.replay, text)
    command.add_argument("log", type=Path, nargs="*", help="the log's files, - for standard input; those of this desk if not given")
    one = command.add_mutually_exclusive_group()
    one.add_argument("--trace", help="the movement of what has this trace id")
    one.add_argument("--key", help="the movement of what has this idempotency key")
    one.add_argument("--message", type=int, help="the movement of the message of this number")
    one.add_argument("--compare", action="store_true", help="compare every record and message with the database")


def _export(commands: Any) -> None:
    command = _command(
        commands,
        "export",
        moving.take_out,
        "Writes a project's items with every byte, its outcomes and signed receipts into a new folder; or items and outcomes as one file.",
    )
    forms = "folder: everything; else items.csv, items.jsonl or tasks.json"
    command.add_argument("--format", choices=["folder", *reading.FORMATS], default="folder", help=forms)
    command.add_argument("--project", required=True, help="its name or number")
    command.add_argument("--out", required=True, type=Path, help="a folder that does not exist yet or is empty")
    command.add_argument("--purpose", help="reveal what is masked, for one of the project's purposes; each reveal is on record")


def _dataset(commands: Any) -> None:
    text = "Writes a version of what is delivered of a project, its files and the signed manifest, into a new folder; the next one if none is named."
    command = _command(commands, "dataset", delivering.take_out, text)
    command.add_argument("--project", required=True, help="its name or number")
    command.add_argument("--version", type=int, metavar="N", help="one that was delivered before")
    command.add_argument("--out", required=True, type=Path, help="a folder that does not exist yet or is empty")


def _verify(commands: Any) -> None:
    command = _command(
        commands,
        "verify",
        verifying.verify,
        "Checks a receipt (RECEIPT --key FILE --payload FOLDER) or a dataset (FOLDER --key FILE) offline, or a decision (its number) on the desk.",
    )
    command.add_argument("subject", help="a receipt's file, a dataset's folder or manifest, or a decision's number")
    command.add_argument("--payload", type=Path, help="a folder with the item's parts, named as in the receipt")
    command.add_argument("--key", type=Path, help="the desk's public key, PEM")


def _receive(commands: Any) -> None:
    command = _command(commands, "receive", keeping.receive, "A small webhook receiver to try with.")
    command.add_argument("--host", default="127.0.0.1", help="the address to listen on; %(default)s if not given")
    command.add_argument("--port", type=int, default=9000, help="%(default)s if not given")
    command.add_argument("--secret", action="append", default=[], help="the whsec_… secret; again while one is rotated")
    command.add_argument(
        "--log", type=Path, default=Path("received.jsonl"), help="where events are kept, which is what deduplicates them; %(default)s if not given"
    )
    command.add_argument("--fail-rate", type=float, default=0.0, help="share of calls answered 503, 0 to 1")
    command.add_argument("--slow-seconds", type=float, default=0.0, help="answer only after so long")


def _key(commands: Any) -> None:
    group = _group(commands, "key", "the keys that sign receipts")
    _command(group, "list", keeping.list_keys, "Prints every public key that ever signed, newest first.")
    rotate = _command(group, "rotate", keeping.rotate_key, "Makes a new key that signs from a minute or two later on; the old ones are kept.")
    by(rotate, needed=False)


def _schema(commands: Any) -> None:
    command = _command(commands, "schema", keeping.schema, "Prints the schema that the migrations end at (queue/schema.sql).")
    command.add_argument("--write", action="store_true", help="write queue/schema.sql")


def _licences(commands: Any) -> None:
    _command(commands, "licences", keeping.licences, "Lists what is installed here and under which licence.")
