"""Sample calls of the matrix ops."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample


def R(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers between -1 and 1, the same each time."""
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def C(*shape: int, seed: int = 0) -> np.ndarray:
    return (R(*shape, seed=seed) + 1j * R(*shape, seed=seed + 1)).astype(np.complex64)


def SPD(size: int, *batch: int) -> np.ndarray:
    """Positive definite matrices with well separated eigenvalues."""
    x = R(*batch, size, size)
    matrix: np.ndarray = (x @ np.swapaxes(x, -1, -2) + np.diag(np.arange(1.0, size + 1))).astype(
        np.float32
    )
    return matrix


BAD = "InvalidArgumentError"
INTS = np.arange(6, dtype=np.int32).reshape(2, 3)
BANDS = np.asarray([[0.0, 0.5, 0.3], [2.0, 3.0, 1.5], [0.2, 0.4, 0.0]], np.float32)
UPPER, MAIN, LOWER = (row[None, :] for row in BANDS)

SAMPLES = {
    "MatMul": [
        Sample((R(2, 3), R(3, 4, seed=1))),
        Sample((R(3, 2), R(4, 3, seed=1)), {"transpose_a": True, "transpose_b": True}),
        Sample((R(3, 2), R(3, 4, seed=1)), {"transpose_a": True}),
        Sample((R(2, 3), R(4, 3, seed=1)), {"transpose_b": True}),
        Sample((INTS, INTS.T)),
        Sample((INTS.astype(np.uint16), INTS.T.astype(np.uint16))),
        Sample((C(2, 2), C(2, 2))),
        Sample((R(2, 0), R(0, 3))),
        Sample((R(2, 3), R(2, 3)), error=BAD),
        Sample((R(3), R(3)), error=BAD),
        Sample((R(2, 3), R(3)), error=BAD),
        Sample((INTS.astype(np.int16), INTS.T.astype(np.int16)), error=BAD),
    ],
    "SparseMatMul": [
        Sample((R(2, 3), R(3, 4, seed=1)), {"a_is_sparse": True}),
        Sample((R(3, 2), R(4, 3, seed=1)), {"transpose_a": True, "transpose_b": True}),
        Sample((R(2, 3), R(2, 3)), error=BAD),
    ],
    "BatchMatMul": [
        Sample((R(5, 2, 3), R(5, 3, 4, seed=1))),
        Sample((R(5, 2, 3), R(3, 4)), error=BAD),
    ],
    "BatchMatMulV2": [
        Sample((R(5, 2, 3), R(5, 3, 4, seed=1))),
        Sample((R(5, 1, 2, 3), R(2, 3, 4, seed=1))),
        Sample((R(5, 3, 2), R(4, 3, seed=1)), {"adj_x": True, "adj_y": True}),
        Sample((R(5, 3, 2), R(3, 4, seed=1)), {"adj_x": True}),
        Sample((R(5, 2, 3), R(2, 4, 3)), error=BAD),
        Sample((R(5, 2, 3), R(3)), error=BAD),
        Sample((R(5, 2, 3), R(4, 3, 3)), error=BAD),
    ],
    "BatchMatMulV3": [
        Sample((INTS.astype(np.int8), INTS.T.astype(np.uint8)), {"Tout": np.int32}),
        Sample((R(5, 2, 3), R(5, 3, 4)), {"Tout": np.float64}),
        Sample((R(5, 2, 3), R(5, 2, 4)), {"Tout": np.float32}, error=BAD),
    ],
    "Einsum": [
        Sample(([R(2, 3), R(3, 4)],), {"equation": "ij,jk->ik"}),
        Sample(([R(3, 3)],), {"equation": "ii->i"}),
        Sample(([R(3)],), {"equation": "i->ii"}),
        Sample(([R(2, 5, 3), R(5, 3, 4)],), {"equation": "...ij,...jk->...ik"}, error=BAD),
        Sample(([R(2, 1, 5, 3), R(6, 3, 4)],), {"equation": "...ij,...jk->i...k"}),
        Sample(([R(2, 3)],), {"equation": "ijk->i"}, error=BAD),
        Sample(([R(2, 3)],), {"equation": "ij"}, error=BAD),
        Sample(([R(2, 3), R(2, 3)],), {"equation": "ij,jk->ik"}, error=BAD),
    ],
    "MatrixBandPart": [
        Sample((R(2, 3, 4), 1, 0)),
        Sample((INTS.astype(np.uint32), -1, 1)),
        Sample((R(3, 3), 4, 0), error=BAD),
        Sample((R(3), 0, 0), error=BAD),
    ],
    "MatrixDiagV3": [
        Sample((R(2, 3), 0, -1, -1, np.float32(0))),
        Sample((R(2, 3), 1, -1, -1, np.float32(0))),
        Sample((R(4, 3, 3), [-1, 1], 3, 3, np.float32(9)), {"align": "LEFT_RIGHT"}),
        Sample((R(2, 3), [0, 1], 4, -1, np.float32(0))),
        Sample((R(3), 0, 2, -1, np.float32(0)), error=BAD),
        Sample((R(3), [1, 0], -1, -1, np.float32(0)), error=BAD),
        Sample((R(3), 0, -1, -1, np.float32(0)), {"align": "MIDDLE"}, error=BAD),
    ],
    "MatrixDiagPartV3": [
        Sample((R(2, 3, 4), 0, np.float32(0))),
        Sample((R(2, 3, 4), -2, np.float32(0))),
        Sample((R(3, 4), [-1, 2], np.float32(7))),
        Sample((R(3, 4), [-1, 2], np.float32(7)), {"align": "LEFT_LEFT"}),
        Sample((R(3, 4), 5, np.float32(0)), error=BAD),
        Sample((R(3), 0, np.float32(0)), error=BAD),
    ],
    "MatrixSetDiagV3": [
        Sample((R(2, 3, 4), R(2, 3, seed=1), 0)),
        Sample((R(3, 4), R(2, 3, seed=1), [0, 1])),
        Sample((R(3, 3), R(2), 0), error=BAD),
    ],
    "Diag": [Sample((R(2, 3),)), Sample((np.float32(1),), error=BAD)],
    "DiagPart": [Sample((R(2, 3, 2, 3),)), Sample((R(2, 3),), error=BAD)],
    "Cross": [
        Sample((R(2, 3), R(2, 3, seed=1))),
        Sample((INTS.astype(np.uint64), INTS[::-1].astype(np.uint64))),
        Sample((R(2), R(2)), error="FailedPreconditionError"),
        Sample((R(3), R(2, 3)), error=BAD),
    ],
    # Only the lower triangle is read, yet both get half of the gradient, as in TensorFlow.
    "Cholesky": [
        Sample((SPD(3, 2),), differentiable=False),
        Sample((R(2, 3),), error=BAD),
    ],
    "CholeskyGrad": [Sample((np.linalg.cholesky(SPD(3)), R(3, 3)))],
    "Lu": [
        Sample((R(2, 3, 3),), {"output_idx_type": np.int64}),
        Sample((np.zeros((2, 2), np.float32),), error=BAD),
        Sample((R(2, 3),), error=BAD),
    ],
    "Qr": [
        Sample((R(2, 4, 3),)),
        Sample((R(3, 3),), {"full_matrices": True}),
        Sample((R(2, 3),)),
        Sample((R(4, 3),), {"full_matrices": True}, differentiable=False),
        Sample((R(3),), error=BAD),
    ],
    "Svd": [
        Sample((R(3, 3),)),
        Sample((R(4, 3),)),
        Sample((R(2, 3),)),
        Sample((R(4, 3),), {"full_matrices": True}, differentiable=False),
        Sample((R(4, 3),), {"compute_uv": False}),
        Sample((R(3),), error=BAD),
    ],
    "SelfAdjointEigV2": [
        Sample((SPD(3, 2),)),
        Sample((SPD(3),), {"compute_v": False}),
        Sample((R(3, 2),), error=BAD),
    ],
    "Eig": [
        Sample((R(2, 3, 3),), {"Tout": np.complex64}, differentiable=False),
        Sample((R(3, 3),), {"Tout": np.complex64, "compute_v": False}, differentiable=False),
        Sample((R(3, 2),), {"Tout": np.complex64}, error=BAD),
    ],
    "MatrixInverse": [
        Sample((SPD(3, 2),)),
        Sample((R(3, 3),), {"adjoint": True}),
        Sample((np.zeros((2, 2), np.float32),), error=BAD),
        Sample((R(2, 3),), error=BAD),
    ],
    "MatrixSolve": [
        Sample((SPD(3, 2), R(2, 3, 4))),
        Sample((R(3, 3), R(3, 1)), {"adjoint": True}),
        Sample((np.zeros((2, 2), np.float32), R(2, 1)), error=BAD),
        Sample((SPD(3), R(2, 1)), error=BAD),
        Sample((SPD(3), R(3)), error=BAD),
    ],
    "MatrixTriangularSolve": [
        Sample((SPD(3, 2), R(3, 4))),
        Sample((SPD(3), R(3, 1)), {"lower": False}),
        Sample((SPD(3), R(3, 1)), {"adjoint": True}),
        Sample((SPD(3), R(2, 1)), error=BAD),
        Sample((R(2, 3), R(3, 1)), error=BAD),
    ],
    "MatrixSolveLs": [
        Sample((R(4, 2), R(4, 3), 0.5)),
        Sample((R(2, 4), R(2, 3), 0.5)),
        Sample((R(4, 2), R(4, 3), 0.0), {"fast": False}, differentiable=False),
        Sample((R(4, 2), R(4, 3), -1.0), error=BAD),
        Sample((R(4, 2), R(3, 3), 0.0), error=BAD),
    ],
    "MatrixDeterminant": [Sample((R(2, 3, 3),)), Sample((R(2, 3),), error=BAD)],
    "LogMatrixDeterminant": [Sample((R(2, 3, 3),)), Sample((R(2, 3),), error=BAD)],
    "MatrixExponential": [Sample((R(2, 3, 3),)), Sample((R(2, 3),), error=BAD)],
    "MatrixSquareRoot": [
        Sample((SPD(3, 2),)),
        Sample((SPD(3) + np.triu(R(3, 3), 1),)),
        Sample((R(2, 3),), error=BAD),
    ],
    "MatrixLogarithm": [
        Sample((SPD(3, 2).astype(np.complex64),)),
        Sample((R(3, 3),), error=BAD),
    ],
    "TridiagonalMatMul": [
        Sample((UPPER, MAIN, LOWER, R(3, 2))),
        Sample((UPPER, MAIN, LOWER, R(4, 2)), error=BAD),
    ],
    "TridiagonalSolve": [
        Sample((BANDS, R(3, 2))),
        Sample((BANDS, R(3, 2)), {"partial_pivoting": False}),
        Sample((R(2, 3, 4), R(2, 4, 1))),
        Sample((BANDS, R(4, 2)), error=BAD),
        Sample((BANDS[:2], R(3, 2)), error=BAD),
    ],
    "BandedTriangularSolve": [
        Sample((BANDS[1:], R(3, 2))),
        Sample((BANDS[:2], R(3, 2)), {"lower": False}),
        Sample((BANDS[1:], R(3, 2)), {"adjoint": True}),
        Sample((np.zeros((2, 3), np.float32), R(3, 2)), error=BAD),
        Sample((BANDS[1:], R(4, 2)), error=BAD),
    ],
}
