"""`/v1/projects/{id}/datasets` and `/v1/datasets`: versions of what is delivered, their files, and who has them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import Field

from claimcheck import errors, projects
from claimcheck.datasets import manifests, versions
from claimcheck.datasets.versions import NEWEST, Version
from claimcheck.validation import Model, Name
from claimcheck.web import desk
from claimcheck.web.api import answers, models, payload
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import Call, route

ROLES = ("customer", "lead")
NAMES = ("id", "project_id", "version", "parent_version", "kind", "state", "step", "step_done", "step_total", "rows", "counts", "retraction_id",
         "reason", "created_at", "made_at")  # fmt: skip


class Ask(Model):
    """A key of your own makes a request that is sent again the same one, whatever happened since."""

    idempotency_key: Name | None = None


class Nothing(Model):
    """Nothing needs to be said."""


class Page(Query):
    before: int = Field(NEWEST, ge=1, le=NEWEST, description="the version to go on below")
    limit: int = Field(50, ge=1, le=200)


class Asked(models.Answer):
    id: int
    version: int
    status_url: str


class Acknowledged(models.Answer):
    by: str
    at: datetime


class File(models.Answer):
    n: int
    name: str
    content_type: str
    rows: int
    size: int
    sha256: models.Hash
    url: str


class Dataset(models.Answer):
    id: int
    project_id: int
    version: int
    parent_version: int | None
    kind: str = Field(description="`delivery` or `retraction`")
    state: str = Field(description="`waiting`, `leased` (a worker makes it), `done`, or `dead` (given up; ask again)")
    step: str = Field(description="what is being done now; `step_done` of `step_total`")
    step_done: int
    step_total: int
    rows: int | None
    counts: dict[str, int] | None = Field(description="rows by status: settled, changed, confirmed, pending, withdrawn")
    manifest_sha256: models.Hash | None
    retraction_id: int | None
    reason: str | None = Field(description="why labels were taken back")
    acknowledged: list[Acknowledged]
    created_at: datetime
    made_at: datetime | None
    url: str


class WithFiles(Dataset):
    manifest_url: str | None
    files: list[File] = Field(description="once it is made")


class Datasets(models.Answer):
    datasets: list[Dataset]
    next: str | None


@route("POST", "/projects/{project_id}/datasets", roles=ROLES, body=Body(Ask, optional=True), answers={202: Asked, 200: Asked})
def ask(call: Call, project_id: int) -> Any:
    """Asks for the next version of what is delivered. One in the making, or the newest where nothing was settled since, is answered with 200."""
    project = projects.load(desk().db, project_id, call.person)
    made = versions.ask(desk().db, project=project, me=call.person, idempotency_key=call.body.idempotency_key)
    found = versions.load(desk().db, dataset_id=made.id, person=call.person)
    return 202 if made.new else 200, {"id": found.id, "version": found.version, "status_url": address(found.id)}


def address(dataset_id: int) -> str:
    """Where a version says how far it is."""
    return answers.address(f"/v1/datasets/{dataset_id}")


@route("GET", "/projects/{project_id}/datasets", roles=ROLES, query=Page, answers={200: Datasets})
def page(call: Call, project_id: int) -> Any:
    """A project's versions, the newest first."""
    project, asked = projects.load(desk().db, project_id, call.person), call.query
    found = versions.page(desk().db, project_id=project.id, before=asked.before, limit=asked.limit)
    more = answers.following(f"/v1/projects/{project.id}/datasets", asked, found, before="version")
    return 200, {"datasets": [_shown(one) for one in found], "next": more}


def _shown(one: Version) -> dict[str, Any]:
    acknowledged = [asdict(ack) for ack in one.acks]
    return {**{name: getattr(one, name) for name in NAMES}, "acknowledged": acknowledged, "manifest_sha256": one.sha256, "url": address(one.id)}


@route("GET", "/datasets/{dataset_id}", roles=ROLES, answers={200: WithFiles})
def get(call: Call, dataset_id: int) -> Any:
    """One version: how far it is, and, once it is made, its files."""
    one = versions.load(desk().db, dataset_id=dataset_id, person=call.person)
    listed = versions.files(desk().db, dataset_id=one.id) if one.delivered else []
    return 200, {
        **_shown(one),
        "files": [_listed(one, n, f) for n, f in enumerate(listed)],
        "manifest_url": f"{address(one.id)}/manifest" if one.delivered else None,
    }


def _listed(one: Version, n: int, file: versions.File) -> dict[str, Any]:
    said = {name: getattr(file, name) for name in ("name", "content_type", "rows", "size", "sha256")}
    return {"n": n, **said, "url": f"{address(one.id)}/files/{n}"}


@route("GET", "/datasets/{dataset_id}/manifest", roles=ROLES, answers={200: "application/json"}, raises=(errors.NotDelivered,))
def manifest(call: Call, dataset_id: int) -> Any:
    """The signed manifest, the same bytes each time. Check it, and the files beside it, with `bin/claimcheck verify FOLDER --key FILE`."""
    return _file(call, dataset_id, manifests.NAME)


@route("GET", "/datasets/{dataset_id}/files/{n}", roles=ROLES, answers={200: "*/*"}, raises=payload.GONE)
def file(call: Call, dataset_id: int, n: int) -> Any:
    """A file of a version, byte for byte. The reading is put on record."""
    one = versions.load(desk().db, dataset_id=dataset_id, person=call.person)
    listed = versions.files(desk().db, dataset_id=one.id) if one.delivered else []
    if n >= len(listed):
        raise errors.NotFound()
    return _file(call, one.id, listed[n].name)


def _file(call: Call, dataset_id: int, name: str) -> Any:
    one = versions.load(desk().db, dataset_id=dataset_id, person=call.person)
    return payload.streamed(versions.open_file(desk().db, desk().store, dataset_id=one.id, name=name, me=call.person))


@route(
    "POST", "/datasets/{dataset_id}/acknowledge", roles=("customer",), body=Body(Nothing, optional=True), answers={200: Dataset},
    raises=(errors.NotDelivered,),
)  # fmt: skip
def acknowledge(call: Call, dataset_id: int) -> Any:
    """You have this version and what it changes. Again is no error; 409 while it is being made."""
    versions.acknowledge(desk().db, dataset_id=dataset_id, me=call.person)
    return 200, _shown(versions.load(desk().db, dataset_id=dataset_id, person=call.person))
