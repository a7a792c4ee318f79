"""`python -m placewise` is the `placewise` command."""

import sys

from placewise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
