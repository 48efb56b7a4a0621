"""Headers of every answer, whoever made it: set outermost, so that no error page can miss them. A view's own header wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from claimcheck import logs
from claimcheck.config import Settings

Environ = dict[str, Any]
log = logs.get("claimcheck.web")


# Of a page: nothing but our own files, no inline script or style, never in a frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def defaults(settings: Settings) -> list[tuple[str, str]]:
    """Name and value of each header that is set where the answer has none of that name."""
    found = [
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("Cache-Control", "no-store"),
        ("Vary", "Cookie"),
    ]
    if (settings.base_url or "").startswith("https://"):
        found.append(("Strict-Transport-Security", "max-age=63072000"))
    return found


class Headers:
    """The outermost WSGI layer. What escapes the application becomes a bare 500 here, with headers like any other."""

    def __init__(self, app: Callable[..., Iterable[bytes]], settings: Settings):
        self.app, self.defaults = app, defaults(settings)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            present = {name.lower() for name, _ in headers}
            missing = [pair for pair in self.defaults if pair[0].lower() not in present]
            return start_response(status, headers + missing, exc_info)

        try:
            return self.app(environ, start)
        except Exception:
            log.exception("request.escaped")
            body = b"Something went wrong on our side.\n"
            start("500 Internal Server Error", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
            return [body]
