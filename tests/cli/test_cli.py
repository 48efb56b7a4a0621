"""The command line on real servers: each command as a process of its own, its answer alone on standard output."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claimcheck import evidence
from claimcheck.access import people
from claimcheck.control import guidance
from claimcheck.db import Database
from claimcheck.intake import batches
from claimcheck.outbound import receiver, webhook
from claimcheck.proof import exports, keys
from claimcheck.review import assignments, decisions, tasks
from tests.people import cast, settings

ROOT = Path(__file__).parents[2]
PROJECT = "name: Papers\nskill: papers\nquestion: Is it complete?\nreason_codes: [complete, torn]\n"


@pytest.fixture(scope="module")
def desk(make_database, store_server, valkey, tmp_path_factory):
    """The variables of a desk on servers of one's own, which every command here works with."""
    database = make_database()
    variables = (
        settings(database, store_server, valkey)
        .model_copy(update={"database_url": database.owner, "home": tmp_path_factory.mktemp("home")})
        .environ()
    )
    return {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")} | variables


@pytest.fixture(scope="module")
def db(desk):
    db = Database(desk["DATABASE_URL_WEB"])
    yield db
    db.close()


def claimcheck(desk, *arguments, code=0, stdin=""):
    done = subprocess.run(
        [sys.executable, "-m", "claimcheck.cli", *map(str, arguments)], cwd=ROOT, env=desk, input=stdin, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def answer(desk, *arguments, **options):
    return json.loads(claimcheck(desk, *arguments, "--json", **options).stdout)


def test_it_prints_a_token_alone_and_makes_account_and_skill(desk, db):
    token = claimcheck(desk, "token", "new", "robot", "--role", "reviewer", "--skill", "papers").stdout
    assert len(token.strip()) >= 32 and token.count("\n") == 1
    person = people.by_name(db, name="robot")
    assert person.program and [s.name for s in people.skills(db, person_id=person.id)] == ["papers"]


def test_it_adds_people_and_names_what_is_wrong(desk, db):
    link = answer(desk, "user", "add", "ada@example.org", "--role", "reviewer", "--skill", "papers", "--name", "Ada")["link"]
    assert "/password/" in link
    said = claimcheck(desk, "user", "add", "ada@example.org", "--role", "reviewer", "--name", "Other", code=2).stderr
    assert "taken" in said
    assert "email" in claimcheck(desk, "user", "add", "nonsense", "--role", "lead", code=2).stderr
    assert people.by_name(db, name="Other") is None


def test_it_takes_a_password_from_standard_input(desk):
    claimcheck(desk, "user", "add", "chi@example.org", "--role", "lead", "--name", "Chi", "--password-stdin", stdin="correct horse battery\n")
    said = claimcheck(
        desk, "user", "add", "dov@example.org", "--role", "operator", "--name", "Dov", "--password-stdin", stdin="short\n", code=2
    ).stderr
    assert "password" in said


def test_it_opens_a_project_once_and_changes_its_rules(desk, db, tmp_path):
    file = tmp_path / "papers.yaml"
    file.write_text(PROJECT)
    first = answer(desk, "project", "apply", file)
    assert first["version"] == 1 and answer(desk, "project", "apply", file) == first
    file.write_text(PROJECT.replace("torn", "torn, stained"))
    assert "version 2. Changed by it: reason_codes;" in claimcheck(desk, "project", "apply", file, "--why", "stains").stdout
    lead = people.add(db, name="Ben, who leads", role="lead", email="leads@example.org")
    guidance.write(db, project_id=first["id"], text="Look twice.", why="torn ones slip through", after=1, me=lead.id)
    refused = claimcheck(desk, "project", "apply", file, code=2).stderr
    assert "takes back what others changed: guidance (version 3, Ben, who leads)" in refused and "--why" in refused
    file.write_text(PROJECT.replace("torn", "torn, stained") + "guidance: Look twice.\n")
    assert answer(desk, "project", "apply", file)["version"] == 3
    file.write_text(PROJECT.replace("torn", "torn, stained"))
    assert answer(desk, "project", "apply", file, "--why", "once is enough")["version"] == 4
    file.write_text(PROJECT + "wanted: none\n")
    assert "wanted" in claimcheck(desk, "project", "apply", file, code=2).stderr
    assert [p["name"] for p in answer(desk, "project", "list")["projects"]] == ["Papers"]
    answer(desk, "user", "add", "fay@example.org", "--role", "customer", "--customer", "Southwind")
    file.write_text(PROJECT)
    assert "--customer" in claimcheck(desk, "project", "apply", file, code=2).stderr


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "large.bin").write_bytes(os.urandom(700_000))
    (folder / "a.txt").write_text("one\n")
    (folder / "b c.csv").write_text("x,y\n1,2\n")
    (folder / "manifest.csv").write_text("idempotency_key,files,partition_key,kind\nfirst,a.txt;b c.csv,p,letter\nsecond,large.bin,p,blob\n")
    return folder


def decide_all(db, me):
    """Looks at everything there is, and the receipts' numbers."""
    found = []
    while claim := tasks.claim(db, me=me):
        held = assignments.load(db, assignment_id=claim.assignment_id, me=me)
        fence = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "me": me}
        found.append(decisions.submit(db, **fence, evidence_hash=held.evidence_hash, verdict="approve", reason_code="complete"))
    return found


