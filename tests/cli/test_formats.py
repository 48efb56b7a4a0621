"""Import and export in other tools' formats on the command line; with LABEL_STUDIO_PYTHON, Label Studio's own converter and pandas open what we write."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import csv
import json
import os
import subprocess

import pytest

from claimcheck.access import people
from claimcheck.review import decisions, tasks
from tests.cli.test_cli import answer, claimcheck, db, desk  # noqa: F401 (fixtures)

PROJECT = "name: Orders\nskill: orders\ntitle: case\nmasked: [holder.iban]\nreason_codes: [due, late]\n"
FILE = 'no;case;IBAN\n1;"First; with a sign";DE1\n2;Second;DE2\n'
MAP = ("--map", "no=idempotency_key", "--map", "IBAN=holder.iban")
READ = """
import json, sys, pandas
from label_studio_sdk.converter import Converter
folder = sys.argv[1]
converter = Converter(config=open(folder + "/ls/config.xml").read(), project_dir=None, download_resources=False)
converter.convert_to_json_min(folder + "/ls/tasks.json", folder + "/min", is_dir=False)
converter.convert_to_csv(folder + "/ls/tasks.json", folder + "/flat", is_dir=False, sep=",", header=True)
minimal = json.load(open(folder + "/min/result.json"))
frame = pandas.read_csv(folder + "/csv/items.csv")
lines = pandas.read_json(folder + "/jsonl/items.jsonl", lines=True)
flat = pandas.read_csv(folder + "/flat/result.csv")
print(json.dumps({"min": minimal, "csv": frame[["case", "outcome", "note"]].fillna("").values.tolist(), "jsonl": lines["idempotency_key"].astype(str).tolist(),
                  "flat": flat["answer"].tolist()}))
"""


@pytest.fixture(scope="module")
def written(desk, db, tmp_path_factory):
    """Two orders, one of them decided, in each format."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "orders.yaml").write_text(PROJECT)
    (folder / "orders.csv").write_text(FILE)
    answer(desk, "project", "apply", folder / "orders.yaml", "--customer", "House")
    tried = claimcheck(desk, "import", folder / "orders.csv", "--format", "csv", *MAP, "--project", "Orders", "--dry-run").stdout
    sent = answer(desk, "import", folder / "orders.csv", "--format", "csv", *MAP, "--project", "Orders")
    ada = people.by_name(db, name="Formats Ada") or people.add(db, name="Formats Ada", email="formats@example.org", role="reviewer")
    people.give_skill(db, person_id=ada.id, skill="orders")
    claim = tasks.claim(db, me=ada.id)
    proof = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash, "me": ada.id}
    decisions.submit(db, **proof, verdict="approve", reason_code="due", note="paid, in time")
    for form, out in [("label-studio", "ls"), ("csv", "csv"), ("jsonl", "jsonl")]:
        answer(desk, "export", "--project", "Orders", "--format", form, "--out", folder / out)
    return folder, tried, sent


def test_it_shows_the_first_items_as_text_and_imports_what_it_showed(written):
    _, tried, sent = written
    assert "── 1 · First; with a sign" in tried and "Case: First; with a sign" in tried and "Iban: masked" in tried and "DE1" not in tried
    assert "2 would be accepted, 0 repeated, 0 refused. Nothing was imported." in tried
    assert (sent["accepted"], sent["claimable"], sent["refused"]) == (2, 2, 0)


def test_it_writes_files_that_their_readers_read(written):
    folder, _, _ = written
    with (folder / "csv" / "items.csv").open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert [(r["idempotency_key"], r["case"], r["outcome"], r["holder"]) for r in rows] == [
        ("1", "First; with a sign", "approve", '{"iban":"[masked]"}'), ("2", "Second", "", '{"iban":"[masked]"}'),
    ]  # fmt: skip
    assert [json.loads(line)["outcome"] is None for line in (folder / "jsonl" / "items.jsonl").read_text().splitlines()] == [False, True]
    first, second = json.loads((folder / "ls" / "tasks.json").read_text())
    assert [r["value"] for r in first["annotations"][0]["result"]] == [{"choices": ["approve"]}, {"choices": ["due"]}, {"text": ["paid, in time"]}]
    assert second["annotations"] == [] and "<Choices" in (folder / "ls" / "config.xml").read_text()


def test_it_takes_label_studios_file_in_again(written, desk):
    folder, _, _ = written
    (folder / "again.yaml").write_text(PROJECT.replace("Orders", "Orders again"))
    answer(desk, "project", "apply", folder / "again.yaml", "--customer", "House")
    sent = answer(desk, "import", folder / "ls" / "tasks.json", "--format", "label-studio", "--project", "Orders again", "--no-wait")
    assert (sent["accepted"], sent["refused"]) == (2, 0)


def test_it_says_which_arguments_do_not_fit(written, desk):
    folder, _, _ = written
    assert "--map" in claimcheck(desk, "import", folder / "orders.csv", *MAP, "--project", "Orders", code=2).stderr
    assert (
        "names 'nothing'"
        in claimcheck(desk, "import", folder / "orders.csv", "--format", "csv", "--map", "nothing=x", "--project", "Orders", code=2).stderr
    )
    assert (
        "purpose" in claimcheck(desk, "export", "--project", "Orders", "--format", "csv", "--purpose", "fun", "--out", folder / "no", code=2).stderr
    )
    assert not (folder / "no").exists()


@pytest.mark.skipif("LABEL_STUDIO_PYTHON" not in os.environ, reason="label-studio-sdk is large; docs/importing.md says how to run this")
def test_label_studios_own_converter_and_pandas_open_what_it_writes(written):
    folder, _, _ = written
    done = subprocess.run([os.environ["LABEL_STUDIO_PYTHON"], "-c", READ, folder], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout.splitlines()[-1])
    assert [(one["answer"], one["reason"], one["note"]) for one in read["min"] if "answer" in one] == [("approve", "due", "paid, in time")]
    assert read["csv"] == [["First; with a sign", "approve", "paid, in time"], ["Second", "", ""]]
    assert read["jsonl"] == ["1", "2"] and read["flat"][0] == "approve"
