"""The forecast played against real crowds on a fake clock: `python -m bench.forecast FOLDER [--docs FOLDER]`.

FOLDER holds relex_cf and coal_cf, whose labels.csv say when each look was submitted. Each job is forecast at 10, 20, 40, 60 and 80 % of its looks by the
product's own functions, with the ratios of all the other jobs; then its own looks say what happened. With --docs the table and the plots are written there.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from bench import forecast_plots as plots
from claimcheck.forecasts import estimate, judged, measuring, ratios
from claimcheck.forecasts.estimate import Line
from claimcheck.forecasts.judged import Said
from claimcheck.forecasts.ratios import Past

AT = (0.10, 0.20, 0.40, 0.60, 0.80)  # of a job's looks
WINDOW_HOURS, QUARTERS = 6, 24
DEADLINES = (0.5, 1, 1.5, 2, 3, 5)  # times the raw hours, to see whether chances come true
SETS = {"relex_cf": "batch", "coal_cf": "job"}  # the column that names the job

Rate = Callable[[Sequence[float], float], float | None]


@dataclass(frozen=True)
class Job:
    """Its looks in the order of their submission: hours, and who."""

    name: str
    looks: list[tuple[float, str]]

    def reached(self, share: float) -> float:
        """When this share of its looks was there, in hours."""
        return self.looks[math.ceil(share * len(self.looks)) - 1][0]


@dataclass(frozen=True)
class Point:
    """A job at one progress: what the desk would have known, and the hours that it took from there."""

    job: int
    at: float
    line: Line
    items: int
    settled: int
    most: float
    last: float

    @cached_property
    def raw(self) -> tuple[float, float]:
        """Hours by the plain rate, to 95 % and to the last."""
        found = self.forecast([])
        assert found.raw_most is not None
        assert found.raw_last is not None
        return found.raw_most, found.raw_last

    def forecast(self, past: Sequence[Past], hours_left: float | None = None) -> estimate.Forecast:
        return estimate.forecast([self.line], items=self.items, settled=self.settled, past=past, looks_an_item=1.0, hours_left=hours_left)


def read(folder: Path, column: str) -> list[Job]:
    """The jobs of a set. Looks at test questions belong to no item that anybody waits for."""
    jobs: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with (folder / "labels.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row.get("is_gold") != "true":
                jobs[row[column]].append((hours(row["submitted_at"]), row["worker"]))
    return [Job(f"{folder.name} {name}", sorted(looks)) for name, looks in sorted(jobs.items())]


def hours(text: str) -> float:
    """Seconds since the epoch, or a moment as ISO writes it, in hours."""
    return (float(text) if text.isdecimal() else datetime.fromisoformat(f"{text}+00:00").timestamp()) / 3600


def by_quarters(ages: Sequence[float], _since: float) -> float | None:
    """The product's rate."""
    counts = [0] * QUARTERS
    for age in ages:
        if age < WINDOW_HOURS:
            counts[int(age * estimate.QUARTERS_AN_HOUR)] += 1
    return estimate.rate(counts)


def by_window(ages: Sequence[float], since: float) -> float | None:
    """All looks of six hours alike."""
    lately = [age for age in ages if age < WINDOW_HOURS]
    return len(lately) / max(min(WINDOW_HOURS, since), 0.25)


def by_mean(ages: Sequence[float], since: float) -> float | None:
    """All looks since the first."""
    return len(ages) / max(since, 0.25)


RATES: dict[str, Rate] = {"the desk's: half-life 2 h within 6 h": by_quarters, "6 h, all alike": by_window, "since the start": by_mean}


def points(jobs: Sequence[Job], rate: Rate) -> Iterator[Point]:
    """Each job at each progress that leaves something to wait for."""
    for number, job in enumerate(jobs):
        total = len(job.looks)
        for at in AT:
            given = math.ceil(at * total)
            now = job.looks[given - 1][0]
            ages = [now - when for when, _ in job.looks[:given]]
            there = {who for when, who in job.looks[:given] if now - when < WINDOW_HOURS}
            line = Line("", False, total - given, total - given, 0.0, len(there), rate(ages, now - job.looks[0][0]))
            if job.reached(1) > now:
                yield Point(number, at, line, total, given, max(0.0, job.reached(estimate.MOST) - now), job.reached(1) - now)


def past(found: Sequence[Point], without: int) -> list[Past]:
    """The ratios of every job but one."""
    of = [(p, p.raw) for p in found if p.job != without]
    return [Past(p.job, ratios.bucket(p.settled / p.items), p.most / raw[0] if p.most > 0 and raw[0] else None, p.last / raw[1]) for p, raw in of]


def said(found: Sequence[Point], which: ratios.Which, *, learned: bool) -> list[Said]:
    """Every forecast, by the other jobs' ratios or by the initial ones, and what happened."""
    told = []
    for point in found:
        band = getattr(point.forecast(past(found, point.job) if learned else []), which)
        actual = getattr(point, which)
        if band and actual > 0:
            told.append(Said(point.job, ratios.bucket(point.settled / point.items), band.point, band.low, band.high, actual))
    return told


