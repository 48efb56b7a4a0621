"""Dataset versions and retractions on real servers: what is delivered, what is taken back, and a kill at every step."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from claimcheck import errors, projects
from claimcheck.datasets import formats, making, manifests, retracting, retractions, telling, versions
from claimcheck.outbound import notices
from claimcheck.proof import keys
from tests.intake import World, at_once
from tests.labelled import Labelled, label

SECRET = "a secret key of the tests" * 2


class Made:
    """A project of Eve's with labelled items, and its versions."""

    def __init__(self, world: World, **rules: Any):
        self.world, self.id = world, world.project(**rules)
        self.desk = making.Desk(world.worker, world.store, SECRET)

    @property
    def project(self) -> projects.Project:
        return projects.load(self.world.web, self.id, self.world.cast.chi)

    def label(self, *rows: list[tuple[int, str]], **more: Any) -> Labelled:
        return label(self.world.conninfos.superuser, self.id, rows, **more)

    def ask(self, key: str | None = None) -> versions.Asked:
        return versions.ask(self.world.web, project=self.project, me=self.world.cast.eve, idempotency_key=key)

    def deliver(self) -> int:
        asked = self.ask()
        making.run(self.desk)
        return asked.id

    def retract(self, who: str = "ada", **more: Any) -> int:
        asked = {"scope": "all", "reason": "their golds turned bad", "person_id": getattr(self.world.cast, who).id, **more}
        return retractions.retract(self.world.web, project=self.project, me=self.world.cast.chi, **asked)

    def version(self, dataset_id: int) -> versions.Version:
        return versions.load(self.world.web, dataset_id=dataset_id, person=self.world.cast.eve)

    def read(self, dataset_id: int, name: str) -> bytes:
        opened = versions.open_file(self.world.web, self.world.store, dataset_id=dataset_id, name=name, me=self.world.cast.eve)
        return b"".join(opened.stream)

    def rows(self, dataset_id: int, name: str = "data.jsonl") -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read(dataset_id, name).splitlines()]

    def statuses(self, dataset_id: int) -> dict[str, str]:
        return {row["idempotency_key"]: row["status"] for row in self.rows(dataset_id)}

    def folder(self, dataset_id: int, out: Path) -> Path:
        out.mkdir()
        for name in (manifests.NAME, *(f.name for f in versions.files(self.world.web, dataset_id=dataset_id))):
            (out / name).write_bytes(self.read(dataset_id, name))
        return out

    def relabel(self, who: str = "ben", verdict: str = "approve", count: int = 1) -> None:
        for _ in range(count):
            claim = self.world.claim(who)
            assert claim is not None
            self.world.decide(claim, verdict)


@pytest.fixture
def made(world: World) -> Made:
    return Made(world)


@pytest.fixture
def ada(world: World) -> int:
    return world.cast.ada.id


@pytest.fixture
def ben(world: World) -> int:
    return world.cast.ben.id


def test_it_delivers_each_settled_item_once_with_its_looks_and_a_manifest_that_verifies_offline(made: Made, ada: int, ben: int, tmp_path: Path):
    made.label([(ada, "approve"), (ben, "approve")], [(ada, "reject")])
    dataset = made.deliver()
    two, one = made.rows(dataset)
    assert [(look["verdict"], look["withdrawn"]) for look in two["looks"]] == [("approve", False)] * 2 and one["outcome"] == "reject"
    assert made.version(dataset).counts == {"settled": 2} and made.version(dataset).rows == 2
    assert b"".join(formats.to_csv(made.rows(dataset), formats.ROW)) == made.read(dataset, "data.csv")
    pem = keys.at(made.world.web, made.version(dataset).created_at, SECRET).public_key.encode()
    assert manifests.verify(made.folder(dataset, tmp_path / "v1"), pem).ok
    events = made.world.all("SELECT detail ->> 'file' FROM events WHERE kind = 'dataset.read' AND person_id = %s AND project_id = %s", made.world.cast.eve.id, made.id)
    assert ("manifest.json",) in events and ("data.csv",) in events, "who took what away is on record"


def test_no_copy_of_a_gold_is_ever_delivered_nor_does_any_word_of_a_row_tell_of_gold(made: Made, ada: int):
    items = made.label([(ada, "approve")], [(ada, "approve")], [(ada, "approve")]).items
    made.world.sql.execute("UPDATE items SET gold = true WHERE id = %s", (items[1],))
    dataset = made.deliver()
    assert [row["item_id"] for row in made.rows(dataset)] == [items[0], items[2]]
    assert b"gold" not in made.read(dataset, "data.jsonl") + made.read(dataset, manifests.NAME)


