"""`python -m bench.peers.worker PEER`: one process of a peer. Says READY, is told the window, works, says how much it did within it."""

from __future__ import annotations

import importlib
import json
import os
import sys

from bench.peers.places import Places


def main(name: str) -> None:
    peer = importlib.import_module(f"bench.peers.{name}")
    places = Places(**json.loads(sys.stdin.readline()))
    print("READY", flush=True)
    counted, end = map(float, sys.stdin.readline().split())
    done = peer.work(places, end)
    print(f"DONE {sum(counted <= moment < end for moment in done)}", flush=True)
    os._exit(0)  # whatever a peer still wants to wait for is outside the window


if __name__ == "__main__":
    main(sys.argv[1])
