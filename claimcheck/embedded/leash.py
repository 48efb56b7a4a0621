"""Becomes another program that dies with the one that started it.

Run as a script, without any import from the project: `leash.py PARENT SIGNAL USER GROUP PROGRAM ARGUMENT…`.
USER and GROUP are numbers, or -1 to stay who we are.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def become(user: int, group: int) -> None:
    if user >= 0:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)


def main() -> None:
    parent, signal, user, group = map(int, sys.argv[1:5])
    os.setsid()  # a ctrl-c at the terminal is for the supervisor alone
    become(user, group)
    # After the change of user, which would clear it.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the supervisor has gone")
    os.execvp(sys.argv[5], sys.argv[5:])


if __name__ == "__main__":
    main()
