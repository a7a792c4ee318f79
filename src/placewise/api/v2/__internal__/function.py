"""tf.__internal__.function: the classes of functions."""

from placewise.functions.concrete import ConcreteFunction as ConcreteFunction
from placewise.functions.polymorphic import Function as Function
