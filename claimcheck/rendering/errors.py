"""What goes wrong with a part: refused at intake, or kept and not shown."""


class InvalidPart(ValueError):
    """A part that intake refuses. `field` is the field at fault, `detail` says what to do about it."""

    code = "INVALID_PART"

    def __init__(self, field: str, detail: str):
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


class NotShown(Exception):
    """The bytes are kept but not drawn; `reason` is the sentence the reviewer reads."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason
