"""Which ops' kernels return memory of their own.

Their results share no bytes with inputs or state, whatever the arguments: they may be written into
once nobody reads them any more, and need not be asked whose bytes they are. Of other ops nothing is
assumed.
"""

from __future__ import annotations

_ELEMENTWISE = """
    Abs Acos Acosh Add AddV2 Asin Asinh Atan Atan2 Atanh BiasAdd Ceil Cos Cosh Digamma Div DivNoNan
    Elu EluGrad Equal Erf Erfc Erfinv Exp Expm1 Floor FloorDiv FloorMod Greater GreaterEqual Inv
    InvGrad IsFinite IsInf IsNan LeakyRelu LeakyReluGrad Less LessEqual Lgamma Log Log1p LogicalAnd
    LogicalNot LogicalOr Maximum Minimum Mod Mul Neg NotEqual Pow RealDiv Reciprocal ReciprocalGrad
    Relu Relu6 Relu6Grad ReluGrad Rint Round Rsqrt RsqrtGrad Selu SeluGrad Sigmoid SigmoidGrad Sign
    Sin Sinh Softplus SoftplusGrad Softsign SoftsignGrad Sqrt SqrtGrad Square SquaredDifference Sub
    Tan Tanh TanhGrad TruncateDiv TruncateMod
"""
_RANDOM = """
    RandomStandardNormal RandomUniform RandomUniformInt StatelessRandomNormal
    StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformInt
    StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal
    StatelessTruncatedNormalV2 TruncatedNormal
"""
_OTHERS = """
    ArgMax ArgMin AvgPool AvgPoolGrad BatchMatMul BatchMatMulV2 BiasAddGrad ConcatV2 Conv2D
    Conv2DBackpropFilter Conv2DBackpropInput DepthwiseConv2dNative Fill GatherV2 InTopK InTopKV2
    L2Loss LRN LRNGrad LogSoftmax MatMul MaxPool MaxPoolGrad OneHot OnesLike Pack Range Rank
    ScatterNd Select SelectV2 Shape Size Softmax SoftmaxCrossEntropyWithLogits
    SparseSoftmaxCrossEntropyWithLogits ZerosLike
"""

FRESH = frozenset(f"{_ELEMENTWISE} {_RANDOM} {_OTHERS}".split())

# Nor are their results views of something larger that the kernel made.
WHOLE = frozenset(f"{_ELEMENTWISE} {_RANDOM} ConcatV2 Fill MatMul".split())
