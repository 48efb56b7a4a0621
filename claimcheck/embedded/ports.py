"""Loopback ports: the usual one where it is free, else one that the kernel names."""

from __future__ import annotations

import contextlib
import socket


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError:
            return False
        return True


def is_open(port: int, host: str = "127.0.0.1") -> bool:
    """Whether something answers there."""
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def pick(wanted: list[int]) -> list[int]:
    """One free port for each wanted one, the wanted one itself where possible (0: any), all different."""
    with contextlib.ExitStack() as held:
        return [_hold(held, port) for port in wanted]


def _hold(held: contextlib.ExitStack, wanted: int) -> int:
    for port in (wanted, 0):
        listener = held.enter_context(socket.socket())
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError:
            continue
        return listener.getsockname()[1]
    raise OSError("this machine has no free loopback port")
