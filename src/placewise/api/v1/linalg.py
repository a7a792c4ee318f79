"""tf.linalg of TensorFlow 1: matrix functions."""

# ruff: noqa: F401 - names of a table, some under other names than at their source

from placewise.ops.array.creation import eye as eye
from placewise.ops.linalg import experimental as experimental
from placewise.ops.linalg.diagonal import band_part as band_part
from placewise.ops.linalg.diagonal import tensor_diag as tensor_diag
from placewise.ops.linalg.diagonal import tensor_diag_part as tensor_diag_part
from placewise.ops.linalg.diagonal import trace as trace
from placewise.ops.linalg.eigen import eigh as eigh
from placewise.ops.linalg.eigen import eigvalsh as eigvalsh
from placewise.ops.linalg.einsum import einsum as einsum
from placewise.ops.linalg.einsum import tensordot as tensordot
from placewise.ops.linalg.factor import cholesky as cholesky
from placewise.ops.linalg.factor import lu as lu
from placewise.ops.linalg.factor import qr as qr
from placewise.ops.linalg.factor import svd as svd
from placewise.ops.linalg.functions import expm as expm
from placewise.ops.linalg.functions import logm as logm
from placewise.ops.linalg.functions import sqrtm as sqrtm
from placewise.ops.linalg.inverse import cholesky_solve as cholesky_solve
from placewise.ops.linalg.inverse import det as det
from placewise.ops.linalg.inverse import inv as inv
from placewise.ops.linalg.inverse import logdet as logdet
from placewise.ops.linalg.inverse import slogdet as slogdet
from placewise.ops.linalg.inverse import solve as solve
from placewise.ops.linalg.inverse import triangular_solve as triangular_solve
from placewise.ops.linalg.least_squares import lstsq as lstsq
from placewise.ops.linalg.least_squares import matrix_rank as matrix_rank
from placewise.ops.linalg.least_squares import pinv as pinv
from placewise.ops.linalg.matmul import matvec as matvec
from placewise.ops.linalg.operator import LinearOperator as LinearOperator
from placewise.ops.linalg.operator_combined import LinearOperatorAdjoint as LinearOperatorAdjoint
from placewise.ops.linalg.operator_combined import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from placewise.ops.linalg.operator_combined import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from placewise.ops.linalg.operator_combined import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from placewise.ops.linalg.operator_combined import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from placewise.ops.linalg.operator_combined import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from placewise.ops.linalg.operator_plain import LinearOperatorDiag as LinearOperatorDiag
from placewise.ops.linalg.operator_plain import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from placewise.ops.linalg.operator_plain import LinearOperatorIdentity as LinearOperatorIdentity
from placewise.ops.linalg.operator_plain import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from placewise.ops.linalg.operator_plain import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from placewise.ops.linalg.operator_plain import LinearOperatorZeros as LinearOperatorZeros
from placewise.ops.linalg.operator_structured import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from placewise.ops.linalg.operator_structured import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from placewise.ops.linalg.operator_structured import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from placewise.ops.linalg.operator_structured import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from placewise.ops.linalg.operator_structured import (
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from placewise.ops.linalg.products import cross as cross
from placewise.ops.linalg.products import normalize as normalize
from placewise.ops.linalg.transpose import adjoint as adjoint
from placewise.ops.linalg.transpose import matrix_transpose as matrix_transpose
from placewise.ops.linalg.transpose import matrix_transpose as transpose
from placewise.ops.linalg.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from placewise.ops.linalg.tridiagonal import tridiagonal_solve as tridiagonal_solve
from placewise.tf1.ops_array import matrix_diag as diag
from placewise.tf1.ops_array import matrix_diag_part as diag_part
from placewise.tf1.ops_array import matrix_set_diag as set_diag
from placewise.tf1.ops_math import global_norm as global_norm
from placewise.tf1.ops_math import matmul as matmul
from placewise.tf1.ops_math import norm as norm
from placewise.tf1.ops_nn import l2_normalize as l2_normalize
