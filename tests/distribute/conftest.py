"""The cluster that tests of parameter servers use."""

from tests.remote.conftest import cluster as cluster
