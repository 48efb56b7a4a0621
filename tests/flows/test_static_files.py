"""Static files under a browser that leaves: none is left open."""

from __future__ import annotations

import socket
import struct
import threading
import warnings
from urllib.parse import urlsplit

from claimcheck.embedded import processes
from tests.flows.conftest import LiveDesk


def test_it_leaves_no_static_file_open_whose_reader_is_gone(live: LiveDesk):
    """A reset while the server looks for what is left of the request."""
    at, before = urlsplit(live.url), threading.active_count()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        for n in range(12):
            with socket.create_connection((at.hostname, at.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(f"GET /static/desk.css HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
                if n % 2:
                    client.recv(1)
        assert processes.wait_until(lambda: threading.active_count() <= before, 20), "every request is over"
    assert not [str(one.message) for one in told if "desk.css" in str(one.message)]
