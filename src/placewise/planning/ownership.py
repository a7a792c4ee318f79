"""Which operations make memory of their own: what passes may know of who shares what.

Where a kernel is known to return new memory, its result may be written into once nobody reads it
any more; where it returns a view, the result shares the input's memory. Of all others nothing is
assumed.
"""

from __future__ import annotations

from typing import Any

_ELEMENTWISE = """
    Abs Add AddV2 BiasAdd Cos Div Elu Equal Erf Exp Expm1 Floor FloorDiv FloorMod Greater
    GreaterEqual IsFinite IsInf IsNan LeakyRelu LeakyReluGrad Less LessEqual Log Log1p LogicalAnd
    LogicalNot LogicalOr Mul Neg NotEqual Pow RealDiv Relu ReluGrad Rsqrt Selu Sigmoid SigmoidGrad
    Sign Sin Softplus Sqrt Square SquaredDifference Sub Tan Tanh TanhGrad
"""
_OTHERS = """
    ArgMax ArgMin AvgPool AvgPoolGrad BatchMatMul BatchMatMulV2 BiasAddGrad Conv2D
    Conv2DBackpropFilter Conv2DBackpropInput GatherV2 InTopK InTopKV2 LRN LRNGrad LogSoftmax MatMul
    MaxPool MaxPoolGrad OneHot Rank Shape Size Softmax SoftmaxCrossEntropyWithLogits
    SparseSoftmaxCrossEntropyWithLogits
"""

# Their kernels return memory that neither inputs nor state share, whatever the arguments.
FRESH = frozenset(f"{_ELEMENTWISE} {_OTHERS}".split())

# Their results may share the memory of their first inputs, and nothing else keeps it.
_VIEWS = """
    AddN BroadcastTo Cast ConcatV2 ExpandDims Identity Max Maximum Mean Min Minimum NoOp OnesLike
    Pack Reshape Select SelectV2 Slice Split SplitV Squeeze StopGradient StridedSlice Sum Tile
    Transpose Unpack ZerosLike
"""
VIEWS = frozenset(_VIEWS.split())


def is_within_reach(copy: Any) -> bool:
    """Return True if a copy's original can be read from where it is copied to, as by NCCL.

    So it is between simulated devices: who reads the copy but once may as well read the original.
    """
    return bool(copy.source.torch_device == copy.device.torch_device)
