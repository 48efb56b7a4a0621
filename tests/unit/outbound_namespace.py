"""Run under `unshare -rn`: a desk and a receiver in network namespaces of their own, with real inward addresses between them.

Prints what each call came to and where a connection arrived. With the argument `weakened` nothing is judged.
"""

import collections
import json
import pathlib
import socket
import subprocess
import sys
import time

from claimcheck import outbound
from claimcheck.outbound import targets

THERE = ["169.254.169.254", "10.0.0.5", "192.168.7.7", "100.64.0.7"]
URLS = [f"https://{host}/" for host in ("45.0.0.2", *THERE, "[fd00::5]", "45.0.0.1", "0", "127.1", "[::1]", "[::ffff:45.0.0.1]")]


def listen() -> None:
    """Name each address at which somebody connects, a line each."""
    server = socket.create_server(("::", 443), family=socket.AF_INET6, dualstack_ipv6=True)
    while True:
        connection, _ = server.accept()
        sys.stdout.write(connection.getsockname()[0].removeprefix("::ffff:") + "\n")
        sys.stdout.flush()
        connection.close()


def ip(*words: str, inside: int | None = None) -> None:
    enter = [] if inside is None else ["nsenter", "-t", str(inside), "-n"]
    subprocess.run([*enter, "ip", *words], check=True)


def connect_namespaces(other: int) -> None:
    ip("link", "set", "lo", "up")
    ip("link", "add", "desk", "type", "veth", "peer", "name", "there", "netns", str(other))
    ip("addr", "add", "45.0.0.1/24", "dev", "desk")
    ip("-6", "addr", "add", "fd00::1/64", "dev", "desk", "nodad")
    ip("addr", "add", "45.0.0.2/24", "dev", "there", inside=other)
    ip("-6", "addr", "add", "fd00::5/64", "dev", "there", "nodad", inside=other)
    ip("link", "set", "desk", "up")
    ip("link", "set", "there", "up", inside=other)
    for address in THERE:
        ip("addr", "add", f"{address}/32", "dev", "there", inside=other)
        ip("route", "add", f"{address}/32", "via", "45.0.0.2")


def until_moved(process: int) -> None:
    """Until `unshare` is in its own namespace: before, the link's end would be put into ours."""
    while pathlib.Path(f"/proc/{process}/ns/net").readlink() == pathlib.Path("/proc/self/ns/net").readlink():
        time.sleep(0.05)


def until_answered(*hosts: str) -> None:
    """Connect and wait for the hanging up: whoever connected before is named by then."""
    for host in hosts:
        while True:
            try:
                with socket.create_connection((host, 443), 30) as connection:
                    connection.recv(1)
                    break
            except OSError:
                time.sleep(0.1)


def call_all(here: subprocess.Popen[str], there: subprocess.Popen[str]) -> dict[str, str | None]:
    try:
        until_moved(there.pid)
        connect_namespaces(there.pid)
        until_answered("45.0.0.2", "127.0.0.1")
        answers = {url: outbound.post(url, b"{}", {}, deadline_seconds=3).fault for url in URLS}
        until_answered("45.0.0.2", "127.0.0.1")
    finally:
        here.kill(), there.kill()
    return answers


def main() -> None:
    me = [sys.executable, "-m", "tests.unit.outbound_namespace", "listen"]
    here = subprocess.Popen(me, stdout=subprocess.PIPE, text=True)
    there = subprocess.Popen(["unshare", "-n", *me], stdout=subprocess.PIPE, text=True)
    answers = call_all(here, there)
    told = collections.Counter(line.strip() for process in (here, there) for line in process.stdout or ())
    told.subtract({"45.0.0.2": 2, "127.0.0.1": 2})  # until_answered's own
    sys.stdout.write(json.dumps({"answers": answers, "reached": +told}))


if __name__ == "__main__":
    if "listen" in sys.argv:
        listen()
    if "weakened" in sys.argv:
        targets.judge = lambda target, found, allow, denied: None
    main()
