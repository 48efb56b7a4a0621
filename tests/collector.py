"""A collector of spans: OTLP over HTTP, as any of them takes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Collector:
    """`url` is what OTLP_ENDPOINT says."""

    url: str = ""
    paths: set[str] = field(default_factory=set)
    sent: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Any]:
        asked = [ExportTraceServiceRequest.FromString(body) for body in self.sent]
        return [span for one in asked for of in one.resource_spans for scope in of.scope_spans for span in scope.spans]


@contextmanager
def collecting() -> Iterator[Collector]:
    """Listens on a port of its own."""
    made = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.paths.add(self.path)
            made.sent.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
