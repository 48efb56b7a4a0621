"""Draining, with real workers and a real dispatcher: what is in hand is finished, nothing new is taken, and then it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from claimcheck.operations import drains
from claimcheck.operations.pulse import Pulse
from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage
from workers.intake import Intake


def test_it_finishes_what_is_in_hand_takes_nothing_new_and_goes_on(stage: Stage, machinery: Machinery, make_hook: Callable[[], Hook]) -> None:
    hook = make_hook()
    project = stage.project(url=hook.url)
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: sum(program.live for program in drains.state(stage.web).programs) == 2)
    hook.misbehave(delay_seconds=3.0, delay_rate=1.0)
    first = stage.outcomes(project, 2)
    machinery.wait(lambda: len(hook.entries()) == 2)  # they are in hand
    assert drains.drain(stage.web, me=stage.dov, reason="A new release")
    assert not drains.state(stage.web).empty
    found = drains.wait(stage.web, 60)
    assert found.empty and stage.states(project.webhook) == {"done": 2}, "what was in hand was finished"
    hook.misbehave()
    waiting = stage.outcomes(project, 3)
    machinery.kill("worker")
    machinery.start("worker")  # one that starts meanwhile takes nothing either
    machinery.wait(lambda: sum(program.live and program.resting for program in drains.state(stage.web).programs) >= 2)
    assert stage.states() == {"done": 4, "pending": 6} and hook.effects() == Counter(first)
    assert drains.resume(stage.web, me=stage.dov)
    machinery.drained()
    assert hook.effects() == Counter(first + waiting)


def test_what_intake_does_beside_its_pools_is_in_hand_too(stage: Stage) -> None:
    """A drain that is waited for sees the round which resolves, relays or reads a folder."""
    pulse = Pulse(stage.worker, "intake", lambda: 2)
    work = Intake._unless_resting(cast(Any, SimpleNamespace(pulse=pulse)), pulse.in_hand)
    assert (work(), pulse.in_hand()) == (3, 2)
    with pulse.round(), pulse.round():
        pulse.beat()
    [program] = [one for one in drains.state(stage.web).programs if one.name == pulse.name]
    assert program.busy == 4
    pulse.resting.set()
    assert work() is None
    pulse.stop()
