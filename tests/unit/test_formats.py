"""Files of other tools as rows of intake: the column map, CSV and its faults, Label Studio's tasks, JSONL; and views as text."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck import canonical, errors, rendering, rules
from claimcheck.config import Settings
from claimcheck.embedded import programs
from claimcheck.formats import label_studio, mapping, reading, tables
from claimcheck.rendering import plain


def rows(data: bytes | str, form: str, *pairs: str) -> list[Any]:
    return [*reading.rows(io.BytesIO(data.encode() if isinstance(data, str) else data), form, mapping.read(pairs))]


def wrong(*asked: Any) -> str:
    with pytest.raises(errors.Invalid) as raised:
        rows(*asked)
    return raised.value.detail


def test_it_maps_columns_to_fields_keys_and_nothing() -> None:
    found = rows(
        'no;IBAN;note;internal;prio\r\n7;DE1;"a;b\nc";x;3\r\n', "csv", "no=idempotency_key", "IBAN=holder.iban", "internal=", "prio=priority"
    )
    assert found == [{"idempotency_key": "7", "priority": 3, "payload": {"holder": {"iban": "DE1"}, "note": "a;b\nc"}}]


def test_it_makes_a_key_of_the_content_where_there_is_none() -> None:
    first, second, other = rows("a,b\n1,2\n1,2\n1,3\n", "csv")
    assert first == second and first["idempotency_key"] != other["idempotency_key"] and len(first["idempotency_key"]) == 40


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("", "csv"), "is empty"),
        (("a,,b\n", "csv"), "column 2"),
        (("a,a\n", "csv"), "'a' twice"),
        (("a,b\n1,2\n", "csv", "c=d"), "names 'c', which is not in the file; there are 'a', 'b'"),
        ((b"a\n\xff\n", "csv"), "is not UTF-8"),
        (('a\n"never ends\n', "csv"), "line 2: is no CSV"),
        (("a\n", "csv", "a"), "must be column=field"),
        (("a,b\n", "csv", "a=c", "b=c"), "gives two columns to 'c'"),
        (("a,b\n1,2\n", "csv", "a=c", "b=c.d"), "which has a value of its own"),
        (('{"data": {}}', "label-studio"), "list of tasks"),
        (("[1,", "label-studio"), "is no Label Studio JSON"),
        (("", "excel"), "must be one of label-studio, csv, jsonl"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(asked: tuple[Any, ...], said: str) -> None:
    assert said in wrong(*asked)


def test_it_leaves_a_row_with_other_cells_to_intake_by_name() -> None:
    good, more, less = rows("a,b\n1,2\n1,2,3\n1\n", "csv")
    assert set(good) == {"payload", "idempotency_key"}
    assert "a line of 3 cells under 2 columns" in more and "a line of 1 cells under 2 columns" in less


def test_it_reads_tasks_of_label_studio() -> None:
    tasks = [{"id": 4, "data": {"text": "one", "score": 1.50}, "annotations": [{}]}, {"text": "bare"}, 7]
    first, second, third = rows(json.dumps(tasks).replace("1.5", "1.50"), "label-studio", "text=asked")
    assert (first["idempotency_key"], first["payload"]["asked"], str(first["payload"]["score"])) == ("4", "one", "1.50")
    assert second["payload"] == {"asked": "bare"} and third == 7


def test_it_reads_lines_whole_or_flat_and_leaves_bad_ones_to_intake() -> None:
    whole = {"idempotency_key": "k", "payload": {"a": 1}}
    lines = f'{json.dumps(whole)}\n{{"a": 1, "no": "k2"}}\nno json\n[1]\n'
    assert rows(lines, "jsonl")[0] == whole
    assert rows(lines, "jsonl", "no=idempotency_key")[1:] == [{"idempotency_key": "k2", "payload": {"a": 1}}, b"no json", [1]]


@given(st.binary(max_size=300), st.sampled_from(reading.FORMATS))
def test_it_never_fails_otherwise_whatever_a_file_holds(data: bytes, form: str) -> None:
    with contextlib.suppress(errors.Invalid):
        rows(data, form)


class Item:
    """What `tables` and `label_studio` ask of an item."""

    idempotency_key, item_id, version, files, decided_by_id = "k", 7, 1, ["a.pdf"], 3

    def __init__(self, **outcome: Any):
        self.outcome = {
            "decision_id": 9,
            "outcome": "approve",
            "answer": None,
            "reason_code": "fine",
            "note": "",
            "decided_by": "p-1",
            "decided_at": "2026-11-30T10:00:00+00:00",
        } | outcome

    def decided(self) -> dict[str, Any] | None:
        return self.outcome


@pytest.mark.parametrize("file", [b"a,b\n\0,2\n3,4\n", b"a,\0\n1,2\n"])
def test_it_leaves_what_cannot_be_stored_to_intake(file: bytes) -> None:
    """Which refuses that row by its field; the others go in, and the same row is the same one again."""
    found, again = rows(file, "csv"), rows(file, "csv")
    assert found == again and len({row["idempotency_key"] for row in found}) == len(found)
    with pytest.raises(canonical.InvalidJSON):
        canonical.encode(found[0]["payload"])


def test_it_says_that_a_header_is_too_long_and_not_that_it_is_wrong() -> None:
    with pytest.raises(errors.Invalid, match="first line of more than 64 KiB"):
        rows(b",".join(b"c%d" % n for n in range(20_000)) + b"\n1\n", "csv")


def test_it_writes_tables_that_no_spreadsheet_computes() -> None:
    payload = {"outcome": "=1+1", "amount": -5, "holder": {"iban": "x"}, "none": None}
    header, line = b"".join(tables.written([(Item(), payload)], [*payload])).decode().splitlines()
    assert header.endswith(",files,payload.outcome,amount,holder,none")
    assert line == 'k,7,1,approve,,fine,,p-1,2026-11-30T10:00:00+00:00,9,a.pdf,\'=1+1,-5,"{""iban"":""x""}",'


@pytest.mark.parametrize(
    ("question", "outcome", "kind", "value"),
    [
        ({"ask": "verdict"}, {"outcome": "reject"}, "choices", {"choices": ["reject"]}),
        ({"ask": "grade", "min": 1, "max": 5}, {"outcome": "answer", "answer": 4}, "number", {"number": 4}),
        ({"ask": "choices", "options": ["a", "b"]}, {"outcome": "answer", "answer": ["a", "b"]}, "choices", {"choices": ["a", "b"]}),
        ({"ask": "preference"}, {"outcome": "answer", "answer": "tie"}, "choices", {"choices": ["tie"]}),
    ],
)
def test_it_writes_outcomes_as_annotations_of_its_own_configuration(question: Any, outcome: Any, kind: str, value: Any) -> None:
    given_rules = rules.parse({"name": "x", "skill": "x", "reason_codes": ["fine"], "question": question})
    [task] = json.loads(b"".join(label_studio.written([(Item(**outcome, note="why"), {"a": '<&"'})], given_rules, ["a"])))
    answer, reason, note = task["annotations"][0]["result"]
    assert (answer["type"], answer["value"], reason["value"], note["value"]) == (kind, value, {"choices": ["fine"]}, {"text": ["why"]})
    config = label_studio.config(given_rules, ["a"])
    assert f'name="{answer["from_name"]}"' in config and f'name="{answer["to_name"]}" value="$a"' in config


def test_it_shows_an_item_as_text() -> None:
    fields = {"name": "Ada", "iban": "DE1", "lines": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "deep": {"er": ["one", "two"]}}
    data = {0: json.dumps(fields).encode(), 1: b"a,b\n1,2\n", 2: b"secret"}
    parts = [
        rendering.Part(0, "payload.json", "application/json", len(data[0])),
        rendering.Part(1, "t.csv", "text/csv", 8),
        rendering.Part(2, "s.txt", "text/plain", 6),
    ]
    shown = [*plain.lines(rendering.show(parts, lambda part, limit: data[part.n][:limit], rendering.Rules.of(masked=["iban", "s.txt", "deep.er"])))]
    assert shown == [
        "Name: Ada", "Iban: masked", "Lines:", "  A | B", "  1 | x", "  2 | y", "Deep:", "  Er: masked",
        "[t.csv, 8 bytes]", "  a | b", "  1 | 2", "[s.txt, 6 bytes: masked]",
    ]  # fmt: skip


def test_it_gives_the_intake_process_what_a_watched_folder_needs(tmp_path: Path) -> None:
    settings = Settings.model_validate({"s3_access_key": "a" * 20, "s3_secret_key": "kept by the tests alone", "s3_endpoint": "http://127.0.0.1:1", "secret_key": "tests tests only: 7c1f0e5ab94d2368"})
    [intake] = [program for program in programs.all_of(settings, tmp_path) if program.name == "intake"]
    assert intake.environ and intake.environ["S3_SECRET_KEY"] == "kept by the tests alone" and "SECRET_KEY" not in intake.environ
