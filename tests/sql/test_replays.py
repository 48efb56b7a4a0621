"""Dead letters go through their door again: once for the same bytes, through every gate, on record; a dry run leaves nothing."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from claimcheck import errors
from claimcheck.access import people
from claimcheck.intake import admission, dead_letters, doors, handling, parameters, replays
from claimcheck.intake.dead_letters import Filter, Refused
from claimcheck.review import tasks
from tests import pipeline
from tests.intake import World, at_once, row, without
from tests.messages import admit, body, sender, waiting

FACTS = ("dead_letters", "dead_letters_open", "dead_letter_replays", "items", "spool", "batches", "messages", "inbox", "pipeline_records",
         "pipeline_unlogged", "pipeline_signals", "events", "inbox_partitions", "evidence", "partitions")  # fmt: skip


def bad_row(key: str, **more: Any) -> bytes:
    return json.dumps({**row(key, **more), "priority": 99}).encode()


def mended(sent: bytes) -> bytes:
    return sent.replace(b'"priority": 99', b'"priority": 9')


def item_letter(world: World, project: int, key: str = "k", **more: Any) -> int:
    return world.accept(project, [bad_row(key, **more)]).refused[0].dead_letter_id


def letter_of(answer: admission.Answer) -> int:
    assert answer.dead_letter_id is not None
    return answer.dead_letter_id


def message_letter(world: World, project: int, key: str = "k", **more: Any) -> int:
    return letter_of(admit(world, body(project, key, match_decision="MATCHED", **more))[0])


def original(world: World, letter: int) -> bytes:
    return bytes(world.one("SELECT body FROM dead_letters WHERE id = %s", letter))


def replay(world: World, letter: int, who: str = "chi", **more: Any) -> doors.Replayed:
    return replays.one(world.web, dead_letter_id=letter, person=getattr(world.cast, who), **more)


def is_open(world: World, letter: int) -> bool:
    return bool(world.all("SELECT FROM dead_letters_open WHERE dead_letter_id = %s", letter))


def test_it_takes_a_mended_row_in_and_keeps_the_bytes_as_they_came(world: World) -> None:
    letter = item_letter(world, project := world.project())
    sent = original(world, letter)
    came = replay(world, letter, body=mended(sent))
    assert (came.result, came.again_id) == ("admitted", None)
    assert world.one("SELECT project_id FROM items WHERE id = %s", came.item_id) == project
    assert original(world, letter) == sent
    [entry] = replays.of_letter(world.web, dead_letter_id=letter, person=world.cast.eve)
    assert (entry.result, entry.edited, entry.item_id) == ("admitted", True, came.item_id)
    assert bytes(world.one("SELECT body FROM dead_letter_replays WHERE dead_letter_id = %s", letter)) == mended(sent)
    assert not is_open(world, letter)
    world.publish()
    assert world.claim() is not None


def test_it_takes_a_mended_message_into_the_inbox(world: World) -> None:
    letter = message_letter(world, project := world.project())
    came = replay(world, letter, "eve", body=body(project, "k"))
    [waits] = waiting(world, project)
    assert (came.result, came.message_id) == ("admitted", waits.id)
    decisions = [r.decision for r in world.all("SELECT decision FROM pipeline_records WHERE project_id = %s ORDER BY id", project)]
    assert decisions == ["refused", "admitted", "replayed"]
    assert world.one("SELECT source FROM messages WHERE id = %s", came.message_id) == "replay"


@pytest.mark.parametrize("make", [item_letter, message_letter])
def test_it_refuses_again_what_is_as_bad_as_before_as_a_new_letter(world: World, make: Any) -> None:
    letter = make(world, world.project())
    came = replay(world, letter)
    assert came.result == "refused" and came.again_id and came.again_id > letter and came.code
    again = dead_letters.load(world.web, dead_letter_id=came.again_id, person=world.cast.dov)
    assert (again.replay_of, again.state, again.code) == (letter, "open", came.code)
    assert original(world, again.id) == original(world, letter)
    assert not is_open(world, letter) and is_open(world, again.id)
    first = dead_letters.load(world.web, dead_letter_id=letter, person=world.cast.dov)
    assert (first.state, first.again_id) == ("refused", again.id)


@pytest.mark.parametrize("make", [item_letter, message_letter])
def test_it_answers_the_same_bytes_as_before(world: World, make: Any) -> None:
    letter = make(world, world.project())
    first = replay(world, letter)
    before = counted(world)
    assert replay(world, letter, "dov") == first == replay(world, letter, body=original(world, letter))
    assert counted(world) == before


@pytest.mark.parametrize("make", [item_letter, message_letter])
def test_it_sends_the_same_bytes_once_however_many_ask_at_once(world: World, make: Any) -> None:
    letter = make(world, world.project())
    before = counted(world)
    answers = at_once(6, lambda _: replay(world, letter))
    assert len(set(answers)) == 1
    after = counted(world)
    assert after["dead_letters"] - before["dead_letters"] == 1 == after["dead_letter_replays"] - before["dead_letter_replays"]


def counted(world: World) -> dict[str, int]:
    return {table: world.one(f"SELECT count(*) FROM {table}") for table in FACTS}


def seen(world: World) -> dict[str, Any]:
    """Every row of every table that a replay could touch, as text."""
    return {table: world.one(f"SELECT COALESCE(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t") for table in FACTS}


def test_it_leaves_nothing_of_a_dry_run(world: World) -> None:
    project = world.project()
    letters = {
        "mended": (message_letter(world, project, "a"), body(project, "a")),
        "as bad": (message_letter(world, project, "b"), None),
        "an item": (item_letter(world, project, "c", partition_key="p"), None),
        "a mended item": (letter := item_letter(world, project, "d", partition_key="p"), mended(original(world, letter))),
    }
    before = seen(world)
    came = {what: replay(world, letter, body=sent, dry_run=True) for what, (letter, sent) in letters.items()}
    assert {what: c.result for what, c in came.items()} == {"mended": "admitted", "as bad": "refused", "an item": "refused", "a mended item": "admitted"}
    assert {(c.message_id, c.item_id, c.again_id) for c in came.values()} == {(None, None, None)}
    assert replays.many(world.web, person=world.cast.dov, asked=replays.Asked(project_id=project), dry_run=True).counts()["refused"] == 4
    assert seen(world) == before


def test_it_meets_in_a_dry_run_what_the_real_one_meets(world: World) -> None:
    """The ledger too: the key is taken by other content."""
    project = world.project()
    admit(world, body(project, "k"))
    letter = message_letter(world, project, "k")
    sent = body(project, "k", ledger_entity="another")
    tried, done = replay(world, letter, body=sent, dry_run=True), replay(world, letter, body=sent)
    assert (tried.result, tried.code) == (done.result, done.code) == ("refused", "DUPLICATE_KEY")
    assert done.again_id


def test_it_counts_as_repeated_what_came_in_another_way_meanwhile(world: World) -> None:
    project = world.project()
    letter = message_letter(world, project, "k")
    [in_already] = admit(world, body(project, "k"))
    came = replay(world, letter, body=body(project, "k"))
    assert (came.result, came.message_id) == ("repeated", in_already.message_id) and len(waiting(world, project)) == 1


def test_it_lets_a_message_wait_again_that_the_pool_gave_up(world: World) -> None:
    project = world.project()
    sent = body(project, "k")
    [answer] = admit(world, sent)
    world.sql.execute("DELETE FROM inbox WHERE message_id = %s", [answer.message_id])
    world.sql.execute("UPDATE inbox_partitions SET open = open - 1 WHERE project_id = %s", [project])
    gave_up = Refused("k", "POISON_MESSAGE", "", "its handlers failed", answer.trace_id, sent, cause="too_many_attempts", source="pool",
                      attempts=5, message_id=answer.message_id)  # fmt: skip
    with world.web.transaction() as connection:
        [kept] = dead_letters.keep(connection, project_id=project, batch_id=None, refused=[gave_up], received_by=world.cast.eve.id)
    came = replay(world, kept.dead_letter_id, "dov")
    [waits] = waiting(world, project)
    assert (came.result, came.message_id, waits.id) == ("admitted", answer.message_id, answer.message_id)
    assert world.one("SELECT attempts FROM inbox WHERE message_id = %s", answer.message_id) == 0
    assert world.one("SELECT detail->>'waits_again' FROM pipeline_records WHERE decision = 'replayed' AND message_id = %s", answer.message_id) == "true"
    assert world.one("SELECT open FROM inbox_partitions WHERE project_id = %s", project) == 1


def test_it_puts_each_replay_on_record_with_who_and_what_came(world: World) -> None:
    letter = item_letter(world, project := world.project())
    came = replay(world, letter, "dov")
    [event] = world.all("SELECT * FROM events WHERE kind = 'dead_letter.replayed' AND project_id = %s", project)
    assert (event.person_id, event.detail["dead_letter_id"], event.detail["result"], event.detail["again_id"]) == (
        world.cast.dov.id, letter, "refused", came.again_id)  # fmt: skip
    assert event.detail["edited"] is False


def test_it_puts_on_record_that_somebody_opened_the_bytes(world: World) -> None:
    letter = item_letter(world, project := world.project())
    assert dead_letters.body(world.web, dead_letter_id=letter, person=world.cast.chi) == original(world, letter)
    with pytest.raises(errors.NotFound):
        dead_letters.body(world.web, dead_letter_id=letter, person=world.cast.dov)
    [event] = world.all("SELECT * FROM events WHERE kind = 'dead_letter.opened' AND project_id = %s", project)
    assert (event.person_id, event.detail) == (world.cast.chi.id, {"dead_letter_id": letter})


def test_it_refuses_an_operators_mending(world: World) -> None:
    letter = item_letter(world, world.project())
    before = counted(world)
    for dry_run in (True, False):
        with pytest.raises(errors.Forbidden, match="mend none"):
            replay(world, letter, "dov", body=mended(original(world, letter)), dry_run=dry_run)
    assert counted(world) == before


# Whose letters


def southwind(world: World) -> Any:
    return people.by_name(world.web, name="Southwind's") or people.add(world.web, name="Southwind's", role="customer", customer="Southwind", program=True)


def foreign(world: World, project: int) -> int:
    """Southwind's message for a project of Northwind's: refused, and Southwind's letter, of no project."""
    other = southwind(world)
    sender = admission.Sender(other.id, other.customer_id, "http", {"User-Agent": "engine/1"})
    [answer] = admission.admit(world.web, [body(project, "k")], sender=sender, worker="test", settings=parameters.current(world.web))
    return letter_of(answer)