def test_it_gives_back_every_byte(desk, db, tmp_path):
    folder = folder_of(tmp_path)
    sent = answer(desk, "import", folder, "--project", "Papers")
    assert (sent["accepted"], sent["claimable"], sent["refused"]) == (2, 2, 0)
    assert answer(desk, "import", folder, "--project", "Papers")["repeated"] >= 1, "the same folder again is a repeat"
    ada = people.by_name(db, name="Ada")
    made = decide_all(db, ada.id)
    assert len(made) == 2
    out = tmp_path / "out"
    facts = answer(desk, "export", "--project", "Papers", "--out", out)
    assert (facts["items"], facts["outcomes"]) == (2, 2)
    listed = [json.loads(line) for line in (out / "items.jsonl").read_text().splitlines()]
    for name in ("a.txt", "b c.csv", "large.bin"):
        [part] = [p for row in listed for p in row["parts"] if p["name"] == name]
        assert (out / part["path"]).read_bytes() == (folder / name).read_bytes()
        assert part["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    reads = db.all("evidence/export", exports.Part, project_id=1, me=0, reveal=[], for_purpose="", after=0, limit=1)
    assert reads, "the export's statement is the one that puts its reading on record"


def test_it_refuses_to_write_into_a_folder_that_holds_something(desk, tmp_path):
    (tmp_path / "there").write_text("mine")
    assert "empty folder" in claimcheck(desk, "export", "--project", "Papers", "--out", tmp_path, code=2).stderr
    assert (tmp_path / "there").read_text() == "mine"


def test_it_verifies_a_receipt_with_nothing_but_files(desk, tmp_path):
    out = tmp_path / "out"
    answer(desk, "export", "--project", "Papers", "--out", out)
    receipt = min((out / "receipts").iterdir())
    item = json.loads(receipt.read_text())["item_id"]
    [key] = (out / "keys").iterdir()
    payload = out / "items" / str(item) / "v1"
    bare = {name: value for name, value in desk.items() if not name.startswith(("DATABASE", "S3", "REDIS"))}
    good = ["verify", receipt, "--payload", payload, "--key", key]
    assert "genuine" in claimcheck(bare, *good).stdout
    part = next(payload.iterdir())
    part.write_bytes(part.read_bytes() + b"!")
    assert part.name in claimcheck(bare, *good, code=1).stdout
    part.write_bytes(part.read_bytes()[:-1])
    receipt.write_bytes(receipt.read_bytes().replace(b'"approve"', b'"reject"'))
    assert "NOT genuine" in claimcheck(bare, *good, code=1).stdout


def test_it_writes_a_dataset_and_verifies_it_with_nothing_but_files(desk, db, tmp_path):
    out, key = tmp_path / "v1", tmp_path / "desk.pem"
    made = answer(desk, "dataset", "--project", "Papers", "--out", out)
    key.write_text(keys.all(db)[0].public_key)
    bare = {name: value for name, value in desk.items() if not name.startswith(("DATABASE", "S3", "REDIS"))}
    assert made["rows"] >= 1 and "genuine" in claimcheck(bare, "verify", out, "--key", key).stdout
    assert "genuine" in claimcheck(bare, "verify", out / "manifest.json", "--key", key).stdout
    assert answer(desk, "dataset", "--project", "Papers", "--version", made["version"], "--out", tmp_path / "again")["manifest_sha256"] == made["manifest_sha256"]
    (out / "data.csv").write_bytes(b"")
    assert "file changed: 'data.csv'" in claimcheck(bare, "verify", out, "--key", key, code=1).stdout
    assert "version 99 of Papers was not delivered" in claimcheck(desk, "dataset", "--project", "Papers", "--version", 99, "--out", tmp_path / "no", code=2).stderr


def test_it_verifies_a_decision_against_the_desk(desk):
    assert "genuine" in claimcheck(desk, "verify", "1").stdout
    for number in ("999999", "9" * 30):
        assert claimcheck(desk, "verify", number, code=2).stderr == f"claimcheck: there is no decision {number}\n"
    assert "there is no decision" not in claimcheck(desk, "verify", "٥", code=2).stderr, "digits that nobody here types are no number of a decision"


def test_it_says_in_words_what_is_no_receipt(desk, tmp_path):
    (tmp_path / "key.pem").write_bytes(b"no key")
    for content in (b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"decision_id": 1}', b"[" * 100_000):
        (tmp_path / "receipt.json").write_bytes(content)
        said = claimcheck(desk, "verify", tmp_path / "receipt.json", "--key", tmp_path / "key.pem", code=1)
        assert "NOT genuine" in said.stdout and "WRONG: " in said.stdout and not said.stderr, said


def test_it_keeps_bad_rows_and_takes_the_good_ones(desk, db, tmp_path):
    rows = tmp_path / "rows.jsonl"
    good, bad = (
        {"idempotency_key": "good", "payload": {"text": "fine"}},
        {"idempotency_key": "bad", "payload": {"files": [{"name": "x.pdf", "content_type": "application/pdf", "base64": "eA=="}]}},
    )
    rows.write_bytes(json.dumps(good).encode() + b"\n" + json.dumps(bad).encode() + b'\n{"idempotency_key": \n\xff\xfe\n')
    done = claimcheck(desk, "import", rows, "--project", "Papers", "--json", code=1)
    facts = json.loads(done.stdout)
    assert (facts["accepted"], facts["refused"]) == (1, 3)
    assert "bad" in done.stderr
    batch = batches.load(db, batch_id=facts["batch_id"], person=people.by_name(db, name="system"))
    assert (batch.claimable, batch.refused) == (1, 3)


def test_it_names_a_file_that_is_not_there(desk, tmp_path):
    folder = folder_of(tmp_path)
    (folder / "manifest.csv").write_text("files,kind\n../../etc/passwd,letter\n")
    assert "is not a file in" in claimcheck(desk, "import", folder, "--project", "Papers", code=2).stderr
    assert "no project" in claimcheck(desk, "import", folder, "--project", "Nothing", code=2).stderr


@pytest.mark.parametrize(
    "arguments",
    [["import", "gone.jsonl", "--project", "Papers"], ["project", "apply", "gone.jsonl"], ["verify", "gone.jsonl", "--key", "gone.jsonl"]],
)
def test_it_says_in_words_which_file_cannot_be_opened(desk, arguments):
    assert claimcheck(desk, *arguments, code=2).stderr == "claimcheck: gone.jsonl: no such file or directory\n"


def test_it_names_each_wrong_field_of_a_project_once_and_in_order(desk, tmp_path):
    (tmp_path / "wrong.yaml").write_text("name: X\nskil: papers\nreason_codes: [fine]\nwanted: many\n")
    said = claimcheck(desk, "project", "apply", tmp_path / "wrong.yaml", code=2).stderr.splitlines()
    assert sorted(line.split(":")[1].strip() for line in said) == ["skil", "skill", "wanted"]


def test_it_names_the_row_and_the_field_that_it_refuses(desk, tmp_path):
    (tmp_path / "rows.jsonl").write_text(
        '{"idempotency_key": "row", "payload": {"text": "fine"}}\n{"payload": {}}\n{"idempotency_key": "odd", "payload": "text"}\n'
    )
    said = claimcheck(desk, "import", tmp_path / "rows.jsonl", "--project", "Papers", code=1).stderr
    assert "refused: (no key): line 2: idempotency_key is required" in said
    assert "refused: odd: line 3: payload must be" in said


def test_it_counts_lines_as_an_editor_does(desk, tmp_path):
    (tmp_path / "rows.jsonl").write_text('\n\n{"payload": {}}\n\n{"idempotency_key": "torn", \n{"payload": {}}\n')
    said = claimcheck(desk, "import", tmp_path / "rows.jsonl", "--project", "Papers", code=1).stderr.splitlines()
    assert [line.partition(": line ")[2].partition(":")[0] for line in said if line.startswith("refused")] == ["3", "5", "6"]
    rows = "\n".join(['{"payload": {}}', *["   "] * 3, '{"payload": {}}'])
    said = claimcheck(desk, "import", "-", "--project", "Papers", code=1, stdin=rows).stderr.splitlines()
    assert [line.partition(": line ")[2].partition(":")[0] for line in said if line.startswith("refused")] == ["1", "5"]


def test_it_counts_rows_of_a_manifest(desk, tmp_path):
    (tmp_path / "manifest.csv").write_text("idempotency_key,kind\nrow-of-manifest,letter\n,letter\n")
    said = claimcheck(desk, "import", tmp_path, "--project", "Papers", code=1).stderr
    assert "refused: (no key): row 2: idempotency_key is required" in said


def test_it_finds_nothing_where_nothing_is_and_opens_no_batch_for_it(desk, db, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "blank.jsonl").write_text("\n  \n")
    (tmp_path / "manifest.csv").write_text("idempotency_key,kind\n")
    last = answer(desk, "import", "-", "--project", "Papers", stdin='{"idempotency_key": "a batch to count from", "payload": {"a": 1}}')["batch_id"]
    for source, words in (
        ("folder", "no file is in it"),
        ("blank.jsonl", "it has no line"),
        ("gone.jsonl", "no such file"),
        (".", "manifest.csv: nothing to import: it has no row"),
    ):
        said = claimcheck(desk, "import", tmp_path / source, "--project", "Papers", code=2).stderr
        assert words in said, said
    assert "standard input" in claimcheck(desk, "import", "-", "--project", "Papers", code=2).stderr
    more = answer(desk, "import", "-", "--project", "Papers", stdin='{"idempotency_key": "a batch to count to", "payload": {"a": 1}}')["batch_id"]
    assert more == last + 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [([], "--secret"), (["--secret", "hello"], "--secret"), (["--secret", "whsec_" + "A" * 43 + "=", "--fail-rate", "3"], "--fail-rate")],
)
def test_it_refuses_to_receive_what_it_could_not_verify(desk, arguments, named):
    assert f"claimcheck: {named}: " in claimcheck(desk, "receive", *arguments, code=2).stderr


