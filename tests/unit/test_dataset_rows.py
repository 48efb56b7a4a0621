"""What a version says of an item, over all histories that an item can have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.datasets import rows
from claimcheck.datasets.rows import Cut, Decision, Item, Tombstone

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def decision(n: int, *, look: bool = True, person: int = 1, outcome: str | None = None, supersedes: int | None = None, task: int = 1, note: str = "") -> Decision:
    verdict = "overturn" if supersedes else outcome or "approve"
    return Decision(n, task, look, person, f"R-{person}", verdict, None, outcome, supersedes, 1, 1, b"\xab" * 32, "ok", note, BEGAN + timedelta(minutes=n))  # fmt: skip


def tombstone(version: int, on: int, status: str, looks_to: int = 99) -> Tombstone:
    return Tombstone(7, version, on, status, "", 1, BEGAN, looks_to, f"retraction {version}")


def item(decisions: list[Decision], tombstones: list[Tombstone] = []) -> Item:  # noqa: B006 (never changed)
    return Item(7, "case-7", decisions, tombstones)


def test_it_holds_an_item_once_with_its_looks_inside():
    found = rows.row(item([decision(1), decision(2, person=2), decision(3, look=False, person=0, outcome="approve")]), Cut(1, 10), [])
    assert found and (found["status"], found["outcome"], found["old"]) == ("settled", "approve", None)
    assert [(look["by"], look["withdrawn"]) for look in found["looks"]] == [("R-1", False), ("R-2", False)]


def test_it_knows_nothing_beyond_its_cut():
    history = [decision(1, outcome="approve"), decision(5, look=False, outcome="reject", supersedes=1)]
    assert rows.row(item(history), Cut(1, 0), []) is None
    assert (rows.row(item(history), Cut(1, 4), []) or {})["outcome"] == "approve"
    assert (rows.row(item(history), Cut(2, 9), [Cut(1, 4)]) or {})["status"] == "changed"


def test_a_label_that_was_taken_back_is_pending_until_it_is_given_again_and_then_says_what_became_of_it():
    first, reopen = decision(1, outcome="approve"), decision(5, look=False, person=3, outcome="reopen", supersedes=1, note="bad golds")
    again = decision(8, person=2, outcome="reject", task=2)
    told = item([first, reopen, again], [tombstone(2, 1, "pending")])
    cuts = [Cut(1, 4), Cut(2, 4), Cut(3, 6), Cut(4, 9)]
    found = [rows.row(told, cut, cuts[:n]) or {} for n, cut in enumerate(cuts)]
    assert [f["status"] for f in found] == ["settled", "pending", "pending", "changed"]
    assert found[1]["outcome"] is None and found[1]["old"]["outcome"] == "approve" and found[1]["reason"] == "retraction 2"
    assert found[3]["outcome"] == "reject" and found[3]["old"]["outcome"] == "approve"
    assert [look["withdrawn"] for look in found[1]["looks"]] == [True] and [look["withdrawn"] for look in found[3]["looks"]] == [True, False]
    changes = [rows.change(told, cut, cuts[:n]) for n, cut in enumerate(cuts)]
    assert [c and (c["status"], c["old"]["outcome"], c["new"] and c["new"]["outcome"]) for c in changes] == [
        None, ("pending", "approve", None), None, ("changed", "approve", "reject"),
    ]  # fmt: skip


def test_what_was_never_delivered_leaves_no_tombstone():
    told = item([decision(1, outcome="approve")], [tombstone(2, 1, "withdrawn")])
    assert rows.row(told, Cut(2, 9), [Cut(1, 0)]) is None and rows.row(told, Cut(3, 9), [Cut(1, 0), Cut(2, 0)]) is None


def test_a_look_that_is_still_independent_is_not_told():
    """While an item is labelled anew, what the new looks say stays hidden."""
    history = [decision(1, outcome="approve"), decision(5, look=False, outcome="reopen", supersedes=1), decision(6, person=2, task=2)]
    found = rows.row(item(history), Cut(2, 9), [Cut(1, 4)])
    assert found and found["status"] == "pending" and len(found["looks"]) == 1


class History:
    """An item that is settled, overturned, opened again and taken back at random, and cut at random."""

    def __init__(self, steps: list[str]):
        self.decisions: list[Decision] = []
        self.tombstones: list[Tombstone] = []
        self.cuts: list[Cut] = []
        for step in steps:
            getattr(self, f"_{step.split()[0]}")(*step.split()[1:])

    def _add(self, **given: Any) -> None:
        self.decisions.append(decision(len(self.decisions) + 1, **given))

    def _now(self) -> Decision | None:
        return rows.standing(self.decisions, len(self.decisions))

    def _settle(self, outcome: str) -> None:
        if self._now() is None:
            self._add(outcome=outcome, person=len(self.decisions) + 1)

    def _overturn(self, outcome: str) -> None:
        if now := self._now():
            self._add(look=False, outcome=outcome, supersedes=now.id, note="a lead said so")

    def _cut(self) -> None:
        self.cuts.append(Cut(len(self.cuts) + 1, len(self.decisions)))

    def _retract(self, status: str) -> None:
        """As a worker does it: the version is cut where the one before was; what is pending is opened again afterwards."""
        if (now := self._now()) and self.cuts:
            self.cuts.append(Cut(len(self.cuts) + 1, self.cuts[-1].up_to))
            self.tombstones.append(tombstone(len(self.cuts), now.id, status))
            if status == "pending":
                self._overturn("reopen")


STEPS = ["settle approve", "settle reject", "overturn approve", "overturn reject", "overturn reopen", "cut", "retract pending", "retract confirmed", "retract withdrawn"]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=14))
def test_no_delivered_row_ever_vanishes_and_every_difference_is_explained(steps: list[str]):
    history = History(["settle approve", "cut", *steps, "cut"])
    of = item(history.decisions, history.tombstones)
    before: dict[str, Any] | None = None
    for n, cut in enumerate(history.cuts):
        found, change = rows.row(of, cut, history.cuts[:n]), rows.change(of, cut, history.cuts[:n])
        assert found is not None or before is None, "a delivered row vanished"
        if found is not None:
            assert (found["outcome"] is None) == (found["status"] in ("pending", "withdrawn"))
            assert (found["status"] == "settled") == (found["old"] is None) and (found["old"] is None or found["reason"])
        if before is not None and found is not None:
            same = found["outcome"] == before["outcome"] and found["status"] in (before["status"], "settled")
            assert same == (change is None), "a difference that no change explains, or a change that is none"
        if change is not None and found is not None:
            assert change["status"] == found["status"] and (change["new"] or {}).get("outcome") == found["outcome"]
        before = found