def test_it_shows_a_letter_of_no_project_to_its_sender(world: World) -> None:
    letter = foreign(world, world.project())
    found = dead_letters.load(world.web, dead_letter_id=letter, person=southwind(world))
    assert (found.project_id, found.customer, found.received_by, found.headers) == (None, "Southwind", "Southwind's", {"User-Agent": "engine/1"})
    assert dead_letters.body(world.web, dead_letter_id=letter, person=southwind(world))
    for who in ("eve", "ada"):
        for call in (dead_letters.load, dead_letters.body, replays.one):
            with pytest.raises(errors.NotFound):
                call(world.web, dead_letter_id=letter, person=getattr(world.cast, who))
        assert not [d for d in dead_letters.page(world.web, person=getattr(world.cast, who), limit=500) if d.id == letter]
    assert [d.id for d in dead_letters.page(world.web, person=southwind(world), wanted=Filter(open=True))][-1] == letter


def test_it_reaches_no_further_by_a_replay_than_by_the_first_sending(world: World) -> None:
    """Whoever replays it: an operator's reach is not lent to the sender."""
    letter = foreign(world, project := world.project())
    for who in ("dov", "chi"):
        again = replay(world, letter, who, dry_run=True)
        assert again.result == "refused"
    assert replay(world, letter, "dov").code == "POISON_MESSAGE"
    assert waiting(world, project) == []


