"""The alert rules that are shipped: the cases of promtool's file, judged by the desk itself, and by promtool where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimcheck import errors
from claimcheck.operations import conditions
from claimcheck.operations.conditions import Judge, Sample

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
[CASES] = yaml.safe_load((DEPLOY / "alerts_test.yml").read_text(encoding="utf-8"))["tests"]
METRICS = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")


def values(notation: str) -> list[float]:
    """promtool's: `1`, `1x4` (five of them), `0+300x4` (each 300 more)."""
    found: list[float] = []
    for part in notation.split():
        begin, step, times = re.fullmatch(r"([\d.]+)(?:\+([\d.]+))?(?:x(\d+))?", part).groups()  # type: ignore[union-attr]
        found += [float(begin) + n * float(step or 0) for n in range(int(times or 0) + 1)]
    return found


def series(text: str) -> tuple[str, conditions.Labels]:
    name, _, inner = text.partition("{")
    return name, conditions.labels(dict(conditions.MATCHER.findall(inner)))


def firing(name: str, minute: int) -> list[dict[str, Any]]:
    """What fires after the rounds up to a minute, as promtool expects it."""
    judge, found = Judge(conditions.load()), list[conditions.Firing]()
    given = [(*series(one["series"]), values(one["values"])) for one in CASES["input_series"]]
    for now in range(minute + 1):
        found = judge.firing([Sample(n, labels, row[now]) for n, labels, row in given if now < len(row)], now * 60)
    return [
        {
            "exp_labels": {"severity": one.rule.severity, **dict(one.labels)},
            "exp_annotations": {"summary": one.summary, "description": one.description},
        }
        for one in found
        if one.rule.name == name
    ]


@pytest.mark.parametrize("case", CASES["alert_rule_test"], ids=lambda case: f"{case['alertname']} {case['eval_time']}")
def test_it_fires_when_the_fixtures_say(case: dict[str, Any]) -> None:
    assert firing(case["alertname"], int(case["eval_time"].rstrip("m"))) == case["exp_alerts"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="no promtool here (Debian's package prometheus has it)")
def test_it_is_what_prometheus_says_of_the_same_fixtures() -> None:
    for words in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *words], cwd=DEPLOY, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_it_has_a_case_for_each_rule_and_each_is_documented() -> None:
    fired = {case["alertname"] for case in CASES["alert_rule_test"] if case["exp_alerts"]}
    quiet = {case["alertname"] for case in CASES["alert_rule_test"] if not case["exp_alerts"]}
    names = {rule.name for rule in conditions.load()}
    assert fired == quiet == names
    documented = re.findall(r"^\| `(Claimcheck\w+)` \| `(.+?)` \| (\w+) \|", METRICS, re.MULTILINE)
    shipped = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
    assert documented == [(rule["alert"], rule["expr"], rule["for"]) for rule in shipped]


@pytest.mark.parametrize("expression", ["rate(claimcheck_dead_letters[5m]) > 1", "a > b", "claimcheck_pending >"])
def test_it_refuses_a_rule_that_it_could_not_judge(expression: str, tmp_path: Path) -> None:
    text = (DEPLOY / "alerts.yml").read_text().replace("claimcheck_disk_free_ratio < 0.1", expression)
    (tmp_path / "alerts.yml").write_text(text)
    with pytest.raises(errors.Invalid, match=r"ClaimcheckDiskFull|measure") as refused:
        conditions.load(tmp_path / "alerts.yml")
    assert refused.value.errors[0].field == "ClaimcheckDiskFull"


def test_it_documents_every_measure_by_the_name_in_the_code() -> None:
    sources = [ROOT / "claimcheck/operations/metrics.py", ROOT / "claimcheck/operations/measures.py"]
    named = {name for path in sources for name in re.findall(r'"(claimcheck_\w+)"', path.read_text(encoding="utf-8"))}
    assert set(re.findall(r"^\| `(claimcheck_\w+)", METRICS, re.MULTILINE)) == named and len(named) > 14
    assert {rule.measure for rule in conditions.load()} <= named
