"""Keeps the variables of feature columns in a Keras layer, and what else they need."""

from __future__ import annotations

from typing import Any


class StateManager:
    """Makes the variables of columns as weights of a layer, and finds them again."""

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._trainable, self._layer = trainable, layer
        self._variables: dict[Any, dict[str, Any]] = {}
        self._resources: dict[Any, dict[str, Any]] = {}

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Return a new weight of the layer; ValueError if the column has one of that name."""
        own = self._variables.setdefault(feature_column, {})
        if name in own:
            raise ValueError("Variable already exists.")
        own[name] = self._layer.add_weight(
            name=name,
            shape=shape,
            initializer=initializer,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
        )
        return own[name]

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Return a column's variable; ValueError if there is none of that name."""
        own = self._variables.get(feature_column, {})
        if name not in own:
            raise ValueError("Variable does not exist.")
        return own[name]

    def add_resource(self, feature_column: Any, resource_name: str, resource: Any) -> None:
        """Keep a table or another resource of a column."""
        self._resources.setdefault(feature_column, {})[resource_name] = resource

    def has_resource(self, feature_column: Any, resource_name: str) -> bool:
        """Return whether a column has a resource of that name."""
        return resource_name in self._resources.get(feature_column, {})

    def get_resource(self, feature_column: Any, resource_name: str) -> Any:
        """Return a column's resource; ValueError if there is none of that name."""
        if not self.has_resource(feature_column, resource_name):
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column][resource_name]