# Many


def test_it_keeps_what_comes_again_as_one_letter_that_counts(world: World) -> None:
    """The same bytes, refused for the same, of the same sender, whether in one call or in many."""
    project = world.project()
    bad, other = body(project, "k", match_decision="MATCHED"), body(project, "k2", match_decision="MATCHED")
    answers = admit(world, bad, bad, other) + admit(world, bad)
    letters = [letter_of(answer) for answer in answers]
    assert letters[0] == letters[1] == letters[3] != letters[2] and {answer.result for answer in answers} == {"refused"}
    found = {one.id: one.came_again for one in dead_letters.page(world.web, person=world.cast.dov, wanted=Filter(project_id=project, open=True))}
    assert found == {letters[0]: 2, letters[2]: 0}
    assert dead_letters.load(world.web, dead_letter_id=letters[0], person=world.cast.dov).came_again == 2
    assert world.one("SELECT count(*) FROM pipeline_records WHERE project_id = %s AND decision = 'refused'", project) == 4
    replay(world, letters[0])
    assert letter_of(admit(world, bad)[0]) not in letters, "what was replayed is no open letter any more"


def test_it_tells_two_senders_of_the_same_bytes_apart(world: World) -> None:
    bad = b"not JSON " + world.project().__repr__().encode()
    first, second = (admit(world, bad, by=sender(world, who))[0] for who in ("eve", "chi"))
    assert letter_of(first) != letter_of(second)


