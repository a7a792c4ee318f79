"""slim.tfexample_decoder: records of tf.train.Example as items: tensors, images, boxes."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.slim import data_decoder
from placewise.layers.dropout import smart_cond


class ItemHandler:
    """Makes the tensor of an item from the features of some keys."""

    def __init__(self, keys: Any) -> None:
        self._keys = list(keys) if isinstance(keys, (list, tuple)) else [keys]

    @property
    def keys(self) -> list[str]:
        """The features it needs."""
        return self._keys

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the item, from the features by key."""
        raise NotImplementedError


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function of the features."""

    def __init__(self, keys: Any, func: Any) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return what the function gives."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Makes boxes of four features: rows of [ymin, xmin, ymax, xmax]."""

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        keys = ["ymin", "xmin", "ymax", "xmax"] if keys is None else keys
        if len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._prefix = prefix
        self._full_keys = [prefix + key for key in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the boxes."""
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            if isinstance(side, tf.SparseTensor):
                side = side.values
            sides.append(tf.expand_dims(side, 0))
        return tf.transpose(tf.concat(sides, 0))


def _to_dense(tensor: Any, default_value: Any = 0) -> Any:
    return (
        tf.sparse.to_dense(tensor, default_value) if isinstance(tensor, tf.SparseTensor) else tensor
    )


class Tensor(ItemHandler):
    """Makes an item of a feature as it is, in a shape that may come from other features."""

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        keys = shape_keys if isinstance(shape_keys, list) else [shape_keys] if shape_keys else []
        if keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        super().__init__([tensor_key, *keys])
        self._tensor_key, self._shape_keys = tensor_key, keys
        self._shape, self._default_value = shape, default_value

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the feature."""
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            sizes = [_to_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = tf.reshape(tf.stack(sizes), [-1])
        is_sparse = isinstance(tensor, tf.SparseTensor)
        if shape is not None:
            tensor = (tf.sparse.reshape if is_sparse else tf.reshape)(tensor, shape)
        return _to_dense(tensor, self._default_value)


class LookupTensor(Tensor):
    """Makes an item of what a table has for a feature."""

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return what the table has."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class SparseTensor(ItemHandler):
    """Makes a sparse item of a feature of indices and one of values."""

    def __init__(
        self,
        indices_key: Any = None,
        values_key: Any = None,
        shape_key: Any = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key, self._values_key = indices_key or "indices", values_key or "values"
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the sparse tensor, or the dense one it stands for."""
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = self._shape
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            if isinstance(shape, tf.SparseTensor):
                shape = shape.values
        if shape is None:
            shape = indices.dense_shape
        places = indices.values if isinstance(indices, tf.SparseTensor) else indices
        rank = (
            1
            if isinstance(shape, int)
            else tf.TensorShape(
                getattr(shape, "shape", [len(shape)] if isinstance(shape, (list, tuple)) else [1])
            ).as_list()[0]
        )
        size = [shape] if isinstance(shape, int) else shape
        if isinstance(values, tf.SparseTensor):
            values = values.values
        made = tf.SparseTensor(
            tf.reshape(tf.cast(places, tf.int64), [-1, rank]), values, tf.cast(size, tf.int64)
        )
        return tf.sparse.to_dense(made, self._default_value) if self._densify else made


class Image(ItemHandler):
    """Makes a picture of an encoded feature."""

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = tf.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key, self._format_key = (
            image_key or "image/encoded",
            format_key or "image/format",
        )
        self._shape, self._channels, self._dtype = shape, channels, dtype
        self._repeated, self._dct_method = repeated, dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the picture, or several."""
        buffer, form = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return tf.map_fn(lambda each: self._decode(each, form), buffer, dtype=self._dtype)
        return self._decode(buffer, form)

    def _decode(self, buffer: Any, form: Any) -> Any:
        def picture() -> Any:
            found = tf.image.decode_image(tf.reshape(buffer, []), channels=self._channels)
            return tf.cast(found, self._dtype)

        def raw() -> Any:
            return tf.reshape(tf.io.decode_raw(buffer, self._dtype), self._shape)

        if self._shape is not None and self._dtype != tf.uint8:
            is_raw = tf.reduce_any([tf.reduce_all(tf.equal(form, name)) for name in ("raw", "RAW")])
            image = smart_cond(is_raw, raw, picture)
        else:
            image = picture()
        image.set_shape([None, None, self._channels])
        if self._shape is not None:
            image = tf.reshape(image, self._shape)
        return image


class BackupHandler(ItemHandler):
    """Makes an item by one handler, or by another where the first finds nothing."""

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        self._handler, self._backup = handler, backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Return the item."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class TFExampleDecoder(data_decoder.DataDecoder):
    """Decodes records of tf.train.Example."""

    def __init__(self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, Any]) -> None:
        self._keys_to_features, self._items_to_handlers = keys_to_features, items_to_handlers

    def list_items(self) -> list[str]:
        """Return the names of the items."""
        return list(self._items_to_handlers)

    def decode(self, data: Any, items: Any = None) -> list[Any]:
        """Return the tensors of these items of a record."""
        parsed = tf.io.parse_single_example(data, self._keys_to_features)
        for key in self._keys_to_features:
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.io.FixedLenFeature):
                parsed[key] = tf.reshape(parsed[key], feature.shape)
        wanted = self._items_to_handlers if items is None else items
        made = []
        for item in wanted:
            handler = self._items_to_handlers[item]
            made.append(handler.tensors_to_item({key: parsed[key] for key in handler.keys}))
        return made