def test_it_answers_a_request_that_is_sent_again_with_the_same_version(made: Made, ada: int):
    made.label([(ada, "approve")])
    first = at_once(4, lambda _: made.ask())
    assert len({asked.id for asked in first}) == 1 and sum(asked.new for asked in first) == 1
    making.run(made.desk)
    assert made.ask() == versions.Asked(first[0].id, False), "nothing was settled since"
    made.label([(ada, "reject")], key="later")
    second = made.ask(key="monday")
    making.run(made.desk)
    made.label([(ada, "reject")], key="later still")
    assert second.new and made.ask(key="monday") == versions.Asked(second.id, False)
    assert made.version(second.id).parent_version == 1


def test_a_retraction_that_is_sent_many_times_at_once_is_one(made: Made, ada: int):
    made.label([(ada, "approve")])
    made.deliver()
    assert len({*at_once(6, lambda _: made.retract(idempotency_key="a form's own"))}) == 1
    assert len(retractions.page(made.world.web, project_id=made.id)) == 1


def test_it_is_made_in_order_and_its_reader_waits(made: Made, ada: int):
    made.label([(ada, "approve")])
    asked = made.ask()
    with pytest.raises(errors.NotDelivered):
        made.read(asked.id, "data.jsonl")
    with pytest.raises(errors.NotDelivered):
        versions.acknowledge(made.world.web, dataset_id=asked.id, me=made.world.cast.eve)
    made.retract()
    assert making.run(made.desk) == 2 and made.version(asked.id).delivered


class Killed(BaseException):
    """As a kill: nothing catches it."""


class Mortal:
    """A database or a store whose user is killed at the n-th call."""

    def __init__(self, real: Any, left: list[int]):
        self.real, self.left = real, left

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if name not in ("all", "one", "run", "together", "put_stream", "open"):
            return found

        def counted(*args: Any, **named: Any) -> Any:
            self.left[0] -= 1
            if self.left[0] == 0:
                raise Killed
            return found(*args, **named)

        return counted


def killed_at(made: Made, n: int) -> bool:
    """Works until its n-th call of the database or the store; whether it came to its end before. A dead worker's lease lapses."""
    left = [n]
    try:
        making.run(making.Desk(Mortal(made.world.worker, left), Mortal(made.world.store, left), SECRET))
    except Killed:
        made.world.sql.execute("UPDATE dataset_work SET lease_until = clock_timestamp() WHERE state = 'leased'")
        return False
    return True


def again(made: Made, dataset: int) -> None:
    """As if it had not been made."""
    with psycopg.connect(made.world.conninfos.superuser, autocommit=True, options="-c session_replication_role=replica") as connection:
        for table in ("dataset_files", "dataset_manifests"):
            connection.execute(f"DELETE FROM {table} WHERE dataset_id = %s", (dataset,))
        connection.execute("UPDATE dataset_work SET state = 'waiting', due = clock_timestamp() WHERE dataset_id = %s", (dataset,))


def test_killed_at_any_point_it_resumes_and_writes_the_same_bytes(made: Made, ada: int, ben: int):
    made.label(*[[(ada, "approve"), (ben, "approve")]] * 3)
    made.deliver()
    made.label([(ada, "reject")], key="more")
    dataset = made.deliver()
    whole, n = made.read(dataset, manifests.NAME), 0
    for n in range(1, 100):
        again(made, dataset)
        if killed_at(made, n):
            break
        making.run(made.desk)
        assert made.read(dataset, manifests.NAME) == whole, f"killed at call {n}"
    assert 20 < n < 99 and {hashlib.sha256(made.read(dataset, f["name"])).hexdigest() for f in json.loads(whole)["files"]} == {f["sha256"] for f in json.loads(whole)["files"]}


def pending(world: World, made: Made) -> list[Any]:
    return world.all("SELECT t.item_id, t.barred FROM tasks t WHERE t.project_id = %s AND t.kind = 'relabel' ORDER BY t.rank", made.id)


def test_a_retraction_that_is_killed_at_any_point_resumes_and_does_everything_once(made: Made, ada: int, ben: int):
    world = made.world
    made.label(*[[(ada, "approve")]] * 3, [(ben, "approve")])
    made.deliver()
    retraction = made.retract()
    assert not killed_at(made, 3)
    n = next(n for n in range(4, 200) if killed_at(made, n))
    found = retractions.load(world.web, retraction_id=retraction)
    assert n > 10 and (found.pending, found.reopened, found.settled) == (3, 3, 0)
    assert [barred for _, barred in pending(world, made)] == [[ada]] * 3, "each is asked for once, and never of Ada"
    assert world.one("SELECT count(*) FROM notices WHERE project_id = %s AND kind = 'labels.retracted'", made.id) == 1
    assert sorted(made.statuses(found.dataset_id).values()) == ["pending"] * 3 + ["settled"]
    assert not world.disagreements()


