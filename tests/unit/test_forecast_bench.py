"""The back-test: what it reads, and that its page is what it writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import forecast, forecast_plots
from claimcheck.forecasts.judged import Said

ROOT = Path(__file__).parents[2]


def steady(name: str, looks: int, an_hour: float) -> forecast.Job:
    return forecast.Job(name, [(n / an_hour, f"w{n % 3}") for n in range(looks)])


def test_it_forecasts_steady_work_by_what_other_jobs_took():
    """Work at an even pace takes as long as the plain rate says, and the others' ratios say so."""
    jobs = [steady(f"relex_cf {n}", 400 + n, 24.0) for n in range(25)]
    told = forecast.said([*forecast.points(jobs, forecast.by_quarters)], "last", learned=True)
    assert len(told) == 25 * len(forecast.AT)
    assert all(abs(s.point / s.actual - 1) < 0.1 for s in told)
    slow = forecast.said([*forecast.points(jobs, forecast.by_quarters)], "last", learned=False)
    assert all(abs(s.point / s.actual - 2.1) < 0.25 for s in slow)


def test_it_never_learns_from_the_job_that_it_forecasts():
    jobs = [steady(f"relex_cf {n}", 200, 60.0) for n in range(25)]
    found = [*forecast.points(jobs, forecast.by_quarters)]
    assert {p.ended for p in forecast.past(found, 7)} == {*range(25)} - {7}


def test_it_reads_moments_of_both_kinds_and_leaves_test_questions_out(tmp_path):
    (tmp_path / "labels.csv").write_text(
        "worker,submitted_at,job,is_gold\nada,2014-11-26T15:00:00,1,true\nben,2014-11-26T16:30:00,1,false\nada,1417019400,2,\n", encoding="utf-8"
    )
    first, second = forecast.read(tmp_path, "job")
    assert first.looks == [(pytest.approx(1417019400 / 3600), "ben")]
    assert second.looks == [(pytest.approx(1417019400 / 3600), "ada")]


def test_its_plots_mark_what_a_band_did_not_hold():
    said = [Said(1, 0, 2, 1, 4, 3), Said(2, 3, 2, 1, 4, 9)]
    assert forecast_plots.bands(said).count("#ab2f27") == 1
    assert forecast_plots.scatter(said).count('fill-opacity=".7"') == 2


def test_its_back_test_is_what_the_docs_say():
    """The page's own figures are within what was promised: a band that holds in 70 to 90 of 100, half the errors under 40 %."""
    page = (ROOT / "docs" / "forecast-backtest.md").read_text(encoding="utf-8")
    [row] = re.findall(r"\| \*\*95 % of the looks\*\* \|.*", page)
    error, held = (int(text) for text in re.findall(r"(\d+)%", row))
    assert error <= 40 and 70 <= held <= 90
    assert all((ROOT / "docs" / name).is_file() for name in re.findall(r"\]\((forecast-\w+\.svg)\)", page))
