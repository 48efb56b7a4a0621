"""What bin/run says before anything is installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def bootstrap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", Path(__file__).parents[2] / "bin" / "bootstrap.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def begun(bootstrap: ModuleType, script: str) -> list:
    return [bootstrap._begin([sys.executable, "-c", script], "the long thing")]


def test_it_is_never_silent_for_long(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(bootstrap, "TICK", 0.05)
    bootstrap._finish(begun(bootstrap, "import time; time.sleep(0.5)"))
    assert capsys.readouterr().err.count("… the long thing") >= 2


def test_it_repeats_what_failed(bootstrap: ModuleType):
    with pytest.raises(bootstrap.Failure, match="the long thing failed:\nno such wheel"):
        bootstrap._finish(begun(bootstrap, "raise SystemExit('no such wheel')"))
