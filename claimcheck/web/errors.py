"""What went wrong, told in the manner of the asker: a page, a fragment for #flash, or a problem document."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g, jsonify, make_response, render_template
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import HTTPException

from claimcheck import errors, logs
from claimcheck.web import htmx, login
from claimcheck.web.same_origin import is_api

log = logs.get("claimcheck.web")
OURS = "Something went wrong on our side. It is written down under the number below; what you sent may not have been kept."
UNFRAMED = "The body is not framed as HTTP asks: each chunk begins with its length in hexadecimal digits."
BY_STATUS: dict[int, type[errors.Error]] = {403: errors.Forbidden, 404: errors.NotFound, 413: errors.TooLarge, 503: errors.Unavailable}


def of_http(error: HTTPException) -> errors.Error:
    """The domain's error that says the same, with the server's words left out."""
    status = error.code or 500
    known = BY_STATUS.get(status)
    if known:
        return known()
    phrase = HTTPStatus(status).phrase
    found = errors.Error(OURS if status >= 500 else f"{phrase}: the desk cannot take this request as it was sent.")
    found.status, found.code = status, phrase.upper().replace(" ", "_").replace("-", "_")
    return found


def problem(error: errors.Error) -> dict[str, Any]:
    """The problem document (RFC 9457) of an error."""
    return {
        **error.facts,
        "type": f"urn:claimcheck:error:{error.code.lower()}",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "code": error.code,
        "detail": detail(error),
        "errors": [{"field": e.field, "message": e.message} for e in error.errors],
        "trace_id": g.get("trace_id", ""),
    }


def detail(error: errors.Error) -> str:
    """The sentence for people. A fault of ours does not show its inside."""
    return OURS if error.status == 500 else error.detail


def answer(error: errors.Error) -> Response:
    """The response to an error, in the manner of the asker."""
    if is_api():
        response = jsonify(problem(error))
        response.content_type = "application/problem+json"
    elif error.status == 401:
        response = login.ask()
    elif htmx.is_htmx():
        response = make_response(render_template("errors/_flash.html", error=error, detail=detail(error)))
        response.headers.update({"HX-Retarget": "#flash", "HX-Reswap": "innerHTML"})
    else:
        response = make_response(render_template("errors/page.html", error=error, detail=detail(error)))
    if response.status_code == 200:
        response.status_code = error.status
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    if error.status == 401 and is_api():
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _domain(error: errors.Error) -> Response:
    if error.status >= 500:
        log.error("request.failed", code=error.code, detail=str(error), exc_info=error)
    return answer(error)


def _http(error: HTTPException) -> Response:
    if error.response is not None or (error.code or 500) < 400:
        return make_response(error.get_response())
    response = answer(of_http(error))
    response.headers.extend((k, v) for k, v in error.get_headers() if k == "Allow")
    return response


def _unframed(error: ParseException) -> Response:
    log.info("request.unframed", error=type(error).__name__)
    return answer(errors.BadRequest(UNFRAMED))


def _crash(error: Exception) -> Response:
    log.error("request.crashed", exc_info=error)
    return answer(errors.Error(OURS))


def install(app: Flask) -> None:
    app.register_error_handler(errors.Error, _domain)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(ParseException, _unframed)
    app.register_error_handler(Exception, _crash)
