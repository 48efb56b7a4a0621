"""Every error a caller can see: a code for programs, a status for HTTP, a sentence for people (the class's docstring)."""

from __future__ import annotations

from typing import NamedTuple


class FieldError(NamedTuple):
    """What is wrong with one field of the input, and how to mend it. `field` is a path such as `items[3].payload`."""

    field: str
    message: str


class Error(Exception):
    """Something went wrong."""

    status = 500
    code = "ERROR"
    retry_after: int | None = None

    def __init__(self, detail: str | None = None, *, errors: list[FieldError] | None = None, **facts: object):
        self.detail = detail or (self.__doc__ or "").strip()
        self.errors, self.facts = errors or [], facts  # further members of the problem document, e.g. dead_letter_id
        super().__init__(self.detail)


class Invalid(Error):
    """The input is not valid."""

    status = 422
    code = "INVALID"

    @classmethod
    def field(cls, field: str, message: str) -> Invalid:
        """The error of a single field; its message is also the detail."""
        return cls(f"{field}: {message}", errors=[FieldError(field, message)])


class BadRequest(Error):
    """The request can't be read as it was sent."""

    status = 400
    code = "BAD_REQUEST"


class UnsupportedMediaType(Error):
    """This address does not take a body of that content type."""

    status = 415
    code = "UNSUPPORTED_MEDIA_TYPE"


class Unauthenticated(Error):
    """Sign in, or send a valid bearer token."""

    status = 401
    code = "UNAUTHENTICATED"


class WrongPassword(Invalid):
    """The e-mail address or the password is not right."""

    code = "WRONG_PASSWORD"


class LinkUsed(Invalid):
    """This link was used before, or its day is over. An operator can make you a new one."""

    status = 410
    code = "LINK_USED"


class Forbidden(Error):
    """Your role may not do this."""

    status = 403
    code = "FORBIDDEN"


class Masked(Forbidden):
    """This is masked: reveal it with one of the project's purposes."""

    code = "MASKED"


class CrossSite(Forbidden):
    """This came from a page of another site, so it was not taken. Open the desk itself and try again."""

    code = "CROSS_SITE"


class NotFound(Error):
    """There is nothing here that you may see."""

    status = 404
    code = "NOT_FOUND"


class TooLarge(Error):
    """That is more than this address takes at once."""

    status = 413
    code = "TOO_LARGE"


class TooMany(Error):
    """Too many attempts; wait a little."""

    status = 429
    code = "TOO_MANY"
    retry_after = 60


class QueueSaturated(TooMany):
    """Too much is waiting to be stored; send it again in a little while."""

    code = "QUEUE_SATURATED"
    retry_after = 5


class Unavailable(Error):
    """A server behind the desk does not answer. What you sent may or may not have been kept: send the same again."""

    status = 503
    code = "UNAVAILABLE"
    retry_after = 2


class StoreUnavailable(Unavailable):
    """The object store does not answer. Try again in a moment."""

    code = "STORE_UNAVAILABLE"


class PayloadMissing(Error):
    """The payload is not in the object store: nothing can be shown, and nothing should be decided."""

    status = 503
    code = "PAYLOAD_MISSING"
    retry_after = 60  # somebody has to mend it first


class PayloadDamaged(Error):
    """The payload in the object store is not the one that was accepted: nothing can be shown, and nothing should be decided."""

    status = 503
    code = "PAYLOAD_DAMAGED"
    retry_after = 60  # somebody has to mend it first


class Conflict(Error):
    """That does not fit with what is already here."""

    status = 409
    code = "CONFLICT"


class StaleLease(Conflict):
    """The lease on this item is no longer yours: its time ran out and somebody else took it, or it was given back."""

    code = "STALE_LEASE"


class AlreadyDecided(Conflict):
    """You have already submitted another decision under this lease; the first one stands."""

    code = "ALREADY_DECIDED"


class EvidenceChanged(Conflict):
    """The item changed while you were looking at it. You still hold it: look again, then decide."""

    code = "EVIDENCE_CHANGED"


class ProjectCancelled(Conflict):
    """The project, or this item alone, was cancelled and the lease has run out; nothing more is taken."""

    code = "PROJECT_CANCELLED"


class ApprovalPending(Conflict):
    """Another decision on this item waits for its second pair of eyes; wait until it is resolved."""

    code = "APPROVAL_PENDING"


class SameEyes(Conflict):
    """You had this item in your hands before, so you can't be its second pair of eyes. Release it for somebody else."""

    code = "SAME_EYES"


class AlreadyOverturned(Conflict):
    """This decision was overturned before; overturn the newer one if it is wrong too."""

    code = "ALREADY_OVERTURNED"


class BatchMoved(Conflict):
    """This batch decision has moved on since you looked at it. Look at it again."""

    code = "BATCH_MOVED"


class BoundNotMet(Conflict):
    """The sample does not show yet that few enough of the rest are wrong."""

    code = "BOUND_NOT_MET"


class OverturnsMoved(Conflict):
    """This bulk overturn has moved on since you looked at it. Look at it again."""

    code = "OVERTURNS_MOVED"


class UndoOver(Conflict):
    """The undo window is over: effects are on their way. Overturn the decisions instead."""

    code = "UNDO_OVER"


class GoldExists(Conflict):
    """This item is gold already; retire that gold, or choose another item."""

    code = "GOLD_EXISTS"


class NothingToAppeal(Conflict):
    """This skill is not paused, or your appeal is on its way already."""

    code = "NOTHING_TO_APPEAL"


class NotDelivered(Conflict):
    """This version is still being made; come back when it is done."""

    code = "NOT_DELIVERED"


class NotReversible(Conflict):
    """No such line, it was reversed before, is a reversal itself, or is smaller than that."""

    code = "NOT_REVERSIBLE"


class ProjectExists(Conflict):
    """A project of this name exists with other rules. Change its rules, or choose another name."""

    code = "PROJECT_EXISTS"


class DuplicateKey(Conflict):
    """This idempotency key was used before with other content; the first content stands."""

    code = "DUPLICATE_KEY"


class PoisonMessage(Invalid):
    """This message can't be taken as it is. It was kept as a dead letter, from where it can be mended and replayed."""

    code = "POISON_MESSAGE"


class LeaseExpired(Conflict):
    """The lease on this partition ran out while its messages were handled; another handler has them, and nothing was written."""

    code = "LEASE_EXPIRED"


class SettingsChanged(Conflict):
    """Somebody else changed the settings since you opened them. Look at theirs, then change again."""

    code = "SETTINGS_CHANGED"


class GuidanceChanged(Conflict):
    """Somebody else changed the guidance since you opened it. Yours is kept below; put together what both of you want."""

    code = "GUIDANCE_CHANGED"


class NameTaken(Conflict):
    """This name or e-mail address is taken."""

    code = "NAME_TAKEN"


class Again(Error):
    """The rows changed under the statement; it is to be run again."""

    status = 503
    code = "AGAIN"
    retry_after = 1


class StatementFailed(Error):
    """The database refused a statement that it should have taken."""
