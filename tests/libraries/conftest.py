"""These libraries are in an environment of their own: `make library-tests` sets LIBRARY_TESTS."""

import os

collect_ignore_glob = [] if os.environ.get("LIBRARY_TESTS") else ["test_*.py"]
