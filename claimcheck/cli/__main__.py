"""`python -m claimcheck.cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from claimcheck import config, errors, logs
from claimcheck.cli import commands, terminal
from claimcheck.embedded.home import Unusable


def complain(error: errors.Error) -> None:
    """The error as a person reads it: each field on its own line, in their order, else the sentence."""
    for line in [f"{e.field}: {e.message}" for e in error.errors] or [error.detail]:
        terminal.say(f"claimcheck: {line}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; its exit code."""
    arguments = commands.parser().parse_args(argv)
    logs.configure()  # standard output is the answer's alone
    try:
        return arguments.run(arguments) or 0
    except errors.Error as error:
        complain(error)
        return terminal.USAGE if error.status in (400, 404, 409, 422) else terminal.FAILED
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        terminal.say(f"claimcheck: {error.filename}: {(error.strerror or 'cannot be opened').lower()}")
        return terminal.USAGE
    except (config.SettingsError, Unusable, OSError) as error:
        terminal.say(f"claimcheck: {error}")
        return terminal.FAILED
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