def test_it_takes_labels_back_and_resolves_them_as_they_are_given_again(made: Made, ada: int, ben: int, tmp_path: Path):
    world = made.world
    made.label(*[[(ada, "approve")]] * 4, [(ben, "approve")], [(ada, "approve"), (ben, "approve"), (world.cast.chi.id, "approve")])
    world.sql.execute("INSERT INTO scores (person_id, skill_id, weight) SELECT p, (SELECT skill_id FROM projects WHERE id = %s), 0.95 FROM unnest(%s::int[]) p "
                      "ON CONFLICT (person_id, skill_id) DO UPDATE SET weight = 0.95", (made.id, [ben, world.cast.chi.id]))  # fmt: skip
    first = made.deliver()
    old, ledger = made.read(first, "data.jsonl"), world.all("SELECT * FROM payouts ORDER BY id")
    asked = {"project_id": made.id, "person_id": ada, "since": retractions.EVER, "looks_to": versions.cut(world.web)}
    seen = retractions.preview(world.web, **asked)
    assert (seen.touched, seen.delivered, seen.confirmed, seen.flips, seen.unsure, seen.open) == (5, 5, 1, 0, 4, 0)
    retraction = retractions.load(world.web, retraction_id=made.retract())
    making.run(made.desk)
    assert made.statuses(retraction.dataset_id) == {**{f"k{n}": "pending" for n in range(4)}, "k4": "settled", "k5": "confirmed"}
    assert {row["status"] for row in made.rows(retraction.dataset_id, "changes.jsonl")} == {"pending", "confirmed"}
    made.relabel(verdict="approve")
    made.relabel(verdict="reject")
    third = made.deliver()
    changes = {row["idempotency_key"]: row for row in made.rows(third, "changes.jsonl")}
    assert sorted(made.statuses(third).values()) == ["changed", "confirmed", "confirmed", "pending", "pending", "settled"]
    assert sorted((c["status"], c["old"]["outcome"], c["new"]["outcome"], c["reason"]) for c in changes.values()) == [
        ("changed", "approve", "reject", "their golds turned bad"), ("confirmed", "approve", "approve", "their golds turned bad"),
    ]  # fmt: skip
    assert made.read(first, "data.jsonl") == old and world.all("SELECT * FROM payouts WHERE id <= %s ORDER BY id", ledger[-1].id) == ledger
    assert not world.disagreements()


def test_it_withdraws_where_nobody_is_to_label_again_and_takes_back_from_a_time_on(made: Made, ada: int):
    labelled = made.label(*[[(ada, "approve")]] * 4)
    made.deliver()
    retraction = retractions.load(made.world.web, retraction_id=made.retract(scope="since", since=labelled.at[2], relabel=False))
    making.run(made.desk)
    assert made.statuses(retraction.dataset_id) == {"k0": "settled", "k1": "settled", "k2": "withdrawn", "k3": "withdrawn"}
    assert not pending(made.world, made)


def test_it_opens_again_what_flips_first_then_what_is_least_certain(world: World, ada: int, ben: int):
    made, chi = Made(world, wanted=2), world.cast.chi.id
    items = made.label([(ada, "approve"), (ben, "approve")], [(ada, "approve")], [(ada, "approve"), (chi, "approve"), (ben, "reject")], key="risk").items
    world.sql.execute("DELETE FROM scores")
    made.deliver()
    made.retract()
    world.sql.execute("INSERT INTO scores (person_id, skill_id, weight) SELECT p.id, (SELECT skill_id FROM projects WHERE id = %s), CASE WHEN p.id = %s THEN 0.8 ELSE 0.6 END "
                      "FROM people p WHERE p.id = ANY (%s)", (made.id, ben, [ada, ben, chi]))  # fmt: skip
    making.run(made.desk)
    assert [row.item_id for row in pending(world, made)] == [items[2], items[1], items[0]]
    world.sql.execute("DELETE FROM scores")


def test_a_worker_may_open_again_what_a_lead_took_back_and_decide_nothing(made: Made, ada: int):
    made.label([(ada, "approve")])
    made.deliver()
    [(item,)] = made.world.all("SELECT id FROM items WHERE project_id = %s", made.id)
    retracting.reopen(made.world.worker, retraction_id=2**40, item_id=item)
    assert not pending(made.world, made)
    with psycopg.connect(made.world.conninfos.worker) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("INSERT INTO decisions (item_id) VALUES (1)")
    with psycopg.connect(made.world.conninfos.web) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT reopen_retracted(1, 1)")


