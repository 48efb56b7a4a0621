"""`bin/bench [NAME …] [--full]`: runs the parts, says their targets, and writes what they found under var/bench/."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable

from bench import beside, fairness, growth, http, intake, pages, pair, screens, snapshot
from bench.figures import Part, say
from bench.peers import compare as peers
from bench.results import Results

PARTS: dict[str, Callable[[bool], Part]] = {
    "pair": pair.main,
    "peers": peers.main,
    "http": http.main,
    "growth": growth.main,
    "leases": lambda _: beside.leases(),
    "partition": lambda _: beside.partition(),
    "looks": lambda _: beside.looks(),
    "snapshot": snapshot.main,
    "fairness": fairness.main,
    "intake": intake.main,
    "page": pages.main,
    "screens": screens.main,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench", description="Measures, side by side; see bench/README.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--full", action="store_true", help="the full sizes: half an hour")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(PARTS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    results = Results(full=asked.full)
    failed = [name for name in asked.names or PARTS if not measure(name, results)]
    say(f"{len(results.parts)} parts written: {results.json} and {results.markdown}")
    if failed:
        say(f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


def measure(name: str, results: Results) -> bool:
    """Runs one part; a part that fails is told and leaves the others alone."""
    say(f"{name}: begins")
    try:
        part = PARTS[name](results.full)
    except Exception:  # whatever it was
        traceback.print_exc()
        return False
    results.add(part)
    print("\n".join([f"\n## {part.name}\n", *part.markdown()]), flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
