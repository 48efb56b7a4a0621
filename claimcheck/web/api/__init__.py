"""The JSON API under /v1: bearer tokens, problem documents, one module a resource."""

from claimcheck.web.api import (
    access_events,
    approvals,
    assignments,
    batch_decisions,
    batches,
    datasets,
    dead_letters,
    decisions,
    forecasts,
    golds,
    intake,
    item_actions,
    items,
    openapi,
    overturns,
    payload,
    payouts,
    projects,
    results,
    retractions,
    reviewers,
    saved_views,
    signing_keys,
    skills,
    standings,
    tasks,
    uploads,
)
from claimcheck.web.api.routes import ROUTES, blueprint

__all__ = [
    "ROUTES", "access_events", "approvals", "assignments", "batch_decisions", "batches", "blueprint", "datasets", "dead_letters",
    "decisions", "forecasts", "golds", "intake", "item_actions", "items", "openapi", "overturns", "payload", "payouts", "projects", "results",
    "retractions", "reviewers", "saved_views", "signing_keys", "skills", "standings", "tasks", "uploads",
]  # fmt: skip