def test_it_says_what_is_wrong_with_a_retraction(made: Made, ada: int):
    made.label([(ada, "approve")])
    for given, field in (({"reason": " "}, "reason"), ({"who": "dov"}, "person_id"), ({"scope": "since"}, "since"), ({"scope": "some"}, "scope"), ({"scope": "change"}, "scope")):
        with pytest.raises(errors.Invalid) as refused:
            made.retract(**given)
        assert refused.value.errors[0].field == field
    with pytest.raises(errors.Invalid, match="Nothing of this project was delivered"):
        made.retract()
    made.deliver()
    assert made.retract(idempotency_key="once") == made.retract(idempotency_key="once")


def test_it_suggests_since_when_the_golds_turned_bad(made: Made, ada: int):
    """The CUSUM's last zero: eight right, then wrong ones."""
    labelled = made.label(*[[(ada, "approve")]] * 12, key="gold")
    with psycopg.connect(made.world.conninfos.superuser, autocommit=True, options="-c session_replication_role=replica") as connection:
        connection.execute(
            "INSERT INTO gold_results (decision_id, person_id, skill_id, item_id, purpose, correct, level) SELECT d.id, d.person_id, p.skill_id, d.item_id, 'ordinary', "
            "d.item_id < %s, 0 FROM decisions d JOIN projects p ON p.id = d.project_id WHERE d.item_id = ANY (%s)", (labelled.items[8], labelled.items)
        )  # fmt: skip
    assert retractions.change_point(made.world.web, project_id=made.id, person_id=ada) == labelled.at[8]
    assert retractions.change_point(made.world.web, project_id=made.id, person_id=made.world.cast.ben.id) is None
    made.world.sql.execute("SET session_replication_role = replica; DELETE FROM gold_results; RESET session_replication_role")


def days_pass(world: World, dataset: int) -> None:
    with psycopg.connect(world.conninfos.superuser, autocommit=True, options="-c session_replication_role=replica") as connection:
        connection.execute("UPDATE dataset_manifests SET made_at = made_at - interval '4 days' WHERE dataset_id = %s", (dataset,))


def test_it_reminds_of_what_took_labels_back_until_it_is_acknowledged(made: Made, ada: int):
    world = made.world
    made.label([(ada, "approve")])
    made.deliver()
    retraction = retractions.load(world.web, retraction_id=made.retract())
    making.run(made.desk)
    assert telling.remind(world.worker) == 0
    days_pass(world, retraction.dataset_id)
    assert making.waits(world.worker) and telling.remind(world.worker) == 1 and telling.remind(world.worker) == 0
    [(notice,)] = world.all("SELECT id FROM notices WHERE project_id = %s AND kind = 'dataset.reminder'", made.id)
    assert notices.load(world.worker, notice_id=notice).body["dataset_id"] == retraction.dataset_id
    for _ in range(2):
        versions.acknowledge(world.web, dataset_id=retraction.dataset_id, me=world.cast.eve)
    days_pass(world, retraction.dataset_id)
    assert telling.remind(world.worker) == 0 and [ack.by for ack in made.version(retraction.dataset_id).acks] == ["Eve"]


def test_what_fails_is_tried_again_and_in_the_end_given_up_until_it_is_asked_for_anew(made: Made, ada: int, monkeypatch: pytest.MonkeyPatch):
    made.label([(ada, "approve")])
    asked = made.ask()
    monkeypatch.setattr(making, "ATTEMPTS", 2)
    away = making.Desk(made.world.worker, Away(), SECRET)  # type: ignore[arg-type]
    for state in ("waiting", "dead"):
        made.world.sql.execute("UPDATE dataset_work SET due = clock_timestamp() WHERE state = 'waiting'")
        making.run(away)
        assert made.version(asked.id).state == state and "object store" in (made.version(asked.id).last_error or "")
    assert made.ask() == versions.Asked(asked.id, False)
    making.run(made.desk)
    assert made.version(asked.id).delivered


class Away:
    """A store that does not answer."""

    def put_stream(self, *_: Any) -> None:
        raise errors.StoreUnavailable()


@pytest.fixture(autouse=True)
def _nothing_left(world: World) -> Iterator[None]:
    """What a test leaves waiting is none of the next one's."""
    yield
    world.sql.execute("UPDATE dataset_work SET state = 'dead', lease = NULL, lease_until = NULL WHERE state IN ('waiting', 'leased')")
