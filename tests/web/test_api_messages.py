"""`POST /v1/intake`: one message, streams of any length, what is refused and kept, and being told to wait."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from gunicorn.http.body import Body, ChunkedReader
from gunicorn.http.unreader import IterUnreader

from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.intake import messages, parameters, rooms, sending
from tests.messages import message
from tests.people import Cast, browser
from tests.web.api_client import Api

NAMES = (f"Breaks {n}" for n in count())
NDJSON = "application/x-ndjson"


@pytest.fixture
def project(app: Flask, cast: Cast) -> int:
    """An empty project of Eve's."""
    made = Api(app, cast.eve).post("/v1/projects", {"name": next(NAMES), "skill": "kyc", "reason_codes": ["fits"]})
    return made.json["id"]


@pytest.fixture
def eve(app: Flask, cast: Cast) -> Api:
    return Api(app, cast.eve)


def line(project: int, key: str, **more: Any) -> bytes:
    return json.dumps(message(project, key, **more)).encode() + b"\n"


def streamed(api: Api, lines: list[bytes] | Iterator[bytes]) -> Any:
    return api.post("/v1/intake", data=b"".join(lines), content_type=NDJSON)


def letter(db: Database, dead_letter_id: int) -> Any:
    with db.pool.connection() as connection:
        found = connection.execute("SELECT body, headers, source, cause FROM dead_letters WHERE id = %s", [dead_letter_id]).fetchone()
    assert found is not None
    return found


def test_it_takes_a_message_and_knows_it_again(eve: Api, project: int) -> None:
    first = eve.post("/v1/intake", message(project, "k", trace_id="t-1"))
    assert first.status_code == 202
    assert (first.json["result"], first.json["trace_id"], len(first.json["source_hash"])) == ("admitted", "t-1", 64)
    again = eve.post("/v1/intake", message(project, "k", variance_amount="12.5", trace_id="t-2"))
    assert (again.status_code, again.json) == (200, {**first.json, "result": "repeated"})


def test_it_refuses_other_content_under_the_same_key(eve: Api, project: int, db: Database) -> None:
    eve.post("/v1/intake", message(project, "k"))
    other = eve.post("/v1/intake", message(project, "k", variance_amount="99.00"), headers={"Idempotency-Key": "k"})
    assert (other.status_code, other.json["code"], other.json["gate"], other.json["cause"]) == (409, "DUPLICATE_KEY", "idempotency", "other_content")
    body, headers, source, cause = letter(db, other.json["dead_letter_id"])
    assert (json.loads(body), source, cause) == (message(project, "k", variance_amount="99.00"), "http", "other_content")
    assert headers["Content-Type"] == "application/json" and headers["Idempotency-Key"] == "k"


def test_it_names_every_failure_and_keeps_the_bytes(eve: Api, project: int, db: Database) -> None:
    body = json.dumps(message(project, "k", variance_amount=12.5, partition_key=...)).encode()
    answer = eve.post("/v1/intake", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"], answer.json["cause"]) == (422, "POISON_MESSAGE", "float_on_the_wire")
    assert [e["field"] for e in answer.json["errors"]] == ["variance_amount", "partition_key"]
    assert [(r["gate"], r["cause"]) for r in answer.json["refusals"]] == [("monetary", "float_on_the_wire"), ("ordering", "no_partition_key")]
    kept, headers, *_ = letter(db, answer.json["dead_letter_id"])
    assert bytes(kept) == body and not [name for name in headers if name.lower() in ("authorization", "cookie")]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 10_000, b'{"a": NaN}', b"null"])
