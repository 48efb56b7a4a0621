"""What the control room, the policy gaps and the guidance read: their statements, for the measure of all screens."""

from __future__ import annotations

from typing import Any

from claimcheck.control import beats, figures, worth

ONE = {"project_id": 0}
NOW: list[tuple[str, dict[str, Any]]] = [("control/queues", {**ONE, "limit": figures.QUEUES}), ("control/marks", {}), ("control/desk", {}), ("approvals/waiting", {})]
WORK: list[tuple[str, dict[str, Any]]] = [
    ("control/hours", {**ONE, "hours": figures.HOURS}),
    ("control/leases", {**ONE, "days": figures.LEASE_DAYS}),
    ("control/missed", {}),
    ("control/marks", {}),
]
SCREENS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "control, now": NOW,
    "control, the work": WORK,
    "control, reasons": [("control/reasons", {**ONE, "weeks": figures.WEEKS, "limit": figures.BUSIEST})],
    "control, what to automate": [("control/routes", {**ONE, "weeks": figures.WEEKS, "limit": figures.BUSIEST, "enough": worth.ENOUGH, "sure": worth.SURE})],
    "control, load": [("control/load", {"days": figures.DAYS, "limit": figures.PEOPLE})],
    "control, health": [("control/beats", {"kinds": [*beats.KINDS], "silent": beats.SILENT})],
    "policy gaps": [("policy_gaps/page", {**ONE, "limit": 50}), ("policy_gaps/projects", {}), ("control/marks", {})],
    "guidance": [("guidance/versions", {"project_id": 7, "limit": 50})],
    "the drawer": [("guidance/at", {"project_id": 7, "at": "2999-01-01"})],
}
