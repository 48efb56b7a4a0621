"""`/metrics`, for this machine or an operator's token."""

from __future__ import annotations

import ipaddress

from flask import Blueprint, Response, request

from claimcheck import errors
from claimcheck.operations import metrics
from claimcheck.web import access, desk
from claimcheck.web.api import auth

blueprint = Blueprint("metrics", __name__)
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")


@blueprint.get("/metrics")
@access.public  # it judges by itself
def show() -> Response:
    try:
        if not _is_this_machine():
            auth.person(("operator",))
    except errors.Error as error:  # a scraper has no use for the sign-in page
        return Response(f"{error.detail}\n", error.status, {"WWW-Authenticate": "Bearer"}, mimetype="text/plain")
    return Response(metrics.text(desk().db, desk().settings.home), content_type=metrics.CONTENT_TYPE)


def _is_this_machine() -> bool:
    """Whether nobody stands behind the address: a proxy on this machine speaks for others, whatever it says of them."""
    if request.environ.get("claimcheck.forwarded") or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
