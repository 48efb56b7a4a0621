"""Items through the API: streams, batches, files sent ahead, new evidence, and what was refused."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from flask import Flask

from claimcheck import items
from claimcheck.access import people
from claimcheck.db import Database
from tests.people import Cast
from tests.web.api_client import Api, proof

NAMES = (f"Intake {n}" for n in count())
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


@pytest.fixture
def project(app: Flask, cast: Cast) -> str:
    """An empty project of Eve's; its address."""
    name = next(NAMES)
    made = Api(app, cast.eve).post("/v1/projects", {"name": name, "skill": "kyc", "reason_codes": ["fits"]})
    return f"/v1/projects/{made.json['id']}"


def row(key: str, **payload: Any) -> dict[str, Any]:
    return {"idempotency_key": key, "payload": payload or {"name": "Ada"}}


def streamed(api: Api, project: str, lines: Iterator[bytes] | list[bytes]) -> Any:
    return api.post(f"{project}/items", data=b"".join(lines), content_type="application/x-ndjson")


def test_it_takes_the_good_rows_and_lists_the_bad_ones(app: Flask, cast: Cast, project: str, publish: Callable[[], int]) -> None:
    eve = Api(app, cast.eve)
    bad = [{"idempotency_key": "no payload"}, {**row("odd"), "colour": "red"}, row("a", name="somebody else"), 7]
    sent = eve.post(f"{project}/items", {"items": [row("a"), row("b"), row("a"), *bad]})
    assert sent.status_code == 202
    batch = eve.get(sent.json["status_url"]).json
    assert (batch["accepted"], batch["repeated"], batch["claimable"], batch["refused_count"]) == (2, 1, 0, 4)
    assert [(r["idempotency_key"], r["code"], r["field"]) for r in batch["refused"]] == [
        ("no payload", "INVALID_ROW", "items[3].payload"),
        ("odd", "INVALID_ROW", "items[4].colour"),
        ("a", "DUPLICATE_KEY", "items[5].idempotency_key"),
        (None, "INVALID_ROW", "items[6]"),
    ]
    publish()
    assert eve.get(sent.json["status_url"]).json["claimable"] == 2
    assert batch["closed_at"]


def test_it_takes_a_stream_of_any_length_and_broken_lines_in_it(app: Flask, cast: Cast, project: str) -> None:
    eve = Api(app, cast.eve)
    good = [json.dumps(row(f"s-{n}")).encode() + b"\n" for n in range(1200)]
    broken = [
        b"{\n",
        b"\xff\xfe\n",
        b'{"idempotency_key": "x", "idempotency_key": "y"}\n',
        b"\n",
        b"[" * 10_000 + b"\n",
        b'{"a": "\\u0000"}',
    ]
    sent = streamed(eve, project, [*good[:700], *broken[:-1], *good[700:], broken[-1]])
    assert sent.status_code == 202
    batch = eve.get(sent.json["status_url"]).json
    assert (batch["accepted"], batch["refused_count"]) == (1200, 5)
    assert {r["code"] for r in batch["refused"]} == {"INVALID_JSON"}
    again = eve.get(streamed(eve, project, iter(good)).json["status_url"]).json
    assert (again["accepted"], again["repeated"]) == (0, 1200)


def test_it_takes_a_stream_that_is_longer_than_any_body(app: Flask, cast: Cast, project: str) -> None:
    """More than a JSON body may have, in chunks whose number nobody knows."""
    long = b'{"idempotency_key": "%d", "payload": {"text": "' + b"x" * 600_000 + b'"}}\n'
    stream = io.BufferedReader(io.BytesIO(b"".join(long % n for n in range(60))))
    given = {"input_stream": stream, "content_type": "application/x-ndjson", "environ_overrides": {"wsgi.input_terminated": True}}
    sent = Api(app, cast.eve).post(f"{project}/items", **given)
    assert sent.status_code == 202
    assert Api(app, cast.eve).get(sent.json["status_url"]).json["accepted"] == 60


