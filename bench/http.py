"""Claim + submit over HTTP, with token, validation, evidence and receipt, beside the same through our own code, both saturated, in one run."""

from __future__ import annotations

import json
import multiprocessing
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from bench import ground, pair
from bench.desk import desk, rehash
from bench.figures import Part, over, spread
from bench.load import Floor
from bench.sides import percentile
from claimcheck.access import tokens
from claimcheck.db import Database

DIRECT, CLIENTS, CONNECTIONS = 8, 2, 16  # processes of ours; processes that ask, and how many they keep open
LEAST = 0.25
WANTED = re.compile(rb'"(assignment_id|lease_token|evidence_hash)":\s*"?([0-9a-f-]+)')
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Caller:
    """One reviewer's connection that is kept open. Not a library's: what asks shares the cores with what answers."""

    def __init__(self, port: int, token: str):
        self.port, self.head = (
            port,
            f"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n".encode(),
        )
        self.socket = self._connected()

    def _connected(self) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def post(self, path: str, body: bytes) -> bytes:
        """The answer's body. Raises RuntimeError for any status but 200."""
        request = b"POST %s %sContent-Length: %d\r\n\r\n%s" % (path.encode(), self.head, len(body), body)
        self.socket.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._more()
        head, _, rest = answer.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not head.startswith(b"HTTP/1.1 200") or length is None:
            raise RuntimeError((head + rest)[-500:])
        while len(rest) < int(length[1]):
            rest += self._more()
        return rest

    def _more(self) -> bytes:
        got = self.socket.recv(65536)
        if not got:
            raise RuntimeError("the server closed the connection")
        return got

    def look(self) -> float:
        """Claims and submits; seconds of both."""
        began = time.perf_counter()
        held = {key.decode(): value.decode() for key, value in WANTED.findall(self.post("/v1/tasks/next", b"{}"))}
        sent = {"lease_token": held["lease_token"], "evidence_hash": held["evidence_hash"], "verdict": "approve", "reason_code": "ok"}
        self.post(f"/v1/assignments/{held['assignment_id']}/submit", json.dumps(sent).encode())
        return time.perf_counter() - began


def ask(port: int, given: list[str], seconds: float, out) -> None:
    """One process that asks, a thread for each token."""
    callers = [Caller(port, token) for token in given]
    together = threading.Barrier(len(callers))

    def go(caller: Caller) -> list[float]:
        together.wait()
        end, taken = time.monotonic() + seconds, []
        while time.monotonic() < end:
            taken.append(caller.look())
        return taken

    with ThreadPoolExecutor(len(callers)) as threads:
        try:
            out.put([one for taken in threads.map(go, callers) for one in taken])
        except RuntimeError as error:
            out.put(error)


def over_http(port: int, given: list[str], seconds: float) -> tuple[float, list[float]]:
    """Pairs a second, and the seconds of each."""
    out = multiprocessing.Queue()
    clients = min(CLIENTS, len(given))
    team = [multiprocessing.Process(target=ask, args=(port, given[n::clients], seconds, out)) for n in range(clients)]
    for one in team:
        one.start()
    answers = [out.get(timeout=seconds + 120) for _ in team]
    for one in team:
        one.join()
    if failed := [answer for answer in answers if isinstance(answer, RuntimeError)]:
        raise failed[0]
    taken = [one for answer in answers for one in answer]
    return len(taken) / seconds, taken


def main(full: bool, rounds: int = 5, seconds: float = 0, pending: int = 0) -> Part:
    seconds = seconds or (4 if full else 2)
    pending = pending or int(15_000 * seconds)  # more than both sides decide
    part = Part("http", ["connections / processes", "HTTP, pairs/s", "HTTP p50 / p99 ms", "our code, pairs/s", "HTTP / our code"])
    with ground.server() as postgres, desk(postgres, Floor(pending=pending, decided=20_000, skills=40)) as place:
        rehash(place)
        pair.share_a_lane(place.superuser, CONNECTIONS)
        db = Database(place.web, max_size=1)
        given = [tokens.make(db, person_id=pair.reviewer(n)) for n in range(CONNECTIONS)]
        db.close()
        over_http(place.settings.port, given, min(seconds, 1))  # both processes of the server have then seen everything once
        for connections, processes, least in ((1, 1, None), (CONNECTIONS, DIRECT, LEAST)):
            found = [
                (over_http(place.settings.port, given[:connections], seconds), pair.through_our_code(place.web, processes, seconds))
                for _ in range(rounds)
            ]
            _compare(part, connections, processes, found, least)
    return part


def _compare(part: Part, connections: int, processes: int, found: list[tuple[tuple[float, list[float]], float]], least: float | None) -> None:
    served, direct = [rate for (rate, _), _ in found], [rate for _, rate in found]
    p50, p99 = ([percentile(taken, share) for (_, taken), _ in found] for share in (0.5, 0.99))
    share = over(served, direct)
    part.row(f"{connections} / {processes}", spread(served, 0), f"{spread(p50, 1)} / {spread(p99, 1)}", spread(direct, 0), spread(share))
    part.goal(f"claim + submit over HTTP, {connections} connections, to {processes} processes of our code", share, least=least)
