"""`simulate`: a made-up crowd through a throw-away desk, each time as a process of its own."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIELDS = {"accuracy", "answers_per_item", "paid", "undecided", "seed"}
ABLE = [0.95] * 5 + [0.8] * 4 + [0.6] * 3
WORKERS = [f"worker {n}" for n in range(len(ABLE))]
ITEMS = [f"item {n}" for n in range(60)]
RIGHT = {item: "cat" if n % 3 else "dog" for n, item in enumerate(ITEMS)}


def crowd(seen: int = 5) -> list[tuple[str, str, str]]:
    """Each item's labels by so many of the workers, who are right as often as ABLE says."""
    dice = random.Random(5)
    rows = []
    for item in ITEMS:
        for n in dice.sample(range(len(ABLE)), seen):
            right = dice.random() < ABLE[n]
            rows.append((WORKERS[n], item, RIGHT[item] if right else {"cat": "dog", "dog": "cat"}[RIGHT[item]]))
    return rows


def write(path: Path, head: str, rows) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{head}\n")
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def files(tmp_path):
    labels = write(tmp_path / "labels.csv", "worker,item,label", crowd())
    return labels, write(tmp_path / "gold.csv", "item,gold", [(i, f"{g}|puppy" if g == "dog" else g) for i, g in RIGHT.items()])


def command(files, *arguments):
    labels, gold = files
    return [sys.executable, "-m", "claimcheck.cli", "simulate", "--labels", str(labels), "--gold", str(gold), *map(str, arguments)]


def simulate(files, *arguments, code=0):
    done = subprocess.run(command(files, *arguments), cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr and '"event"' not in done.stdout + done.stderr
    return done


def played(files, *arguments):
    return json.loads(simulate(files, *arguments).stdout)  # one line, and nothing else


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_gives_one_line_and_the_same_one_for_a_seed(files, tmp_path):
    found = played(files, "--adaptive", "--seed", 7, "--results", tmp_path / "one.csv", "--json")
    assert found.keys() == FIELDS and found["seed"] == 7
    assert 0.7 < found["accuracy"] <= 1 and 2 <= found["answers_per_item"] < 5 + 20 * 5 / 40
    assert played(files, "--seed", 7, "--results", tmp_path / "two.csv") == found  # adaptive is what it is where nothing is said
    assert read(tmp_path / "one.csv") == read(tmp_path / "two.csv")


def test_it_writes_each_item_once_and_pays_each_answer(files, tmp_path):
    found = played(files, "--looks", 3, "--seed", 1, "--results", tmp_path / "r.csv")
    rows = read(tmp_path / "r.csv")
    assert [*rows[0]] == ["item", "label", "answers", "used_as_gold"]
    assert sorted(r["item"] for r in rows) == sorted(ITEMS)
    golds, rest = [r for r in rows if r["used_as_gold"] == "true"], [r for r in rows if r["used_as_gold"] == "false"]
    assert (len(golds), len(rest)) == (20, 40)
    paid_for_gold = found["paid"] - sum(int(r["answers"]) for r in rest)
    assert 0 < paid_for_gold <= 5 * len(golds)
    assert found["answers_per_item"] == pytest.approx(found["paid"] / len(rest))
    assert found["accuracy"] == pytest.approx(sum(r["label"] == RIGHT[r["item"]] for r in rest) / len(rest))


def test_it_settles_fixed_looks_by_majority(files, tmp_path):
    """Five looks an item are all that there are, so that each item's are known."""
    played(files, "--looks", 5, "--seed", 2, "--results", tmp_path / "r.csv")
    given = defaultdict(Counter)
    for _, item, label in crowd():
        given[item][label] += 1
    whole = [r for r in read(tmp_path / "r.csv") if r["used_as_gold"] == "false" and r["answers"] == "5"]
    assert len(whole) > 10
    assert {r["item"]: r["label"] for r in whole} == {r["item"]: given[r["item"]].most_common(1)[0][0] for r in whole}


def test_it_takes_the_later_of_two_labels(files, tmp_path):
    labels, _ = files
    wrong = [(worker, item, "puppy") for worker, item, _ in crowd()]
    write(labels, "worker,seconds,item,label", [(w, n, i, label) for n, (w, i, label) in enumerate(wrong + crowd())])
    found = played(files, "--looks", 3, "--seed", 1, "--results", tmp_path / "r.csv")
    assert found["accuracy"] > 0.7
    assert {r["label"] for r in read(tmp_path / "r.csv") if r["used_as_gold"] == "false"} == {"cat", "dog"}


def test_it_leaves_nothing_behind_when_stopped(files, tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM):
        environ = {"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        tmp_path.chmod(0o755)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has it ignored, and its children after it
        with subprocess.Popen(command(files), cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as play:
            assert play.stderr
            while "throw-away" not in play.stderr.readline():
                assert play.poll() is None
            time.sleep(2)
            play.send_signal(number)
            out, err = play.communicate(timeout=60)
        assert (play.returncode, out) == (130, "") and "Traceback" not in err
        assert not [*tmp_path.glob("claimcheck-*")]


@pytest.mark.parametrize(
    ("labels", "gold", "said"),
    [
        ("worker,item\na,1\n", "item,gold\n1,x\n", "labels.csv: line 1: has no column 'label'"),
        ("worker,item,label\na,1,x\nb,1,y\n", "item,relation\n1,x\n", "gold.csv: line 1: has no column 'gold'"),
        ("", "item,gold\n1,x\n", "labels.csv: is empty"),
        ("worker,item,label\n", "item,gold\n1,x\n", "labels.csv: line 2: is missing"),
        ("worker,item,label\na,1,x\nb,1\n", "item,gold\n1,x\n", "labels.csv: line 3: label"),
        ("worker,item,label\na,1,x\nb,1,y\n", "item,gold\n2,x\n", "gold.csv: names none of the items"),
        ("worker,item,label\na,1,x\nb,1,y\n", "item,gold\n1,x|\n", "gold.csv: item 1: gold 'x|' names an empty label"),
        ("worker,item,label\na,1,x\nb,1,x\n", "item,gold\n1,x\n", "1 different labels"),
        ("worker,item,label\n" + "".join(f"a,{n},l{n}\n" for n in range(101)), "item,gold\n1,l1\n", "101 different labels"),
        ("worker,item,label\na,1,\udcff\n", "item,gold\n1,x\n", "labels.csv: is no CSV in UTF-8"),
    ],
)
def test_it_names_what_is_wrong_with_a_file(tmp_path, labels, gold, said):
    (tmp_path / "labels.csv").write_text(labels, encoding="utf-8", errors="surrogateescape")
    (tmp_path / "gold.csv").write_text(gold, encoding="utf-8")
    done = simulate((tmp_path / "labels.csv", tmp_path / "gold.csv"), code=2)
    assert said in done.stderr and not done.stdout


def test_it_names_a_file_that_is_not_there(files, tmp_path):
    assert "none.csv: cannot be read" in simulate((files[0], tmp_path / "none.csv"), code=2).stderr
    assert "looks" in simulate(files, "--looks", 0, code=2).stderr
    assert "no/where.csv" in simulate(files, "--results", tmp_path / "no" / "where.csv", code=2).stderr
