"""A deploy in the middle of a close: the desk is stopped under load and the next version goes on where it was."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimcheck.embedded import processes
from tests.embedded import running
from tests.faults.deploying import Close


@pytest.fixture
def close() -> Iterator[Close]:
    folder = Path(tempfile.mkdtemp(prefix="desk-deploy-"))
    folder.chmod(0o711)  # the database's account has to pass, which it can't in pytest's own folders
    yield Close(folder)
    running.end_all(folder)
    shutil.rmtree(folder, ignore_errors=True)


def drained(close: Close) -> None:
    assert close.run.stop(signal.SIGTERM) == 0, close.run.words


def hurried(close: Close) -> None:
    """Whoever has no patience sends a second signal, as soon as the first one was heard."""
    before = close.run.words.count("stopping")
    close.run.process.send_signal(signal.SIGTERM)
    assert processes.wait_until(lambda: close.run.words.count("stopping") > before, running.START_SECONDS)
    assert close.run.stop(signal.SIGTERM) == 0, close.run.words


def killed(close: Close) -> None:
    close.run.kill_tree()


def test_it_loses_and_doubles_nothing_when_the_next_version_takes_over_under_load(close: Close) -> None:
    with close.busy():
        for end in (drained, killed, hurried):
            close.under_load()
            end(close)
            assert running.is_deserted(close.home)
            close.start()
    assert close.items() == close.sent, "each answered message has one item, in the order of sending"
    assert close.outcomes() == close.sent, "and one outcome, applied in that order"
    stored = {row.assignment_id for row in close.all("SELECT assignment_id FROM decisions WHERE assignment_id IS NOT NULL")}
    assert set(close.decided) <= stored and not close.broken()
    audit = close.audit()
    assert audit.returncode == 0, audit.stdout + audit.stderr
    assert close.answers["intake 0"], "nobody was posting when it ended"
    assert close.run.stop() == 0, close.run.words
