"""What others wrote reaches a terminal as text, never as an order to it."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime

import pytest

from claimcheck.cli import pipeline, terminal
from claimcheck.intake.parameters import DEFAULTS, Version

NASTY = "\x1b]0;owned\x07 \x9b2J \u2028 \r\udcff \x7f"


@pytest.mark.parametrize("write", [terminal.say, terminal.put])
def test_it_writes_no_control_character(capsys, write):
    write(f"{NASTY}\n\tAda: größer")
    out, err = capsys.readouterr()
    text = out or err
    assert all(c.isprintable() or c in "\n\t" for c in text) and text.endswith("\n\tAda: größer\n") and "\\u001b]0;owned" in text


def test_it_answers_json_that_stays_json(capsys):
    facts = {"said": NASTY.replace("\udcff", "")}
    terminal.answer(argparse.Namespace(json=True), facts, "")
    assert json.loads(capsys.readouterr().out) == facts


def test_it_prints_settings_whose_reason_stays_a_comment():
    version = Version(3, DEFAULTS.settings, "page", "one\rlag_s: 1\u2028lag_s: 2\x85lag_s: 3\nlag_s: 4", "Dov", datetime.now(UTC))
    text = pipeline._text(version)
    assert text.startswith("# version 3") and len(text.splitlines()) == 1 + len(DEFAULTS.settings)
