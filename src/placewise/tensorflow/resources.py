"""`tensorflow.python.ops.resources`: tables and other state that initializers are run for."""

from placewise.graph.resources import initialize_resources as initialize_resources
from placewise.graph.resources import local_resources as local_resources
from placewise.graph.resources import register_resource as register_resource
from placewise.graph.resources import (
    report_uninitialized_resources as report_uninitialized_resources,
)
from placewise.graph.resources import shared_resources as shared_resources