def test_it_says_that_the_port_or_the_log_is_taken(desk, tmp_path):
    secret = webhook.new_secret()
    running = receiver.start(secret=secret, log=tmp_path / "taken.jsonl")
    try:
        for log, named in (("free.jsonl", "--port"), ("taken.jsonl", "--log")):
            said = claimcheck(desk, "receive", "--secret", secret, "--port", running.server_port, "--log", tmp_path / log, code=2).stderr
            assert said.startswith(f"claimcheck: {named}: ")
    finally:
        running.close()


def test_it_lists_and_rotates_keys_and_old_receipts_stay_good(desk):
    before = answer(desk, "key", "list")["keys"]
    made = answer(desk, "key", "rotate")["id"]
    assert [key["id"] for key in answer(desk, "key", "list")["keys"]] == [made, *(key["id"] for key in before)]
    assert "genuine" in claimcheck(desk, "verify", "1").stdout


def test_it_lists_licences(desk):
    said = claimcheck(desk, "licences").stdout
    assert "psycopg" in said and "LGPL" in said


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["token", "new"], ["import", "x"]])
def test_it_refuses_a_call_that_is_off(desk, arguments):
    assert "usage" in claimcheck(desk, *arguments, code=2).stderr


def test_the_cast_is_the_same_everywhere(db):
    assert cast(db).ada.role == "reviewer"
    assert evidence.parts(db, item_id=1, version=1)
