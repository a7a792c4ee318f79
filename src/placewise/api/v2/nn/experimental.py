"""tf.nn.experimental: forms of dropout."""

from placewise.ops.nn.dropout import general_dropout as general_dropout
from placewise.ops.nn.dropout import stateless_dropout as stateless_dropout
