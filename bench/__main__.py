"""`bin/bench [NAME] [--full]`: prints Markdown tables."""

from __future__ import annotations

import sys

from bench import growth, pair


def main() -> None:
    full, names = "--full" in sys.argv, [a for a in sys.argv[1:] if not a.startswith("-")]
    known = {"pair": lambda: pair.main(5, 8 if full else 3), "growth": lambda: growth.main(full)}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"bin/bench: there is no {unknown[0]!r}; choose from {', '.join(known)}")
    for name in names or known:
        print(f"\n## {name}\n", flush=True)
        print("\n".join(known[name]()), flush=True)


if __name__ == "__main__":
    main()
