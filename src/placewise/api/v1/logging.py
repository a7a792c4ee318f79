"""tf.logging of TensorFlow 1: messages on Python's logger 'tensorflow'."""

from logging import DEBUG as DEBUG
from logging import ERROR as ERROR
from logging import FATAL as FATAL
from logging import INFO as INFO
from logging import WARN as WARN

from placewise.tf1.log_messages import TaskLevelStatusMessage as TaskLevelStatusMessage
from placewise.tf1.log_messages import debug as debug
from placewise.tf1.log_messages import error as error
from placewise.tf1.log_messages import fatal as fatal
from placewise.tf1.log_messages import flush as flush
from placewise.tf1.log_messages import get_verbosity as get_verbosity
from placewise.tf1.log_messages import info as info
from placewise.tf1.log_messages import log as log
from placewise.tf1.log_messages import log_every_n as log_every_n
from placewise.tf1.log_messages import log_first_n as log_first_n
from placewise.tf1.log_messages import log_if as log_if
from placewise.tf1.log_messages import set_verbosity as set_verbosity
from placewise.tf1.log_messages import vlog as vlog
from placewise.tf1.log_messages import warn as warn
from placewise.tf1.log_messages import warning as warning
