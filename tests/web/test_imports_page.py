"""A file of items by the page: tried with its own rendering, taken in, and out again as a file."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.reviewer import live  # noqa: F401 (a fixture)

FILE = b"no;case;IBAN\n1;<b>First</b>;DE1\n2;Second;DE2\n2;Other;DE3\n3;Third;DE4;too many\n"
MAP = "no=idempotency_key\nIBAN=holder.iban"


@pytest.fixture(scope="module")
def project(live: LiveDesk) -> int:
    return live.project(masked=["holder.iban"], title="case")


def sent(desk: LiveDesk, who: str, path: str, data: bytes | None = FILE, **form: str) -> TestResponse:
    file = {"file": (io.BytesIO(data), "C:\\stuff\\orders.csv")} if data is not None else {}
    return browser(desk.app, getattr(desk.cast, who)).post(path, data={**form, **file}, content_type="multipart/form-data")


@pytest.mark.parametrize("who", ["eve", "chi"])
def test_it_tries_a_file_and_leaves_nothing(live: LiveDesk, project: int, who: str) -> None:
    page = sent(live, who, f"/projects/{project}/imports/dry-runs", map=MAP)
    assert page.status_code == 200, page.text
    text = page.text
    assert "Dry run: 2 of 4 rows would be accepted, 0 are known already, 2 would be refused" in " ".join(text.split())
    assert "&lt;b&gt;First&lt;/b&gt;" in text and "<b>First" not in text and "DE1" not in text and "masked" in text
    assert "other content" in text and "a line of 4 cells under 3 columns does not fit: it takes one cell a column" in text
    assert live.execute("SELECT count(*) FROM items WHERE project_id = %s", project) == [(0,)]
    assert live.execute("SELECT count(*) FROM dead_letters WHERE project_id = %s", project) == [(0,)]


def test_it_imports_the_file_that_was_tried_without_choosing_it_again(live: LiveDesk, project: int) -> None:
    tried = sent(live, "eve", f"/projects/{project}/imports/dry-runs", map=MAP).text
    [upload] = re.findall(r'name="upload" value="([^"]+)"', tried)
    assert sent(live, "chi", f"/projects/{project}/imports", None, upload=upload, map=MAP).status_code == 404, "somebody else's file"
    page = sent(live, "eve", f"/projects/{project}/imports", None, upload=upload, map=MAP).text
    assert "2 accepted, 0 known already, 2 refused" in page
    again = sent(live, "eve", f"/projects/{project}/imports", None, upload=upload, map=MAP).text
    assert "0 accepted, 2 known already, 2 refused" in again
    assert live.execute("SELECT idempotency_key FROM items WHERE project_id = %s ORDER BY id", project) == [("1",), ("2",)]


@pytest.mark.parametrize(
    ("data", "form", "status", "said"),
    [
        (None, {}, 422, "choose a file"),
        (b"", {}, 422, "empty file"),
        (b"a,a\n", {"map": ""}, 422, "twice"),
        (FILE, {"map": "nothing"}, 422, "column=field"),
        (FILE, {"format": "label-studio"}, 422, "no Label Studio JSON"),
        (FILE, {"format": "excel"}, 422, "must be one of"),
        (b"no;case\n", {}, 422, "has no row"),
        (b"no;case\n1;\0\n", {}, 200, "holds a NUL character"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(live: LiveDesk, project: int, data: bytes | None, form: dict[str, str], status: int, said: str) -> None:
    page = sent(live, "eve", f"/projects/{project}/imports/dry-runs", data, **form)
    assert page.status_code == status and said in page.text.replace("&#39;", "'"), page.text


def exported(desk: LiveDesk, who: str, project: int, **form: str) -> TestResponse:
    return browser(desk.app, getattr(desk.cast, who)).post(f"/projects/{project}/exports", data=form)


def test_it_gives_items_and_outcomes_out_masked_and_on_record(live: LiveDesk) -> None:
    project = live.project(masked=["iban"], title="case")
    first, _ = live.send(project, {"case": "one", "iban": "DE1", "n": 1}, {"case": "two", "iban": "DE2", "n": 2})
    live.decide(live.cast.ada, item_id=first, note="all there")
    events: list[Any] = live.execute("SELECT count(*) FROM access_events")
    table = [*csv.DictReader(io.StringIO(exported(live, "chi", project, format="csv").text))]
    assert [(r["idempotency_key"], r["outcome"], r["note"], r["iban"], r["n"]) for r in table] == [
        (f"k{project}-1", "approve", "all there", "[masked]", "1"), (f"k{project}-2", "", "", "[masked]", "2"),
    ]  # fmt: skip
    assert live.execute("SELECT count(*) FROM access_events") == [(events[0][0] + 2,)]
    lines = exported(live, "chi", project, format="jsonl", purpose="looks wrong").text.splitlines()
    assert [json.loads(line)["payload"]["iban"] for line in lines] == ["DE1", "DE2"]
    assert live.execute("SELECT count(*) FROM access_events WHERE field = 'iban' AND purpose = 'looks wrong'") == [(2,)]
    tasks = json.loads(exported(live, "eve", project, format="label-studio").data)
    assert [(t["data"]["iban"], len(t["annotations"])) for t in tasks] == [("DE1", 1), ("DE2", 0)], "its customer sent it"
    assert exported(live, "chi", project, format="jsonl", purpose="curious").status_code == 422
    assert exported(live, "chi", project, format="xls").status_code == 422
    assert exported(live, "ada", project, format="csv").status_code == 403


def test_it_links_both_from_the_projects_page(live: LiveDesk, project: int) -> None:
    page = browser(live.app, live.cast.eve).get(f"/projects/{project}").text
    assert f"/projects/{project}/imports" in page and f"/projects/{project}/exports" in page
    assert f"/projects/{project}/imports" not in browser(live.app, live.cast.dov).get(f"/projects/{project}").text
