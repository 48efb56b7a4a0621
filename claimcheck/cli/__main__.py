"""`python -m claimcheck.cli`."""

import sys

from claimcheck import cli

if __name__ == "__main__":
    sys.exit(cli.main())
