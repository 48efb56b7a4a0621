"""Every resource of the desk: one module each, with its `blueprint`."""

from __future__ import annotations

from flask import Flask

from claimcheck.web import (
    access_events,
    api,
    approvals,
    assignments,
    batch_decisions,
    batches,
    control,
    datasets,
    dead_letters,
    decisions,
    docs,
    effects,
    escalations,
    exports,
    forecasts,
    guidance,
    imports,
    item_actions,
    items,
    lease_times,
    libraries,
    login,
    metrics,
    operations,
    overturns,
    pages,
    pay,
    payload,
    people,
    pipeline,
    policy_gaps,
    projects,
    retractions,
    review,
    saved_views,
    skills,
    standing,
    work,
)

RESOURCES = (
    login, pages, people, libraries, payload, review, assignments, decisions, escalations, approvals, work, projects, lease_times, batches,
    forecasts, imports, exports, datasets, retractions, items, effects, dead_letters, pipeline, pay, skills, standing, access_events, api,
    docs, metrics, operations, batch_decisions, control, policy_gaps, guidance, item_actions,
    saved_views, overturns,
)  # fmt: skip


def install(app: Flask) -> None:
    for resource in RESOURCES:
        app.register_blueprint(resource.blueprint)