def test_it_holds_nobodys_counter_while_it_replays(world: World) -> None:
    """The signals' rows are everybody's: they are touched once the replay is committed."""
    letter = message_letter(world, world.project())
    seen, whole = list[int](), admission.tell

    def tell(*given: Any) -> None:
        seen.append(len(world.all("SELECT FROM dead_letter_replays WHERE dead_letter_id = %s", letter)))
        whole(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admission, "tell", tell)
        replay(world, letter)
    assert seen == [1]


def test_it_names_no_cause_by_what_a_sender_made_up(world: World) -> None:
    project = world.project()
    refused = [Refused(f"{n}", "INVALID_ROW", f"items[{n}].payload.made up {n}\u202e.base64", "is wrong", "t", b"x") for n in range(3)]
    with world.web.transaction() as connection:
        dead_letters.keep(connection, project_id=project, batch_id=None, refused=refused)
    [cause] = dead_letters.causes(world.web, person=world.cast.dov, project_id=project)
    assert (cause.cause, cause.letters) == ("payload.….base64", 3)
    assert "\u202e" not in dead_letters.page(world.web, person=world.cast.dov, wanted=Filter(project_id=project))[0].field


def test_it_groups_the_open_ones_by_cause(world: World) -> None:
    project = world.project()
    for n in range(3):
        message_letter(world, project, f"m-{n}")
    for n in range(2):
        item_letter(world, project, f"i-{n}")
    replay(world, item_letter(world, project, "gone"), body=mended(bad_row("gone")))
    found = dead_letters.causes(world.web, person=world.cast.dov, project_id=project)
    assert [(c.code, c.cause, c.gate, c.letters, c.projects) for c in found] == [
        ("POISON_MESSAGE", "matched_with_variance", "monetary", 3, 1), ("INVALID_ROW", "priority", None, 2, 1)]  # fmt: skip
    assert "at most 20" in found[1].example and found[0].oldest < found[0].newest
    assert dead_letters.causes(world.web, person=world.cast.ada) == []
    assert [c.letters for c in dead_letters.causes(world.web, person=world.cast.eve, project_id=project)] == [3, 2]


