"""What OpenTelemetry's SDK does for us. The only module that imports it, and it is imported only where spans are wanted."""

from __future__ import annotations

from contextvars import ContextVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from claimcheck.operations.spans import Span

KINDS = {"internal": SpanKind.INTERNAL, "server": SpanKind.SERVER, "client": SpanKind.CLIENT}
SECONDS = 5.0  # a collector may take

_ids: ContextVar[tuple[int, int]] = ContextVar("ids")


class _Given(IdGenerator):
    """The ids that the span has already."""

    def generate_trace_id(self) -> int:
        return _ids.get()[0]

    def generate_span_id(self) -> int:
        return _ids.get()[1]


class Writer:
    """Makes the SDK's spans of ours."""

    def __init__(self, provider: TracerProvider):
        self.provider, self.tracer = provider, provider.get_tracer("claimcheck")

    def write(self, one: Span, ended: int) -> None:
        trace_id = int(one.trace_id, 16)
        _ids.set((trace_id, int(one.id, 16)))
        parent = SpanContext(trace_id, int(one.parent, 16), True, TraceFlags(TraceFlags.SAMPLED)) if one.parent else None
        context = trace.set_span_in_context(NonRecordingSpan(parent)) if parent else Context()
        made = self.tracer.start_span(one.name, context, KINDS[one.kind], one.attributes, start_time=one.began)
        if one.failed:
            made.set_status(Status(StatusCode.ERROR))
        made.end(ended)

    def close(self) -> None:
        self.provider.shutdown()


def writer(address: str, service: str) -> Writer:
    """Sends in the background, drops what a collector cannot take, and holds nobody up."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}), id_generator=_Given())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(address, timeout=SECONDS)))
    return Writer(provider)
