"""Every resource of the desk: one module each, with its `blueprint`."""

from __future__ import annotations

from flask import Flask

from claimcheck.web import (
    api,
    assignments,
    dead_letters,
    decisions,
    docs,
    effects,
    escalations,
    items,
    libraries,
    login,
    metrics,
    pages,
    payload,
    people,
    pipeline,
    projects,
    review,
    work,
)

RESOURCES = (
    login, pages, people, libraries, payload, review, assignments, decisions, escalations, work, projects, items, effects, dead_letters, pipeline,
    api, docs, metrics,
)  # fmt: skip


def install(app: Flask) -> None:
    for resource in RESOURCES:
        app.register_blueprint(resource.blueprint)