def test_it_sends_all_of_a_cause_once_and_comes_to_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused again is of the same cause: it is not met again in the same call."""
    monkeypatch.setattr(replays, "CHUNK", 2)
    project = world.project()
    letters = [item_letter(world, project, f"k-{n}") for n in range(5)]
    asked = replays.Asked(code="INVALID_ROW", cause="priority", project_id=project)
    done = replays.many(world.web, person=world.cast.dov, asked=asked)
    assert [r.dead_letter_id for r in done.results] == letters
    assert (done.counts(), done.left, done.stopped) == ({"admitted": 0, "repeated": 0, "refused": 5}, 0, "")
    assert len(dead_letters.page(world.web, person=world.cast.dov, wanted=Filter(project_id=project, open=True))) == 5


def test_it_sends_those_that_are_named_and_open(world: World) -> None:
    project = world.project()
    first, second, third = (item_letter(world, project, f"k-{n}") for n in range(3))
    replay(world, second)
    done = replays.many(world.web, person=world.cast.eve, asked=replays.Asked(ids=(first, second, 10**12)))
    assert [r.dead_letter_id for r in done.results] == [first] and is_open(world, third)


def test_it_leaves_the_letters_of_a_cancelled_project_where_they_are(world: World) -> None:
    letter = item_letter(world, project := world.project())
    world.sql.execute("UPDATE projects SET cancelled_at = clock_timestamp() WHERE id = %s", [project])
    done = replays.many(world.web, person=world.cast.dov, asked=replays.Asked(project_id=project))
    assert (done.results, done.left) == ([], 1)
    with pytest.raises(errors.ProjectCancelled):
        replay(world, letter)
    assert is_open(world, letter)


def test_it_stops_early_while_the_inbox_is_full_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "CHUNK", 1)
    project = world.project()
    for n in range(3):
        message_letter(world, project, f"k-{n}")
    calls = iter((None, errors.QueueSaturated("it is full")))

    def check(*_: Any) -> None:
        if (fault := next(calls)) is not None:
            raise fault

    monkeypatch.setattr(doors.rooms, "check", check)
    done = replays.many(world.web, person=world.cast.dov, asked=replays.Asked(project_id=project))
    assert (len(done.results), done.left, done.stopped) == (1, 2, "it is full")


def test_it_passes_over_what_somebody_else_sends_at_the_moment(world: World) -> None:
    project = world.project()
    first, second = (item_letter(world, project, f"k-{n}") for n in range(2))
    with world.web.transaction() as connection:
        connection.raw.execute("SELECT FROM dead_letters_open WHERE dead_letter_id = %s FOR UPDATE", [first])
        done = replays.many(world.web, person=world.cast.dov, asked=replays.Asked(project_id=project))
        assert [r.dead_letter_id for r in done.results] == [second]
    assert done.left == 1


def test_it_counts_each_letter_as_open_until_it_is_replayed(world: World) -> None:
    item_letter(world, world.project())
    wrong = world.all("""SELECT d.id FROM dead_letters d LEFT JOIN dead_letters_open o ON o.dead_letter_id = d.id
                          WHERE (o.dead_letter_id IS NULL) <> EXISTS (SELECT FROM dead_letter_replays r WHERE r.dead_letter_id = d.id)""")
    assert wrong == []


def test_it_keeps_replays_for_good(world: World) -> None:
    replay(world, item_letter(world, world.project()))
    for role in (world.conninfos.web, world.conninfos.owner):
        for statement in ("UPDATE dead_letter_replays SET detail = ''", "DELETE FROM dead_letter_replays", "TRUNCATE dead_letter_replays"):
            with psycopg.connect(role) as connection, pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)):
                connection.execute(statement)


# Without its guards


def test_it_needs_the_lock_that_others_pass_over(world: World) -> None:
    project = world.project()
    first, _ = (item_letter(world, project, f"k-{n}") for n in range(2))
    with without("dead_letters/take", "FOR NO KEY UPDATE OF o SKIP LOCKED"), world.web.transaction() as connection:
        connection.raw.execute("SELECT FROM dead_letters_open WHERE dead_letter_id = %s FOR UPDATE", [first])
        taken = world.web.all("dead_letters/take", doors.Row, person_id=world.cast.dov.id, after=0, last=2**40, limit=9, bytes=2**30,
                              **replays.Asked(project_id=project).named())  # fmt: skip
    assert [r.id for r in taken][:1] == [first]


def test_it_needs_the_check_whose_letter_it_is(world: World) -> None:
    letter = item_letter(world, world.project())
    guard = "me.customer_id = COALESCE(p.customer_id, d.customer_id)"
    with pytest.raises(errors.NotFound):
        replays.one(world.web, dead_letter_id=letter, person=southwind(world), dry_run=True)
    with without("dead_letters/replayable", guard, "true"):
        assert replays.one(world.web, dead_letter_id=letter, person=southwind(world), dry_run=True).result == "refused"


def test_it_needs_the_look_for_an_item_before_a_message_waits_again(world: World) -> None:
    project = world.project()
    letter = message_letter(world, project, "k")
    [in_already] = admit(world, body(project, "k"))
    guard = "NOT EXISTS (SELECT FROM inbox i WHERE i.message_id = m.id) AND"
    with without("inbox/again", guard), pytest.raises(errors.StatementFailed):
        replay(world, letter, body=body(project, "k"))
    assert replay(world, letter, body=body(project, "k")).message_id == in_already.message_id


# With the real pool's handling


def test_it_hands_a_message_that_was_given_up_to_a_handler_that_works(world: World) -> None:
    """Poison at the pool, replayed once the cause is mended: the same message, one item, its partition's order kept for what came later."""
    project = world.project()
    pipeline.clear(world)
    pipeline.send(world, project, "k", "later")
    world.sql.execute("UPDATE inbox SET attempts = 5 WHERE message_id = (SELECT min(id) FROM messages WHERE project_id = %s)", [project])
    while runs := pipeline.pull(world):
        pipeline.handle(world, runs)
    [letter] = dead_letters.page(world.web, person=world.cast.dov, wanted=Filter(project_id=project, open=True))
    assert (letter.source, letter.cause, letter.attempts) == ("pool", "handler_failed", 5) and pipeline.items(world, project) == ["later"]
    came = replay(world, letter.id, "dov")
    assert (came.result, came.message_id, came.detail) == ("admitted", letter.message_id, doors.WAITS)
    assert pipeline.handle(world, pipeline.pull(world)) == handling.Handled(1, 0)
    assert pipeline.items(world, project) == ["later", "k"]
    assert replay(world, letter.id) == came and pipeline.pull(world) == []


def test_whoever_mended_what_an_item_came_of_is_not_its_second_pair_of_eyes(world: World) -> None:
    """They wrote what is to be judged."""
    pipeline.clear(world)
    letter = message_letter(world, project := world.project(four_eyes=[{}]))
    assert replay(world, letter, body=body(project, "k")).result == "admitted"
    assert pipeline.handle(world, pipeline.pull(world)) == handling.Handled(1, 0)
    world.publish()
    [item] = world.all("SELECT * FROM items WHERE project_id = %s", project)
    claim = tasks.claim(world.web, me=world.cast.ada.id, item_id=item.id)
    assert claim is not None
    world.decide(claim)
    [waits] = world.all("SELECT t.barred FROM approvals a JOIN tasks t ON t.id = a.task_id WHERE a.item_id = %s", item.id)
    assert world.cast.chi.id in waits.barred
