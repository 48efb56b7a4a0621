"""PostgreSQL, Valkey and an S3 store out of wheels, and the supervisor that `bin/run` starts.

The store's filer and volume ports ask for no password: all of this is for one machine whose users trust each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claimcheck.config import Settings


@contextmanager
def desk(settings: Settings, say: Callable[[str], None] = lambda line: None) -> Iterator[Settings]:
    """Settings that reach a desk's servers, all of them complete, for as long as the block lasts.

    The running desk's where one runs on this home; else embedded servers are started, migrated, and stopped afterwards.
    Call it from the main thread. `say` takes lines of progress. Raises SettingsError and `home.Unusable`, both for people.
    """
    from claimcheck.embedded import borrowed  # here, for a bare import of the package must stay cheap

    with borrowed.desk(settings, say) as reached:
        yield reached
