"""A part's bytes, and the frames that show what the page itself must not: under headers that leave script nothing."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from functools import cache

from flask import Blueprint, Response, abort, render_template, request, send_from_directory, url_for
from markupsafe import Markup

from claimcheck import evidence, rendering
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.evidence import OpenPart
from claimcheck.rendering import limits, names, pages, pictures
from claimcheck.web import access, desk, libraries, look, same_origin

blueprint = Blueprint("payload", __name__)
reviewers = access.allow("reviewer", "lead")
owners = access.allow("lead", "customer")

INERT = "sandbox; default-src 'none'"
SHUT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
SEEN = frozenset((*pictures.FORMATS, *pictures.ALIASES))
ASSETS = frozenset({"pdf.js", "pdf.css", "layout.js", "html.css"})
# What PDF.js fetches while it draws: character maps, the fonts that a PDF may leave out, and decoders without WebAssembly.
RESOURCES = ("cmaps/*.bcmap", "standard_fonts/*.pfb", "standard_fonts/*.ttf", "wasm/*_nowasm_fallback.js")


@blueprint.get("/assignments/<int:assignment_id>/parts/<int:n>")
@reviewers
def part(assignment_id: int, n: int):
    return _bytes(_of_assignment(assignment_id, n))


@blueprint.get("/assignments/<int:assignment_id>/parts/<int:n>/html")
@reviewers
def part_html(assignment_id: int, n: int):
    return _page(_of_assignment(assignment_id, n))


@blueprint.get("/items/<int:item_id>/versions/<int:version>/parts/<int:n>")
@owners
def item_part(item_id: int, version: int, n: int):
    return _bytes(_of_item(item_id, version, n))


@blueprint.get("/items/<int:item_id>/versions/<int:version>/parts/<int:n>/html")
@owners
def item_part_html(item_id: int, version: int, n: int):
    return _page(_of_item(item_id, version, n))


@blueprint.get("/frames/pdf")
@access.public
def pdf_frame():
    """The same empty frame for everybody: the page that embeds it hands it the bytes."""
    resources, assets = _under("payload.resource"), _under("payload.asset")
    scripts = f"{_under('libraries.file', 'pdfjs-dist/')} {resources} {assets}"
    policy = f"sandbox allow-scripts; {SHUT}; script-src {scripts}; connect-src {resources}; font-src {resources}; style-src {assets}"
    return _framed("payload/frames/pdf.html", policy)


@blueprint.get("/frames/assets/<path:path>")
@access.public
def asset(path: str):
    if path not in ASSETS:
        abort(404)
    return _open_to_frames(send_from_directory(look.STATIC / "payload" / "frames", path, max_age=0))


@blueprint.get("/frames/pdfjs/<path:path>")
@access.public
def resource(path: str):
    if path not in _resources():
        abort(404)
    return _open_to_frames(send_from_directory(libraries.MODULES / "pdfjs-dist", path, max_age=86400))


@cache
def _resources() -> frozenset[str]:
    root = libraries.MODULES / "pdfjs-dist"
    return frozenset(file.relative_to(root).as_posix() for pattern in RESOURCES for file in root.glob(pattern))


def _of_assignment(assignment_id: int, n: int) -> OpenPart:
    me = access.current().id
    return evidence.open_part(desk().db, desk().store, assignment_id=assignment_id, person_id=me, n=n, reveal=_reveal())


def _reveal() -> Reveal:
    """A masked file is revealed for the purpose that its address names; no other site's page may name one."""
    purpose = request.args.get("purpose", "").replace("\0", "")
    if not purpose:
        return masking.NOTHING
    same_origin.asked_for()
    return Reveal((), purpose)


def _of_item(item_id: int, version: int, n: int) -> OpenPart:
    me = access.current()
    asked = {"item_id": item_id, "version": version, "n": n, "purpose": "item page", "reveal": _reveal()}
    return evidence.open_item_part(desk().db, desk().store, person=me, **asked)


def _bytes(opened: OpenPart) -> Response:
    """Inline only where it is a picture that our own reader accepts; anything else is a file to keep."""
    part = _part(opened)
    if part.media_type not in SEEN or part.size > limits.IMAGE:
        return _sent(opened, opened.stream)
    data = b"".join(opened.stream)
    return _sent(opened, iter((data,)), pictures.verified(part, data))


def _part(opened: OpenPart) -> rendering.Part:
    return rendering.Part(0, opened.name, opened.content_type, opened.size)


def _sent(opened: OpenPart, stream: Iterator[bytes], inline: str | None = None) -> Response:
    response = Response(stream, mimetype=inline or "application/octet-stream")
    response.content_length = opened.size
    response.headers.update(
        {
            "Content-Security-Policy": INERT,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Content-Disposition": names.disposition(opened.name, inline=inline is not None),
        }
    )
    return response


def _page(opened: OpenPart) -> Response:
    """The cleaned page, or the sentence that says why there is none; either way nothing in it can act."""
    try:
        page, reason = pages.page(_part(opened), _first(opened.stream, limits.HTML + 1)), ""
    except rendering.NotShown as problem:
        page, reason = pages.Page(""), problem.reason
    context = {"page": page, "markup": Markup(page.html), "reason": reason, "shade": request.args.get("theme")}  # noqa: S704 - cleaned, and sandboxed besides
    return _framed("payload/frames/html.html", f"sandbox; {SHUT}; style-src {_under('payload.asset')}", **context)


def _framed(template: str, policy: str, **context: object) -> Response:
    response = Response(render_template(template, **context))
    response.headers.update({"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"})
    return response


def _open_to_frames(response: Response) -> Response:
    """A sandboxed frame has an opaque origin: to the browser, our own files come from elsewhere."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _under(endpoint: str, folder: str = "") -> str:
    """All addresses below one, as a source of a policy: `'self'` would open every address of the desk to a frame."""
    return url_for(endpoint, path=f"{folder}x", _external=True).partition("?")[0].removesuffix("x")


def _first(stream: Generator[bytes], limit: int) -> bytes:
    found = bytearray()
    with closing(stream):
        for chunk in stream:
            found += chunk
            if len(found) >= limit:
                break
    return bytes(found[:limit])