def plain(found: Sequence[Point], which: ratios.Which) -> list[Said]:
    """The plain rate's own words: no band."""
    at = 0 if which == "most" else 1
    return [Said(p.job, 0, p.raw[at], p.raw[at], p.raw[at], getattr(p, which)) for p in found if getattr(p, which) > 0 and p.raw[at]]


def chances(found: Sequence[Point]) -> list[tuple[float, bool]]:
    """What was said of missing a deadline, and whether it was missed."""
    told = []
    for point in found:
        known, raw = past(found, point.job), point.raw[1]
        for times in DEADLINES:
            chance = point.forecast(known, hours_left=raw * times).miss_probability
            assert chance is not None
            told.append((chance, point.last > raw * times))
    return told


WORDS = {"most": "95 % of the looks", "last": "the last look"}


def row(*cells: object) -> str:
    return "| " + " | ".join(str(c) for c in cells) + " |"


def card_row(card: judged.Card | None, *first: object) -> str:
    if card is None:
        return row(*first, *["–"] * 5)
    return row(*first, card.forecasts, f"{card.error:.0%}", f"{card.bias:.2f}", f"{card.coverage:.0%}", f"×{card.width:.1f}")


def tables(jobs: Sequence[Job]) -> Iterator[str]:
    """The whole page, line by line."""
    found = list(points(jobs, by_quarters))
    head = "| to | ratios | forecasts | median error | said / actual | 80 % band held | width |"
    yield from [head, "|---|---|---|---|---|---|---|"]
    for which, words in WORDS.items():
        yield card_row(judged.card(said(found, which, learned=True)), f"**{words}**", "of the other jobs")
        yield card_row(judged.card(said(found, which, learned=False)), words, "the initial ones")
        yield card_row(judged.card(plain(found, which)), words, "none, the plain rate")
    yield from [
        "",
        "By progress, with the ratios of the other jobs:",
        "",
        "| to | progress | forecasts | median error | said / actual | 80 % band held | width |",
    ]
    yield "|---|---|---|---|---|---|---|"
    names = measuring.buckets()
    for which, words in WORDS.items():
        for bucket, card in judged.by_bucket(said(found, which, learned=True)).items():
            yield card_row(card, words, names[bucket])
    yield from [
        "",
        "By set:",
        "",
        "| to | set | forecasts | median error | said / actual | 80 % band held | width |",
        "|---|---|---|---|---|---|---|",
    ]
    for which, words in WORDS.items():
        told = said(found, which, learned=True)
        for name in SETS:
            yield card_row(judged.card([s for s in told if jobs[s.ended].name.startswith(name)]), words, name)
    yield from [
        "",
        "Other rates, with the ratios of the other jobs, to 95 %:",
        "",
        "| rate | forecasts | median error | said / actual | 80 % band held | width |",
    ]
    yield "|---|---|---|---|---|---|"
    for name, rate in RATES.items():
        yield card_row(judged.card(said(list(points(jobs, rate)), "most", learned=True)), name)
    yield from [
        "",
        "Chances of missing a deadline (the last look, deadlines at half to five times the raw hours):",
        "",
        "| said | times | came true |",
        "|---|---|---|",
    ]
    told_chances = chances(found)
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.001)):
        those = [missed for chance, missed in told_chances if low <= chance < high]
        yield row(f"{low:.0%} to {min(high, 1):.0%}", len(those), f"{sum(those) / len(those):.0%}" if those else "–")


def page(jobs: Sequence[Job]) -> str:
    looks = sum(len(job.looks) for job in jobs)
    sets = " and ".join(f"{sum(j.name.startswith(name) for j in jobs)} of {name}" for name in SETS)
    about = (
        f"Written by `python -m bench.forecast ../shared/data/labels --docs docs`; don't edit it. {len(jobs)} jobs ({sets}), {looks:,} looks, each job\n"
        "forecast at 10, 20, 40, 60 and 80 % of its looks by the desk's own functions on a fake clock, with the ratios of all jobs but itself.\n"
        "The bands hold as often as they should for any jobs that are alike, which is what leaving one out measures; the rows by set show what happens to those that are not:\n"
        "seven jobs of another crowd among 46, until a desk has a record of its own. The initial ratios come from these very jobs, so their rows are no test of them.\n"
        "An item is a look here: crowds gave theirs to items in no order that would tell when one was done.\n"
    )
    pictures = "![Said against what happened](forecast-backtest.svg)\n\n![The band of each job](forecast-bands.svg)\n"
    return "\n".join(["# The forecast, back-tested", "", about, *tables(jobs), "", pictures])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.forecast", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docs", type=Path)
    asked = parser.parse_args()
    jobs = [job for name, column in SETS.items() for job in read(asked.folder / name, column)]
    text = page(jobs)
    print(text)
    if asked.docs:
        told = said(list(points(jobs, by_quarters)), "most", learned=True)
        (asked.docs / "forecast-backtest.md").write_text(text, encoding="utf-8")
        (asked.docs / "forecast-backtest.svg").write_text(plots.scatter(told), encoding="utf-8")
        (asked.docs / "forecast-bands.svg").write_text(plots.bands(told), encoding="utf-8")


if __name__ == "__main__":
    main()
