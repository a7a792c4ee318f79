"""Samples of the ops of printing and time, and of older forms of ops."""

import numpy as np

from placewise.check.samples.sample import Sample

F = np.float32
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], F)
SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]], F)
ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], F)
I32 = np.int32

SAMPLES = {
    "PrintV2": [
        Sample(("",), {"end": ""}),
        Sample((["a"],), error="InvalidArgumentError"),
        Sample(("a",), {"output_stream": "nowhere"}, error="InvalidArgumentError"),
    ],
    "Print": [Sample((MATRIX, [MATRIX]), {"first_n": 0})],
    "Assert": [
        Sample((True, [MATRIX])),
        Sample((False, [MATRIX]), error="InvalidArgumentError"),
        Sample(([True, False], [MATRIX]), error="InvalidArgumentError"),
    ],
    "Timestamp": [Sample(())],
    "CheckNumericsV2": [
        Sample((MATRIX,), {"message": "m"}),
        Sample((np.array([np.nan], F),), {"message": "m"}, error="InvalidArgumentError"),
    ],
    "MatrixDiag": [Sample((MATRIX,)), Sample((F(1),), error="InvalidArgumentError")],
    "MatrixDiagPart": [Sample((MATRIX,)), Sample((MATRIX[0],), error="InvalidArgumentError")],
    "MatrixSetDiag": [
        Sample((MATRIX, np.array([7.0, 8.0], F))),
        Sample((MATRIX, np.array([7.0], F)), error="InvalidArgumentError"),
    ],
    "MatrixDiagV2": [Sample((SQUARE, [-1, 0], 2, 2, F(9)))],
    "MatrixDiagPartV2": [Sample((SQUARE, [-1, 1], F(9)))],
    "MatrixSetDiagV2": [Sample((SQUARE, SQUARE + 5, [-1, 0]))],
    "StatelessRandomUniform": [
        Sample(([2, 3], [1, 2])),
        Sample(([2], [1, 2, 3]), error="InvalidArgumentError"),
    ],
    "StatelessRandomNormal": [Sample(([2, 3], [1, 2]))],
    "StatelessTruncatedNormal": [Sample(([2, 3], [1, 2]))],
    "StatelessRandomUniformFullInt": [Sample(([2, 3], [1, 2]))],
    "StatelessRandomUniformInt": [Sample(([2, 3], [1, 2], np.int32(0), np.int32(9)))],
    "StatelessRandomGetKeyCounterAlg": [Sample(([1, 2],))],
    "TopK": [
        Sample((np.array([[3.0, 1.0, 2.0]], F),), {"k": 2}),
        Sample((MATRIX,), {"k": 4}, error="InvalidArgumentError"),
    ],
    "InTopK": [Sample((np.array([[0.1, 0.5, 0.2]], F), np.array([1], I32)), {"k": 2})],
    "BiasAddV1": [
        Sample((MATRIX, np.array([1.0, 2.0, 3.0], F))),
        Sample((MATRIX, np.array([1.0], F)), error="InvalidArgumentError"),
    ],
    "Empty": [Sample(([2, 3],), {"dtype": "float32", "init": True})],
    "InplaceUpdate": [
        Sample((ROWS, np.array([0, 2], I32), ROWS[:2])),
        Sample((ROWS, np.array(0, I32), ROWS[0]), error="InvalidArgumentError"),
    ],
    "InplaceAdd": [Sample((ROWS, np.array([0, 0], I32), ROWS[:2]))],
    "InplaceSub": [Sample((ROWS, np.array([0, -1], I32), ROWS[:2]))],
    "DataFormatDimMap": [Sample((np.array([0, 1, 2, 3, -1], I32),))],
    "DataFormatVecPermute": [
        Sample((np.array([1, 2, 3, 4], I32),)),
        Sample((np.array([1, 2, 3], I32),), error="InvalidArgumentError"),
    ],
}