def test_it_keeps_what_it_cannot_read(eve: Api, db: Database, body: bytes) -> None:
    answer = eve.post("/v1/intake", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"], answer.json["gate"]) == (422, "POISON_MESSAGE", "structural")
    assert bytes(letter(db, answer.json["dead_letter_id"])[0]) == body


def test_it_keeps_how_a_message_begins_that_is_too_large(eve: Api, db: Database) -> None:
    body = b'{"payload": "' + b"x" * messages.BYTES + b'"}'
    answer = eve.post("/v1/intake", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"], answer.json["cause"]) == (413, "TOO_LARGE", "too_large")
    assert f"{len(body):,} bytes" in answer.json["detail"]
    assert bytes(letter(db, answer.json["dead_letter_id"])[0]) == body[: messages.BYTES]


@pytest.mark.parametrize("kind", ["application/json", NDJSON])
def test_it_takes_nothing_for_whole_that_was_cut(eve: Api, project: int, db: Database, kind: str) -> None:
    body = line(project, "whole") + line(project, "half")[:-20] if kind == NDJSON else line(project, "half")[:-20]
    before = eve.get("/v1/dead-letters").json["dead_letters"]
    answer = eve.post("/v1/intake", data=body, content_type=kind, environ_overrides={"CONTENT_LENGTH": str(len(body) + 100)})
    assert (answer.status_code, answer.json["code"]) == (400, "BAD_REQUEST")
    assert eve.get("/v1/dead-letters").json["dead_letters"] == before, "half a message is no bad message"
    assert eve.post("/v1/intake", message(project, "half")).status_code == 202


def test_it_takes_a_stream_and_broken_lines_in_it(eve: Api, project: int) -> None:
    good = [line(project, f"s-{n}", partition_key=f"P{n % 7}") for n in range(1200)]
    broken = [b"{\n", b"\xff\n", b"\n", line(project, "s-3", variance_amount="1.00"), line(project, "f", variance_amount=1.5), b'{"a": "\\u0000"}']
    answer = streamed(eve, [*good[:700], *broken[:-1], *good[700:], broken[-1]])
    assert answer.status_code == 202
    assert {name: answer.json[name] for name in ("lines", "accepted", "repeated", "refused")} == {
        "lines": 1205, "accepted": 1200, "repeated": 0, "refused": 5}  # fmt: skip
    assert [(r["line"], r["idempotency_key"], r["cause"]) for r in answer.json["refusals"]] == [
        (701, None, "not_json"),
        (702, None, "broken_utf8"),
        (703, "s-3", "other_content"),
        (704, "f", "float_on_the_wire"),
        (1205, None, "nul_character"),
    ]
    again = streamed(eve, good).json
    assert (again["accepted"], again["repeated"], again["refusals"]) == (0, 1200, [])


def test_it_lists_the_first_hundred_refusals_and_keeps_all(eve: Api, project: int) -> None:
    answer = streamed(eve, [line(project, f"k{n}", match_decision="MATCHED") for n in range(130)])
    assert (answer.json["refused"], len(answer.json["refusals"])) == (130, 100)
    assert len(eve.get(f"/v1/dead-letters?project_id={project}&limit=500").json["dead_letters"]) == 130


def test_it_takes_nothing_for_a_project_of_somebody_else(app: Flask, db: Database, project: int) -> None:
    southwind = people.by_name(db, name="Sal") or people.add(db, name="Sal", role="customer", customer="Southwind", program=True)
    sal = Api(app, southwind)
    theirs, nowhere = (sal.post("/v1/intake", message(number, "k")) for number in (project, 2**31 - 1))
    assert theirs.status_code == 422
    hidden = {"trace_id": 0, "dead_letter_id": 0}
    assert {**theirs.json, **hidden} == {**nowhere.json, **hidden}


# Room


@pytest.fixture
def full(db: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A way to leave room for so many messages more."""
    monkeypatch.setattr(rooms, "COUNTED_FOR", 0)

    def leave(n: int) -> None:
        with db.pool.connection() as connection:
            [there] = connection.execute("SELECT count(*) FROM inbox").fetchone() or [0]
        settings = {**parameters.DEFAULTS.settings, "inbox_limit": max(there + n, 1), "retry_after_s": 17}
        version = parameters.Version(7, settings, "file", "a test", "system", None)
        monkeypatch.setattr(parameters, "current", lambda _: version)

    yield leave


def test_it_asks_a_producer_to_wait(eve: Api, project: int, full: Any) -> None:
    assert eve.post("/v1/intake", message(project, "a")).status_code == 202
    full(0)
    answer = eve.post("/v1/intake", message(project, "b"))
    assert (answer.status_code, answer.json["code"], answer.headers["Retry-After"]) == (429, "QUEUE_SATURATED", "17")
    full(1)
    assert eve.post("/v1/intake", message(project, "b")).status_code == 202


def test_it_says_how_far_a_stream_came_that_has_to_wait(eve: Api, project: int, full: Any) -> None:
    lines = [line(project, f"k{n}") for n in range(1300)]
    full(900)
    answer = streamed(eve, [lines[0], *lines])
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "17")
    assert (answer.json["lines"], answer.json["accepted"], answer.json["repeated"]) == (1000, 999, 1)
    full(10_000)
    rest = streamed(eve, lines[answer.json["lines"] - 1 :])
    assert (rest.json["lines"], rest.json["accepted"]) == (301, 301), "it goes on from there"


# Memory


class Written:
    """A body of n messages, each of which is made when it is read."""

    def __init__(self, project: int, n: int):
        self.lines = (line(project, f"m{i}", partition_key=f"P{i % 50}", payload={"text": "x" * 80_000}) for i in range(n))
        self.left = b""

    def read(self, size: int) -> bytes:
        while len(self.left) < size and (more := next(self.lines, b"")):
            self.left += more
        piece, self.left = self.left[:size], self.left[size:]
        return piece


@pytest.mark.parametrize("wire", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}x\r\n0\r\n\r\n", b"-1\r\n\r\n", b"2\r\n{}\r\n0\r\n: \n\r\n"])
def test_it_says_what_is_wrong_with_a_body_s_chunks(app: Flask, cast: Cast, eve: Api, project: int, wire: bytes) -> None:
    """Read by the server's own reader."""

    def sent() -> dict[str, Any]:
        reader = Body(ChunkedReader(SimpleNamespace(), IterUnreader(iter([wire]))))
        return {"wsgi.input": reader, "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}

    for path, kind in (
        (f"/v1/projects/{project}/items", NDJSON),
        ("/v1/intake", NDJSON),
        ("/v1/intake", "application/json"),
        ("/v1/projects", "application/json"),
    ):
        answer = eve.post(path, content_type=kind, environ_overrides=sent())
        assert (answer.status_code, answer.json["code"]) == (400, "BAD_REQUEST"), path
    form = {"content_type": "application/x-www-form-urlencoded", "environ_overrides": sent()}
    assert browser(app, cast.ada).post("/theme", **form).status_code == 400


def most(eve: Api, project: int, n: int) -> int:
    """The most memory at once, in bytes, that a stream of so many messages took."""
    chunked = {"wsgi.input": Written(project, n), "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    tracemalloc.start()
    try:
        answer = eve.post("/v1/intake", content_type=NDJSON, environ_overrides=chunked)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        assert sum(answer.json[name] for name in ("accepted", "repeated")) == n


def test_it_takes_a_long_stream_in_constant_memory(eve: Api, project: int) -> None:
    """350 messages of 80 kB take no more memory than 150 of them: as much as some calls of `admit`."""
    short, long = most(eve, project, 150), most(eve, project, 350)
    assert long < short + sending.CALL_BYTES, f"{short:,} and {long:,} bytes"
    assert long < 8 * sending.CALL_BYTES, f"{long:,} bytes"


def test_it_would_notice_a_stream_that_is_gathered(eve: Api, project: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "calls", lambda bodies, calls=sending.calls: calls(list(bodies)))
    with pytest.raises(AssertionError, match="bytes"):
        test_it_takes_a_long_stream_in_constant_memory(eve, project)
