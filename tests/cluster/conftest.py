"""Tests of minutes are apart: `make cluster-tests` sets CLUSTER_TESTS."""

import os

collect_ignore = [] if os.environ.get("CLUSTER_TESTS") else ["slow"]
