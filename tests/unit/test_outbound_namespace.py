"""Canaries on real inward addresses, in network namespaces that the test makes: none is ever connected to."""

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.unit.outbound_namespace import URLS


def able() -> bool:
    tools = all(map(shutil.which, ("unshare", "nsenter", "ip")))
    return tools and subprocess.run(["unshare", "-rn", "ip", "link", "add", "type", "veth"], capture_output=True).returncode == 0


def run(*arguments: str) -> dict[str, Any]:
    command = ["unshare", "-rn", sys.executable, "-m", "tests.unit.outbound_namespace", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)


@pytest.mark.skipif(not able(), reason="needs unshare, nsenter, ip and leave to make network namespaces")
def test_it_connects_to_no_inward_address_that_really_answers() -> None:
    guarded = run()
    public = guarded["answers"].pop("https://45.0.0.2/")
    assert public == "connection", "the public one is reached, and hangs up"
    assert set(guarded["answers"].values()) == {"denied"} and len(guarded["answers"]) == len(URLS) - 1
    assert guarded["reached"] == {"45.0.0.2": 1}
    weakened = run("weakened")
    assert {"169.254.169.254", "10.0.0.5", "fd00::5", "45.0.0.1", "127.0.0.1", "::1"} <= set(weakened["reached"])
