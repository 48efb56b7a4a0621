"""The review page in Chromium: from the click on "Next item" until the next item's page can be worked with and has been drawn."""

from __future__ import annotations

import base64
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from bench import ground
from bench.desk import Desk, desk
from bench.figures import Part, spread
from bench.load import Floor
from bench.sides import percentile
from claimcheck import projects, publishing, rules
from claimcheck.access import passwords, people
from claimcheck.db import Database
from claimcheck.intake import batches
from claimcheck.review import decisions, tasks
from claimcheck.store import Store

SKILL, PASSWORD = "documents", secrets.token_urlsafe(12)
WARM, MOST = 5, 150  # pages before those that count; milliseconds of the 95th in a hundred
GIVEN = {"name": "Documents", "skill": SKILL, "reason_codes": ["as it should be", "name differs", "document expired"], "guidance": "Compare the two."}
# Told by the page itself, so that no driver's answer is waited for: asked when the button is clicked, usable when the
# script has said what is still wanted, drawn with the frame after that. A session's storage outlives the navigation.
WATCH = """(() => {
  const at = () => performance.timeOrigin + performance.now();
  addEventListener("click", (event) => event.target.closest("form[action$='/next'] button") && (sessionStorage.asked = at()), true);
  const drawn = () => requestAnimationFrame(() => setTimeout(() => {
    sessionStorage.answered = performance.timeOrigin + performance.getEntriesByType("navigation")[0].responseEnd;
    sessionStorage.usable = at();
    document.documentElement.dataset.usable = "";
  }));
  const look = () => document.getElementById("wants")?.textContent ? drawn() : setTimeout(look, 1);
  if (location.pathname.startsWith("/assignments/")) look();
})()"""


def payload(n: int) -> dict[str, object]:
    """An ordinary item: a dozen fields and two files, a text and a table."""
    table = "position,amount\n" + "\n".join(f"{row},{row * n % 977}.00" for row in range(40))
    letter = "To whom it may concern: what is written here is to be compared with the fields. " * 25
    files = [("letter.txt", "text/plain", letter), ("positions.csv", "text/csv", table)]
    return {
        **{f"field {k}": f"value {k} of item {n}" for k in range(12)},
        "files": [{"name": name, "content_type": kind, "base64": base64.b64encode(text.encode()).decode()} for name, kind, text in files],
    }


class Work:
    """Ada, her items on a desk, and her decisions, which are made past the browser."""

    def __init__(self, place: Desk, items: int):
        self.db = Database(place.web, max_size=2)
        eve = people.add(self.db, name="Eve", role="customer", email="eve@example.org", customer="Northwind")
        self.ada = people.add(self.db, name="Ada", role="reviewer", email="ada@example.org")
        passwords.choose(self.db, person=self.ada, password=PASSWORD)
        made = projects.create(self.db, by=eve, rules=rules.parse(GIVEN))
        people.give_skill(self.db, person_id=self.ada.id, skill=SKILL)
        batches.take(self.db, project=made.id, by=eve.id, rows=[{"idempotency_key": str(n), "payload": payload(n)} for n in range(items)])
        self._publish(place)

    def _publish(self, place: Desk) -> None:
        worker, store = Database(str(place.settings.database_url_worker), max_size=10), Store(place.settings)
        while publishing.publish(worker, store).taken:
            pass
        worker.close()

    def decide(self) -> None:
        """What she holds."""
        held = tasks.claim(self.db, me=self.ada.id)
        assert held is not None and held.again
        decisions.submit(
            self.db, assignment_id=held.assignment_id, lease_token=held.lease_token, me=self.ada.id, evidence_hash=held.evidence_hash,
            verdict="approve", reason_code=GIVEN["reason_codes"][0],
        )  # fmt: skip


@contextmanager
def browser(address: str) -> Iterator[Page]:
    """Chromium, signed in as Ada."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = chromium.new_context(base_url=address).new_page()
        page.goto("/login")
        page.locator("input[name=email]").fill("ada@example.org")
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")
        page.wait_for_url(lambda url: "/login" not in url)
        page.add_init_script(WATCH)
        yield page
        chromium.close()


def open_next(page: Page) -> tuple[float, float]:
    """Seconds until the server had answered, and until the page was usable."""
    page.goto("/review")
    page.evaluate("sessionStorage.clear()")
    page.get_by_role("button", name="Next item").click()
    page.wait_for_url("**/assignments/*")
    page.wait_for_selector("html[data-usable]")
    asked, answered, usable = (float(page.evaluate(f"sessionStorage.{name}")) for name in ("asked", "answered", "usable"))
    return (answered - asked) / 1000, (usable - asked) / 1000


def main(full: bool, rounds: int = 5, times: int = 0, pending: int = 0) -> Part:
    times = times or (60 if full else 20)
    pending = pending or (100_000 if full else 10_000)
    part = Part("page", ["", "p50 ms", "p95 ms"])
    with ground.server() as postgres, desk(postgres, Floor(pending=pending)) as place:
        part.say("taking the items in")
        work = Work(place, rounds * times + WARM)
        with browser(place.settings.base_url) as page:
            taken = [_measured(page, work) for _ in range(rounds * times + WARM)][WARM:]
        work.db.close()
    for what, which in (("the server had answered", 0), ("the page was usable", 1)):
        by_round = [[one[which] for one in taken[n::rounds]] for n in range(rounds)]
        p50, p95 = ([percentile(one, share) for one in by_round] for share in (0.5, 0.95))
        part.row(f"until {what}", spread(p50, 1), spread(p95, 1))
    part.goal("from the click to the next item's page being usable, p95", p95, most=MOST, unit="ms")
    return part


def _measured(page: Page, work: Work) -> tuple[float, float]:
    taken = open_next(page)
    work.decide()
    return taken
