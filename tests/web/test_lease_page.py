"""A project's lease time: counted by a worker, shown with what the present lease cuts off, changed as a version of the rules."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re

import pytest

from claimcheck import projects
from claimcheck.review import lease_times, tasks
from claimcheck.web import lease_times as lease_page
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.reviewer import desk, live  # noqa: F401 (fixtures)
from tests.web.test_pay_page import plain


def turn_back(desk: LiveDesk, change: str) -> None:
    """Changes what no role may: when the newest lease began."""
    desk.execute(f"SET session_replication_role = replica; UPDATE assignments SET {change} WHERE id = (SELECT max(id) FROM assignments)")


def counted(desk: LiveDesk, *seconds: int, left: int = 0, **rules: int) -> int:
    """A project whose leases took so long until a decision, and one that was left after so many seconds, counted now."""
    project = desk.project(name=f"Timed {desk.execute('SELECT count(*) FROM projects')[0][0]}", **{"lease_seconds": 900} | rules)
    desk.send(project, *({"case": f"case {i}"} for i in range(len(seconds) + 1)))
    for taken in seconds:
        desk.decide(desk.cast.ada)
        turn_back(desk, f"claimed_at = ended_at - interval '{taken} s'")
    if left:
        assert tasks.claim(desk.web, me=desk.cast.ada.id) is not None
        turn_back(desk, f"claimed_at = claimed_at - interval '1 day', lease_expires = claimed_at - interval '1 day' + interval '{left} s'")
    assert lease_times.count(desk.worker, seconds=0)
    return project


def test_it_counts_each_project_s_leases_by_whole_seconds_and_not_again_within_the_hour(desk: LiveDesk):
    project = counted(desk, 10, 10, 40, left=25)
    times = lease_times.of_project(desk.web, project_id=project)
    assert times is not None and (times.decided, times.undecided) == (3, 1)
    assert [(p.seconds, round(p.share, 3)) for p in times.points] == [(10, 0.5), (40, 0.0)]
    assert times.advised == 120 and not lease_times.count(desk.worker)


def test_it_shows_what_the_lease_cuts_off_and_changes_it_on_record(desk: LiveDesk):
    project = counted(desk, 50, 100, 1000)
    page = browser(desk.app, desk.cast.chi).get(f"/projects/{project}/lease")
    assert "Advised: 17 min instead of 15 min" in plain(page.text) and "cut off 33.3 % of the work, one of 17 min nothing" in plain(page.text)
    assert '<line class="now"' in page.text and '<line class="advised"' in page.text and "the lease now, 15 min" in page.text and "The numbers" not in page.text
    assert "50 % 1 min 40 s" in plain(page.text) and "3 leases that were decided" in plain(page.text)
    sent = browser(desk.app, desk.cast.chi).post(f"/projects/{project}/lease", data={"seconds": "1020", "why": "as advised"})
    now = projects.load(desk.web, project, desk.cast.chi)
    assert sent.status_code in (204, 302, 303) and (now.parsed.lease_seconds, now.version, now.why) == (1020, 2, "as advised")


def test_beyond_the_longest_lease_it_claims_no_more_than_is_known(desk: LiveDesk):
    """The estimate stays level behind the last lease that was seen: less may be undecided then, and nobody knows how much."""
    project = counted(desk, 1, 1, 1, left=30)
    text = browser(desk.app, desk.cast.chi).get(f"/projects/{project}/lease").text
    assert "A lease of 15 min that nothing extends would cut off at most 25.0 % of the work, one of 2 min at most 25.0 %" in plain(text)
    assert "No lease that is counted lasted longer than 30 s." in plain(text)
    line = re.search(r'<polyline class="curve" points="([^"]+)"', text)
    assert browser(desk.app, desk.cast.chi).post(f"/projects/{project}/lease", data={"seconds": "120", "why": "as advised"}).status_code < 400
    assert "The lease is as advised" in browser(desk.app, desk.cast.chi).get(f"/projects/{project}/lease").text
    assert line is not None and float(line[1].split()[-1].split(",")[0]) < 0.6 * lease_page.WIDTH


@pytest.mark.parametrize(
    ("seconds", "why", "words"),
    [
        ("", "x", "whole number"),
        ("1.5", "x", "whole number"),
        ("0", "x", "lease_seconds"),
        ("99999999", "x", "lease_seconds"),
        ("600", " ", "say why"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_what_was_typed(desk: LiveDesk, seconds: str, why: str, words: str):
    project = counted(desk, 50)
    refused = browser(desk.app, desk.cast.chi).post(f"/projects/{project}/lease", data={"seconds": seconds, "why": why})
    assert refused.status_code == 422 and words in refused.text and f'name="seconds" inputmode="numeric" value="{seconds}"' in refused.text
    assert projects.load(desk.web, project, desk.cast.chi).version == 1


def test_it_says_what_stands_in_the_way_of_its_advice(desk: LiveDesk):
    project = counted(desk, 10, lease_seconds=30, max_hold_seconds=60)
    assert "An item may be held for 1 min at most here" in plain(browser(desk.app, desk.cast.chi).get(f"/projects/{project}/lease").text)


def test_it_is_for_leads_and_says_where_nothing_is_counted(desk: LiveDesk):
    project = desk.project(name="Not yet counted")
    assert "Nothing is counted yet" in browser(desk.app, desk.cast.dov).get(f"/projects/{project}/lease").text
    assert browser(desk.app, desk.cast.ada).get(f"/projects/{project}/lease").status_code == 403
    assert browser(desk.app, desk.cast.eve).get(f"/projects/{project}/lease").status_code == 403
    assert browser(desk.app, desk.cast.dov).post(f"/projects/{project}/lease", data={"seconds": "600", "why": "x"}).status_code == 403
