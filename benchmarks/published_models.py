"""Graphs of the models that published throughputs are of, as their benchmarks build them.

Static shapes, forward pass, gradients and updates, one tower for each GPU. Nothing is run:
`plan.py` makes a trace of them. The layers follow the papers (arXiv 1512.00567, 1512.03385,
1409.1556, 1404.5997) with the options of tf_cnn_benchmarks and of NVIDIA's ResNet-50 v1.5.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import placewise.v1 as tf

CLASSES = 1001


@dataclass
class Tower:
    """The layers of one copy of a model. `variables_on`: the device of variables, or None."""

    variables_on: str | None
    is_training: bool = True
    has_statistics: bool = True  # moving averages are kept by the first tower only
    top: Any = None
    has_norm: bool = True
    dtype: Any = tf.float32
    count: int = 0
    updates: list[Any] = field(default_factory=list)
    variables: list[Any] = field(default_factory=list)

    def variable(self, name: str, shape: list[int], trainable: bool = True) -> Any:
        with tf.device(self.variables_on):
            made = tf.get_variable(
                f"{name}_{self.count}",
                shape,
                tf.float32,
                tf.zeros_initializer(),
                trainable=trainable,
            )
        if trainable and made not in self.variables:
            self.variables.append(made)
        return tf.cast(made, self.dtype) if self.dtype != tf.float32 else made

    def conv(
        self,
        filters: int,
        height: int,
        width: int,
        stride: int = 1,
        padding: str = "SAME",
        activation: bool = True,
    ) -> Any:
        self.count += 1
        depth = self.top.shape.as_list()[-1]
        window = self.variable("window", [height, width, depth, filters])
        steps = [1, stride, stride, 1]
        self.top = tf.nn.conv2d(self.top, window, steps, padding)
        if self.has_norm:
            self.norm()
        else:
            self.top = tf.nn.bias_add(self.top, self.variable("bias", [filters]))
        if activation:
            self.top = tf.nn.relu(self.top)
        return self.top

    def norm(self) -> None:
        filters = self.top.shape.as_list()[-1]
        statistics, self.dtype = self.dtype, tf.float32
        scale, offset = self.variable("scale", [filters]), self.variable("offset", [filters])
        mean = self.variable("mean", [filters], trainable=False)
        variance = self.variable("variance", [filters], trainable=False)
        self.dtype = statistics
        if not self.is_training:
            self.top, *_ = tf.nn.fused_batch_norm(
                self.top, scale, offset, mean, variance, is_training=False
            )
            return
        self.top, now_mean, now_variance = tf.nn.fused_batch_norm(self.top, scale, offset)
        if self.has_statistics:
            for moving, now in ((mean, now_mean), (variance, now_variance)):
                self.updates.append(tf.assign_sub(moving, (moving - now) * 0.01))

    def max_pool(self, size: int, stride: int, padding: str = "VALID") -> Any:
        self.top = tf.nn.max_pool(self.top, [1, size, size, 1], [1, stride, stride, 1], padding)
        return self.top

    def average_pool(self, size: int, stride: int, padding: str = "VALID") -> Any:
        self.top = tf.nn.avg_pool(self.top, [1, size, size, 1], [1, stride, stride, 1], padding)
        return self.top

    def dense(self, units: int, activation: bool = True, dropout: bool = False) -> Any:
        self.count += 1
        weights = self.variable("weights", [self.top.shape.as_list()[-1], units])
        bias = self.variable("bias", [units])
        self.top = tf.nn.bias_add(tf.matmul(self.top, weights), bias)
        if activation:
            self.top = tf.nn.relu(self.top)
        if dropout and self.is_training:
            self.top = tf.nn.dropout(self.top, keep_prob=0.5)
        return self.top

    def spatial_mean(self) -> None:
        self.top = tf.reduce_mean(self.top, [1, 2])

    def flatten(self) -> None:
        batch, *sizes = self.top.shape.as_list()
        length = 1
        for size in sizes:
            length *= size
        self.top = tf.reshape(self.top, [batch, length])


def alexnet(tower: Tower) -> None:
    tower.has_norm = False
    tower.conv(64, 11, 11, 4, "VALID")
    tower.max_pool(3, 2)
    tower.conv(192, 5, 5)
    tower.max_pool(3, 2)
    for filters in (384, 384, 256):
        tower.conv(filters, 3, 3)
    tower.max_pool(3, 2)
    tower.flatten()
    tower.dense(4096, dropout=True)
    tower.dense(4096, dropout=True)


def vgg16(tower: Tower) -> None:
    tower.has_norm = False
    for repeats, filters in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
        for _ in range(repeats):
            tower.conv(filters, 3, 3)
        tower.max_pool(2, 2)
    tower.flatten()
    tower.dense(4096, dropout=True)
    tower.dense(4096, dropout=True)


def _resnet(blocks: tuple[int, ...], strides_in_window: bool) -> Callable[[Tower], None]:
    """`strides_in_window`: v1.5 has its strides in the 3 by 3 convolution, v1 in the one before."""

    def build(tower: Tower) -> None:
        tower.conv(64, 7, 7, 2)
        tower.max_pool(3, 2, "SAME")
        for stage, (count, filters) in enumerate(zip(blocks, (64, 128, 256, 512), strict=True)):
            for index in range(count):
                stride = 2 if stage and not index else 1
                bottom = shortcut = tower.top
                if not index:
                    shortcut = tower.conv(4 * filters, 1, 1, stride, activation=False)
                    tower.top = bottom
                tower.conv(filters, 1, 1, 1 if strides_in_window else stride)
                tower.conv(filters, 3, 3, stride if strides_in_window else 1)
                tower.conv(4 * filters, 1, 1, activation=False)
                tower.top = tf.nn.relu(tower.top + shortcut)
        tower.spatial_mean()

    return build


# InceptionV3's modules: each branch is a list of (filters, height, width[, stride, padding]); a
# word pools, and a list of lists at the end of a branch splits it.
_STEM = [(32, 3, 3, 2, "VALID"), (32, 3, 3, 1, "VALID"), (64, 3, 3), "max", (80, 1, 1)]
_STEM += [(192, 3, 3, 1, "VALID"), "max"]


def _module_a(pool: int) -> list[list[Any]]:
    return [
        [(64, 1, 1)],
        [(48, 1, 1), (64, 5, 5)],
        [(64, 1, 1), (96, 3, 3), (96, 3, 3)],
        ["average", (pool, 1, 1)],
    ]


_MODULE_B = [[(384, 3, 3, 2, "VALID")], [(64, 1, 1), (96, 3, 3), (96, 3, 3, 2, "VALID")], ["max"]]


def _module_c(n: int) -> list[list[Any]]:
    return [
        [(192, 1, 1)],
        [(n, 1, 1), (n, 1, 7), (192, 7, 1)],
        [(n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)],
        ["average", (192, 1, 1)],
    ]


_MODULE_D = [
    [(192, 1, 1), (320, 3, 3, 2, "VALID")],
    [(192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, 2, "VALID")],
    ["max"],
]


def _module_e(pool: str) -> list[list[Any]]:
    return [
        [(320, 1, 1)],
        [(384, 1, 1), [(384, 1, 3), (384, 3, 1)]],
        [(448, 1, 1), (384, 3, 3), [(384, 1, 3), (384, 3, 1)]],
        [pool, (192, 1, 1)],
    ]


def _branch(tower: Tower, layers: list[Any]) -> list[Any]:
    for layer in layers:
        if isinstance(layer, list):
            start, ends = tower.top, []
            for part in layer:
                tower.top = start
                ends.append(tower.conv(*part))
            return ends
        if layer == "max":
            tower.max_pool(3, 2)
        elif layer == "same max":
            tower.max_pool(3, 1, "SAME")
        elif layer == "average":
            tower.average_pool(3, 1, "SAME")
        else:
            tower.conv(*layer)
    return [tower.top]


def inception3(tower: Tower) -> None:
    _branch(tower, _STEM)
    modules = [_module_a(32), _module_a(64), _module_a(64), _MODULE_B]
    modules += [_module_c(n) for n in (128, 160, 160, 192)]
    modules += [_MODULE_D, _module_e("average"), _module_e("same max")]
    for module in modules:
        start, ends = tower.top, []
        for branch in module:
            tower.top = start
            ends += _branch(tower, branch)
        tower.top = tf.concat(ends, 3)
    tower.spatial_mean()


def _layer_norm(tower: Tower, x: Any) -> Any:
    tower.count += 1
    size = x.shape.as_list()[-1]
    mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
    scale, offset = tower.variable("scale", [size]), tower.variable("offset", [size])
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-6)


def _affine(tower: Tower, x: Any, units: int) -> Any:
    tower.count += 1
    weights = tower.variable("weights", [x.shape.as_list()[-1], units])
    return tf.nn.bias_add(tf.matmul(x, weights), tower.variable("bias", [units]))


def _bert(layers: int, hidden: int, heads: int, length: int) -> Callable[[Tower], None]:
    """BERT (arXiv 1810.04805) with the head of a classifier over its first token's neighbours."""

    def attend(tower: Tower, x: Any, batch: int) -> Any:
        def split() -> Any:
            each = tf.reshape(_affine(tower, x, hidden), [batch, length, heads, hidden // heads])
            return tf.transpose(each, [0, 2, 1, 3])

        query, key, value = split(), split(), split()
        scores = tf.matmul(query, key, transpose_b=True) * (hidden // heads) ** -0.5
        weights = tf.nn.dropout(tf.nn.softmax(scores + tf.zeros([batch, 1, 1, length])), 0.9)
        mixed = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
        return tf.nn.dropout(
            _affine(tower, tf.reshape(mixed, [batch * length, hidden]), hidden), 0.9
        )

    def build(tower: Tower) -> None:
        batch = tower.top.shape.as_list()[0]
        words = tower.variable("words", [30522, hidden])
        places = tower.variable("places", [512, hidden])
        tokens = tf.zeros([batch, length], tf.int32)
        x = tf.gather(words, tokens) + places[:length]
        x = tf.reshape(_layer_norm(tower, x), [batch * length, hidden])
        for _ in range(layers):
            x = _layer_norm(tower, x + attend(tower, x, batch))
            inner = _affine(tower, x, 4 * hidden)
            inner = inner * 0.5 * (1.0 + tf.tanh(0.79788456 * (inner + 0.044715 * inner**3)))
            x = _layer_norm(tower, x + tf.nn.dropout(_affine(tower, inner, hidden), 0.9))
        tower.top = tf.reshape(x, [batch, length, hidden])[:, 0]

    return build


@dataclass(frozen=True)
class Published:
    """A model: its layers and the side of its images."""

    build: Callable[[Tower], None]
    image: int
    optimizer: Callable[[], Any]


_DESCENT = functools.partial(tf.train.GradientDescentOptimizer, 0.1)
_MOMENTUM = functools.partial(tf.train.MomentumOptimizer, 0.1, 0.9)


MODELS = {
    "AlexNet": Published(alexnet, 227, _DESCENT),
    "VGG16": Published(vgg16, 224, _DESCENT),
    "InceptionV3": Published(inception3, 299, _DESCENT),
    "ResNet-50": Published(_resnet((3, 4, 6, 3), False), 224, _DESCENT),
    "ResNet-152": Published(_resnet((3, 8, 36, 3), False), 224, _DESCENT),
    "ResNet-50 v1.5": Published(_resnet((3, 4, 6, 3), True), 224, _MOMENTUM),
    "BERT-Base 128": Published(_bert(12, 768, 12, 128), 1, tf.train.AdamOptimizer),
    "BERT-Large 384": Published(_bert(24, 1024, 16, 384), 1, tf.train.AdamOptimizer),
}


def step(
    name: str,
    batch: int,
    *,
    towers: int = 1,
    parameter_device: str | None = None,
    is_training: bool = True,
    dtype: Any = tf.float32,
) -> tuple[Any, list[Any]]:
    """Write one step into the default graph; return what to fetch and what is fed.

    `towers`: as many copies share variables on `parameter_device`, where gradients are averaged and
    applied. None: variables are on the only GPU. The input is on the GPU already (synthetic data).
    """
    model = MODELS[name]
    gradients: list[list[Any]] = []
    variables: list[Any] = []
    updates: list[Any] = []
    for index in range(towers):
        with (
            tf.device(f"/gpu:{index}"),
            tf.variable_scope("model", reuse=index > 0),
            tf.name_scope(f"tower_{index}"),
        ):
            tower = Tower(parameter_device, is_training, index == 0, dtype=dtype)
            images = tf.zeros([batch, model.image, model.image, 3], dtype)
            tower.top = tf.identity(images)
            model.build(tower)
            logits = tf.cast(tower.dense(CLASSES, activation=False), tf.float32)
            if not is_training:
                return tf.nn.softmax(logits), []
            labels = tf.zeros([batch], tf.int32)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            decay = tf.add_n([tf.nn.l2_loss(variable) for variable in tower.variables])
            loss = tf.reduce_mean(losses) + 4e-5 * decay
            variables = tower.variables
            gradients.append(tf.gradients(loss, variables))
            updates += tower.updates
    with tf.device(parameter_device or "/gpu:0"):
        pairs = []
        for several, variable in zip(zip(*gradients, strict=True), variables, strict=True):
            mean = several[0] if towers == 1 else tf.add_n(several) * (1 / towers)
            pairs.append((mean, variable))
        return tf.group(model.optimizer().apply_gradients(pairs), *updates), []
