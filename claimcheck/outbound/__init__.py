"""Calls to addresses that others chose: judged, bounded in time and size, and never followed elsewhere."""

from claimcheck.outbound.answers import Answer, Failure, backoff
from claimcheck.outbound.sending import check, post

__all__ = ["Answer", "Failure", "backoff", "check", "post"]
