"""Browser libraries, served from node_modules: these files and no others."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, abort, request, send_from_directory

from claimcheck.web import access

blueprint = Blueprint("libraries", __name__)
MODULES = Path(__file__).parents[2] / "node_modules"
FILES = frozenset(
    {
        "htmx.org/dist/htmx.min.js",
        "uplot/dist/uPlot.iife.min.js",
        "uplot/dist/uPlot.min.css",
        "pdfjs-dist/build/pdf.min.mjs",
        "pdfjs-dist/build/pdf.worker.min.mjs",
    }
)
YEAR_SECONDS = 365 * 24 * 3600


@lru_cache(maxsize=16)
def version(package: str) -> str:
    """The installed version of a package."""
    return json.loads((MODULES / package / "package.json").read_text(encoding="utf-8"))["version"]


@blueprint.app_url_defaults
def _versioned(endpoint: str, values: dict[str, str]) -> None:
    if endpoint == "libraries.file":
        values.setdefault("v", version(values["path"].split("/")[0]))


@blueprint.get("/static/libraries/<path:path>")
@access.public
def file(path: str) -> Response:
    """Open to every origin, since a sandboxed frame, whose origin is opaque, loads modules by CORS."""
    if path not in FILES:
        abort(404)
    current = request.args.get("v") == version(path.split("/")[0])
    response = send_from_directory(MODULES, path, max_age=YEAR_SECONDS if current else 0)
    if current:
        response.cache_control.immutable = True
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