@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson"])
@pytest.mark.parametrize("terminated", [True, False], ids=["a server that knows the end", "one that doesn't"])
def test_it_takes_no_body_for_whole_that_was_cut(app: Flask, cast: Cast, project: str, kind: str, terminated: bool) -> None:
    body = b'{"items": []}' if kind == "application/json" else json.dumps(row("cut-1")).encode() + b'\n{"idempotency_key": "cut-2", "pay'
    length = {"CONTENT_LENGTH": str(len(body) + 100), "wsgi.input_terminated": terminated}
    cut = Api(app, cast.eve).post(f"{project}/items", data=body, content_type=kind, environ_overrides=length)
    assert (cut.status_code, cut.json["code"]) == (400, "BAD_REQUEST")
    assert "cut short" in cut.json["detail"]
    number = int(project.rsplit("/", 1)[1])
    assert Api(app, cast.eve).get(f"/v1/dead-letters?project_id={number}").json["dead_letters"] == [], "half a line is no bad line"


def test_it_finds_an_item_by_its_key(app: Flask, cast: Cast, project: str) -> None:
    eve = Api(app, cast.eve)
    eve.post(f"{project}/items", {"items": [{**row("k 1/2&3"), "trace_id": "t-1", "priority": 3}]})
    found = eve.get(f"{project}/items?idempotency_key=k%201/2%263").json
    assert (found["idempotency_key"], found["trace_id"], found["priority"], found["state"]) == ("k 1/2&3", "t-1", 3, "not_durable")
    assert eve.get(f"/v1/items/{found['id']}").json == found
    assert eve.get(f"{project}/items?idempotency_key=other").status_code == 404
    assert eve.get(f"{project}/items").status_code == 400


def test_it_asks_senders_to_wait_while_too_much_is_spooled(app: Flask, cast: Cast, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "SPOOL_PARTS", -1)
    full = Api(app, cast.eve).post(f"{project}/items", {"items": [row("a")]})
    assert (full.status_code, full.json["code"]) == (429, "QUEUE_SATURATED")
    assert int(full.headers["Retry-After"]) > 0


def test_it_keeps_what_it_refused_for_its_sender_and_the_operator(app: Flask, cast: Cast, project: str, db: Database) -> None:
    eve, number = Api(app, cast.eve), int(project.rsplit("/", 1)[1])
    eve.post(f"{project}/items", {"items": [{"idempotency_key": f"bad-{n}", "payload": "secret stuff"} for n in range(3)]})
    southwind = people.add(db, name=f"Southwind's {number}", role="customer", customer="Southwind", program=True)
    for person in (cast.eve, cast.dov):
        page = Api(app, person).get(f"/v1/dead-letters?project_id={number}&limit=2")
        assert [d["idempotency_key"] for d in page.json["dead_letters"]] == ["bad-0", "bad-1"]
        assert "secret stuff" not in page.text
        rest = Api(app, person).get(page.json["next"]).json
        assert [d["idempotency_key"] for d in rest["dead_letters"]] == ["bad-2"]
        assert rest["next"] is None
    assert Api(app, southwind).get(f"/v1/dead-letters?project_id={number}").status_code == 404
    assert Api(app, southwind).get("/v1/dead-letters").json["dead_letters"] == []


# Files


def upload(api: Api, data: bytes, name: str = "scan.png", kind: str = "image/png", part: str = "file", **more: Any) -> Any:
    return api.post("/v1/uploads", data={part: (io.BytesIO(data), name, kind), **more}, content_type="multipart/form-data")


