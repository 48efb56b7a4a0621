"""A small app around the payload's blueprint, under the desk's own headers, and a canary that nothing may ever call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from flask import Flask, make_response, render_template_string, request
from jinja2 import StrictUndefined
from playwright.sync_api import Browser, Frame, Page
from werkzeug.serving import make_server

from claimcheck import errors, rendering
from claimcheck.evidence import OpenPart
from claimcheck.web import headers, libraries, look, payload

ROOT = Path(__file__).parents[2]
PAGE = """<!doctype html>
<html lang="en" data-theme="{{ request.args.get('theme', 'light') }}">
<head><meta charset="utf-8"><title>Payload</title>
<link rel="icon" href="{{ url_for('static', filename='mark.svg') }}">
<link rel="stylesheet" href="{{ url_for('static', filename='desk.css') }}">
<link rel="stylesheet" href="{{ url_for('static', filename='review.css') }}">
{% include "payload/_head.html" %}</head>
<body><main class="view"><h1 class="hidden">Item</h1>
<section data-panel{{ ' hidden' if request.args.get('hidden') }}>
{% include "payload/views.html" %}</section>
{% if request.args.get('note') %}<textarea id="note" aria-label="Note"></textarea>{% endif %}
{% if request.args.get('verdict') %}<label data-key="r"><input type="radio" name="v">Reject</label>{% endif %}
</main></body></html>"""

Files = list[tuple[str, str, bytes]]


@dataclass
class Stage:
    """What is shown: files as (name, content type, bytes); `requests` are (path, Cookie, Sec-Fetch-Dest) of each request."""

    files: Files = field(default_factory=list)
    rules: rendering.Rules = field(default_factory=rendering.Rules)
    opened: list[int] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""
    bare: str = ""

    def parts(self) -> list[rendering.Part]:
        return [rendering.Part(n, name, kind, len(data), f"/assignments/7/parts/{n}") for n, (name, kind, data) in enumerate(self.files)]

    def views(self) -> tuple[Any, ...]:
        return rendering.show(self.parts(), lambda part, limit: self.files[part.n][2][:limit], self.rules)

    def open(self, n: int) -> OpenPart:
        if n >= len(self.files):
            raise errors.NotFound()
        self.opened.append(n)
        name, kind, data = self.files[n]
        return OpenPart(name, kind, len(data), b"", (half for half in (data[: len(data) // 2], data[len(data) // 2 :])))


def make(stage: Stage, monkeypatch: Any) -> Flask:
    """The app; the store, the sign-in and the access events are the stage's."""
    settings = SimpleNamespace(base_url="http://127.0.0.1")
    monkeypatch.setattr(payload, "desk", lambda: SimpleNamespace(db=None, store=None))
    monkeypatch.setattr(payload.access, "current", lambda: SimpleNamespace(id=1))
    monkeypatch.setattr(payload.evidence, "open_part", lambda *_, n, **__: stage.open(n))
    monkeypatch.setattr(payload.evidence, "open_item_part", lambda *_, n, **__: stage.open(n))
    app = Flask("stage", template_folder=str(ROOT / "templates"), static_folder=None)
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.register_blueprint(libraries.blueprint)
    app.register_blueprint(payload.blueprint)
    app.add_url_rule("/static/<path:filename>", "static", look.static)
    app.register_error_handler(errors.Error, lambda error: (error.detail, error.status))

    @app.get("/show")
    def show():
        response = make_response(render_template_string(PAGE, views=stage.views(), theme=request.args.get("theme", "auto")))
        response.set_cookie("session", "secret", httponly=True, samesite="Lax")
        return response

    @app.get("/bare")
    def bare():
        """A page without any policy: what holds here, the bytes' own headers hold."""
        return stage.bare, {"Content-Security-Policy": "default-src * 'unsafe-inline' 'unsafe-eval' data: blob:"}

    @app.before_request
    def remember():
        stage.requests.append((request.path, request.headers.get("Cookie", ""), request.headers.get("Sec-Fetch-Dest", "")))

    app.wsgi_app = headers.Headers(app.wsgi_app, settings)  # type: ignore[method-assign]
    return app


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The app on a port of its own."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def canary() -> Iterator[tuple[str, list[str]]]:
    """(address, the paths that were asked for): a server that a payload tries to reach."""
    hits: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", hits
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Shown:
    """A page of the stage, what the policy had to stop, and what reached the canary."""

    page: Page
    stage: Stage
    canary: str
    hits: list[str]
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(30_000)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)

    def show(self, *files: tuple[str, str, bytes], query: str = "", **rules: Any) -> Page:
        self.stage.files, self.stage.rules = list(files), rendering.Rules.of(**rules)
        self.page.goto(f"{self.stage.url}/show{query}")
        return self.page

    def drawn(self) -> Frame:
        """The PDF's frame, once a page of it stands there."""
        self.page.locator("payload-pdf .p-stage").first.scroll_into_view_if_needed()
        self.page.locator("payload-pdf[data-drawn]").first.wait_for(timeout=60_000)
        frame = next(f for f in self.page.frames if f.url.endswith("/frames/pdf"))
        frame.locator("canvas").first.wait_for()
        return frame

    def quiet(self) -> None:
        """Nothing reached the canary, and nothing had to be stopped on the way."""
        self.page.wait_for_timeout(400)
        assert self.hits == []
        assert self.faults == []


@contextmanager
def showing(chromium: Browser, monkeypatch: Any) -> Iterator[Shown]:
    """A browser before a stage of its own, and a canary beside it."""
    stage = Stage()
    with serving(make(stage, monkeypatch)) as stage.url, canary() as (address, hits):
        context = chromium.new_context(viewport={"width": 1000, "height": 800})
        try:
            yield Shown(context.new_page(), stage, address, hits)
        finally:
            context.close()
