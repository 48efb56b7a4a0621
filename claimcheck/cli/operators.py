"""The commands of operators, and their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claimcheck.cli import operating, saving
from claimcheck.cli.arguments import by, command, group


def _queue(commands: Any) -> None:
    queue = group(commands, "queue", "a project's queues, one by one")
    listed = command(queue, "list", operating.list_queues, "Lists the queues of open projects, the paused ones first.")
    listed.add_argument("--project", help="its name or number")
    for name, run, text in (
        ("pause", operating.pause_queue, "Hands nothing more of a queue out; what people hold they may finish."),
        ("resume", operating.resume_queue, "Hands a queue's tasks out again."),
    ):
        made = command(queue, name, run, text)
        made.add_argument("project", help="its name or number")
        made.add_argument("queue", help="the queue's name, as review")
        by(made, needed=name == "pause")


def _workers(commands: Any) -> None:
    workers = group(commands, "workers", "the desk's programs: workers, dispatcher, publisher, intake")
    command(workers, "status", operating.status, "Says which programs were heard of, what they have in hand, and whether they are drained.")
    text = "Has every program finish what it has in hand and take nothing new, until they are resumed. Exit 1 where they are not empty in time."
    drain = command(workers, "drain", operating.drain, text)
    drain.add_argument("--wait", type=float, default=60.0, metavar="SECONDS", help="for all to be empty; %(default)g if not given")
    by(drain)
    by(command(workers, "resume", operating.resume, "Has the programs take work again."), needed=False)


def _effects(commands: Any) -> None:
    effects = group(commands, "effects", "what outcomes bring about elsewhere")
    text = "Has every outcome that was decided and not applied be tried at once. A receiver that had one already knows it by its webhook-id."
    replay = command(effects, "replay", operating.replay, text)
    replay.add_argument("--failed", action="store_true", help="what failed for good too")
    replay.add_argument("--dry-run", action="store_true", help="say how many, and change nothing")
    by(replay)
    retry = command(effects, "retry", operating.retry, "Gives one effect new attempts, under the same webhook-id.")
    retry.add_argument("effect", type=int, help="its number, as /effects shows it")
    by(retry, needed=False)
    skip = command(effects, "skip", operating.skip, "Gives one effect up, on record; what waited behind it goes on.")
    skip.add_argument("effect", type=int, help="its number, as /effects shows it")
    by(skip)


def _secrets(commands: Any) -> None:
    secrets = group(commands, "secrets", "secrets, renewed")
    webhook = command(
        secrets,
        "webhook",
        operating.rotate_webhook,
        "Gives a project's webhook a new secret and prints it; the former one signs beside it for a day.",
    )
    webhook.add_argument("project", help="its name or number")
    by(webhook, needed=False)
    revoke = command(secrets, "revoke", operating.revoke, "Ends everybody's tokens and sessions, or one account's.")
    revoke.add_argument("--name", help="the account; everybody's if not given")
    revoke.add_argument("--dry-run", action="store_true", help="say how many, and change nothing")
    by(revoke)
    text = "Puts a new SECRET_KEY before the one that this home keeps. Start the desk anew, then `secrets reseal`, then `secrets new-key --done`."
    new = command(secrets, "new-key", operating.new_key, text)
    new.add_argument("--done", action="store_true", help="forget the former key; refused while something is still sealed by it")
    by(
        command(
            secrets,
            "reseal",
            operating.reseal,
            "Seals everything that SECRET_KEY seals by its first line; the former one, on a line below, still opens it.",
        )
    )


def _drafts(commands: Any) -> None:
    prune = command(
        group(commands, "drafts", "what people began to write"), "prune", operating.prune, "Throws old drafts away, but for what is held now."
    )
    prune.add_argument("--older-than", type=int, required=True, metavar="DAYS", dest="days", help="days since it was last saved")
    prune.add_argument("--dry-run", action="store_true", help="say how many, and change nothing")
    by(prune)


def _backup(commands: Any) -> None:
    text = (
        "Writes the database at one moment and every payload it names into a folder, while work goes on. The folder holds SECRET_KEY: keep it safe."
    )
    made = command(commands, "backup", saving.backup, text)
    made.add_argument("folder", type=Path, help="a folder that does not exist yet or is empty")
    by(made, needed=False)


def _restore(commands: Any) -> None:
    text = "Puts a backup in the place of an empty desk that does not run: every byte checked, every table counted. The desk begins drained."
    made = command(commands, "restore", saving.restore, text)
    made.add_argument("folder", type=Path, help="a folder that `backup` wrote")
    made.add_argument("--dry-run", action="store_true", help="check the backup and the desk, and change nothing")
    by(made)


COMMANDS = (_queue, _workers, _effects, _secrets, _drafts, _backup, _restore)