def test_it_takes_a_file_ahead_and_gives_every_byte_back(app: Flask, cast: Cast, project: str, publish: Callable[[], int]) -> None:
    eve = Api(app, cast.eve)
    sent = upload(eve, PNG)
    assert (sent.status_code, sent.json["size"]) == (201, len(PNG))
    files = [
        {"name": "front.png", "content_type": "image/png", "upload": sent.json["upload"]},
        {"name": "answer.json", "content_type": "application/json", "base64": base64.b64encode(b'{"ok": true}').decode()},
    ]
    eve.post(f"{project}/items", {"items": [row("with files", name="Ada", files=files)]})
    publish()
    item = eve.get(f"{project}/items?idempotency_key=with files").json
    parts = {p["name"]: eve.get(p["url"]) for p in item["versions"][0]["parts"]}
    assert (parts["front.png"].data, parts["answer.json"].data) == (PNG, b'{"ok": true}')
    assert parts["payload.json"].json == {"name": "Ada"}
    assert parts["front.png"].content_type == "image/png"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"data": b""}, 422),
        ({"data": PNG, "part": "picture"}, 422),
        ({"data": PNG, "name": ""}, 422),
        ({"data": PNG, "name": "../../etc/passwd"}, 422),
        ({"data": PNG, "comment": "hello"}, 422),
        ({"data": b"PK\x03\x04 not a pdf at all", "name": "a.pdf", "kind": "application/pdf"}, 422),
    ],
    ids=["empty", "another part", "no name", "a path", "a field beside it", "a zip posing as a PDF"],
)
def test_it_refuses_files_that_are_none(app: Flask, cast: Cast, given: dict[str, Any], status: int) -> None:
    assert upload(Api(app, cast.eve), **given).status_code == status


def test_it_takes_files_as_multipart_alone(app: Flask, cast: Cast) -> None:
    for kind in ("application/json", "application/octet-stream", "application/x-www-form-urlencoded"):
        assert Api(app, cast.eve).post("/v1/uploads", data=b"x", content_type=kind).status_code == 415


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Werkzeug leaves the file of a cut form to the collector
def test_it_refuses_a_file_that_was_cut(app: Flask, cast: Cast) -> None:
    cut = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello'
    assert Api(app, cast.eve).post("/v1/uploads", data=cut, content_type="multipart/form-data; boundary=x").status_code in (400, 422)


# New evidence


def test_it_tells_a_holder_that_the_evidence_changed_and_says_so_in_the_results(
    app: Flask, cast: Cast, project: str, publish: Callable[[], int]
) -> None:
    eve, ada = Api(app, cast.eve), Api(app, cast.ada)
    eve.post(f"{project}/items", {"items": [row("v", name="first")]})
    publish()
    item = eve.get(f"{project}/items?idempotency_key=v").json["id"]
    task = ada.post("/v1/tasks/next", {"item_id": item}).json
    put = eve.put(f"/v1/items/{item}/payload", {"payload": {"name": "second"}})
    assert (put.status_code, put.json["evidence_version"]) == (202, 2)
    publish()
    submit = f"/v1/assignments/{task['assignment_id']}/submit"
    stale = ada.post(submit, {**proof(task), "verdict": "approve", "reason_code": "fits"})
    assert (stale.status_code, stale.json["code"]) == (409, "EVIDENCE_CHANGED")
    fresh = ada.post("/v1/tasks/next").json
    assert fresh["lease_token"] == task["lease_token"], "the lease stays"
    assert ada.get(fresh["payload_url"]).json == {"name": "second"}
    decision = ada.post(submit, {**proof(fresh), "verdict": "approve", "reason_code": "fits"}).json["decision_id"]

    eve.put(f"/v1/items/{item}/payload", {"payload": {"name": "third"}})
    publish()
    [result] = eve.get(f"{project}/results").json["results"]
    assert (result["evidence_changed"], result["evidence_version"], result["current_evidence_version"]) == (True, 2, 3)
    assert result["evidence_hash"] == fresh["evidence_hash"] != result["current_evidence_hash"]
    assert eve.get(f"/v1/decisions/{decision}").json["evidence_changed"] is True
    shown = eve.get(f"/v1/items/{item}").json
    assert [v["version"] for v in shown["versions"]] == [3, 2, 1]
    assert shown["outcome"]["evidence_changed"] is True


@pytest.mark.parametrize("payload", [None, "text", {"files": 3}, {"a": 1, "files": [{"name": "x"}]}], ids=str)
def test_it_refuses_a_payload_that_is_none(app: Flask, cast: Cast, project: str, payload: Any) -> None:
    eve = Api(app, cast.eve)
    eve.post(f"{project}/items", {"items": [row("p")]})
    item = eve.get(f"{project}/items?idempotency_key=p").json
    answer = eve.put(f"/v1/items/{item['id']}/payload", {"payload": payload})
    assert answer.status_code == 422
    assert answer.json["errors"][0]["field"].startswith("payload")
    assert eve.get(f"/v1/items/{item['id']}").json["versions"] == item["versions"]
