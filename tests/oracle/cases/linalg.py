"""Matrix products, factorisations, solvers, diagonals and linear operators."""

LINES = """
tf.matmul(R(2, 3), R(3, 2, seed=1))
tf.matmul(R(3, 2), R(3, 2, seed=1), transpose_a=True)
tf.matmul(R(2, 3), R(2, 3, seed=1), transpose_b=True)
tf.matmul(R(2, 2, dtype='complex64'), R(2, 2, seed=1, dtype='complex64'), adjoint_a=True)
tf.matmul(R(2, 2, dtype='complex64'), R(2, 2, seed=1, dtype='complex64'), adjoint_b=True)
tf.matmul(R(2, 2, 3), R(2, 3, 2, seed=1))
tf.matmul(R(2, 1, 2, 3), R(3, 3, 2, seed=1))
tf.matmul(R(2, 2, 3), R(3, 2, seed=1))
tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3]))
tf.matmul([[1, 2], [3, 4]], [[5], [6]])
tf.matmul(A([[1., 0.], [0., 2.]]), R(2, 2), a_is_sparse=True)
tf.matmul(A([[1, 2]], 'int8'), A([[3], [4]], 'int8'), output_type=tf.int32)
tf.linalg.matmul(a=R(1, 2), b=R(2, 1))
tf.linalg.matvec(R(2, 3), R(3, seed=1))
tf.linalg.matvec(R(3, 2), R(3, seed=1), transpose_a=True)
tf.linalg.matvec(R(2, 2, 3), R(2, 3, seed=1))
tf.tensordot(R(2, 3), R(3, 2, seed=1), axes=1)
tf.tensordot(R(2, 3), R(2, 3, seed=1), axes=2)
tf.tensordot(R(2, 3), R(4, seed=1), axes=0)
tf.tensordot(R(2, 3, 4), R(4, 2, seed=1), axes=[[2, 0], [0, 1]])
tf.tensordot(R(2, 3), R(3, seed=1), [[1], [0]])
tf.tensordot(R(2, 3), R(5, 3, seed=1), axes=(-1, -1))
tf.einsum('ij,jk->ik', R(2, 3), R(3, 2, seed=1))
tf.einsum('ij->ji', R(2, 3))
tf.einsum('ii->i', R(3, 3))
tf.einsum('ii', R(3, 3))
tf.einsum('i,j->ij', R(2), R(3, seed=1))
tf.einsum('bij,bjk->bik', R(2, 2, 3), R(2, 3, 2, seed=1))
tf.einsum('...ij,...jk->...ik', R(2, 2, 3), R(2, 3, 2, seed=1))
tf.einsum('ij,jk,kl->il', R(2, 3), R(3, 2, seed=1), R(2, 2, seed=2))
tf.einsum('ij', R(2, 2))
tf.einsum('ij,kl', R(1, 2), R(2, 1))
tf.einsum('ijk->', R(2, 2, 2))
tf.einsum('ab,cb->ac', I(2, 3), I(2, 3, seed=1))
tf.einsum(' i j , j k -> i k ', R(2, 3), R(3, 2, seed=1))
tf.einsum('b...h,h->b...', R(2, 3, 2), R(2, seed=1), optimize='greedy')
tf.linalg.einsum('ij,ij->', R(2, 2), R(2, 2, seed=1))
tf.linalg.adjoint(R(2, 3, dtype='complex64'))
tf.linalg.matrix_transpose(R(2, 2, 3))
tf.linalg.matrix_transpose(R(2, 2, dtype='complex64'), conjugate=True)
tf.linalg.trace(R(2, 3, 3))
tf.linalg.trace(I(2, 3))
tf.linalg.band_part(R(3, 4), 1, 0)
tf.linalg.band_part(R(3, 3), -1, 0)
tf.linalg.band_part(R(3, 3), num_lower=0, num_upper=-1)
tf.linalg.band_part(I(2, 3, 3), 0, 0)
tf.linalg.diag([1., 2., 3.])
tf.linalg.diag([[1, 2], [3, 4]])
tf.linalg.diag([1., 2.], k=1)
tf.linalg.diag([1., 2.], k=-1, num_rows=4, padding_value=9.)
tf.linalg.diag([[8, 9, 0], [1, 2, 3], [0, 4, 5]], k=(-1, 1))
tf.linalg.diag([[0, 8, 9], [1, 2, 3], [4, 5, 0]], k=(-1, 1), align='LEFT_RIGHT')
tf.linalg.diag_part(R(3, 3))
tf.linalg.diag_part(R(2, 3, 2))
tf.linalg.diag_part(R(3, 4), k=1)
tf.linalg.diag_part(R(3, 4), k=(-1, 1), padding_value=7.)
tf.linalg.diag_part(I(3, 3), k=(0, 2), align='LEFT_LEFT')
tf.linalg.set_diag(R(3, 3), A([1., 2., 3.]))
tf.linalg.set_diag(tf.zeros([2, 2, 3]), A([[1., 2.], [3., 4.]]))
tf.linalg.set_diag(tf.zeros([3, 3]), A([1., 2.]), k=1)
tf.linalg.set_diag(tf.zeros([3, 3]), A([[0., 1., 2.], [3., 4., 5.]]), k=(0, 1))
tf.linalg.tensor_diag([1., 2.])
tf.linalg.tensor_diag([[1, 2], [3, 4]])
tf.linalg.tensor_diag_part(R(3, 3))
tf.linalg.tensor_diag_part(R(2, 2, 2, 2))
tf.compat.v1.diag([1, 2]), tf.compat.v1.matrix_diag([1, 2]), tf.compat.v1.diag_part(R(2, 2))
tf.compat.v1.matrix_inverse(SPD(2)), tf.compat.v1.matrix_band_part(R(2, 2), 0, 0)
tf.linalg.cholesky(SPD(3))
tf.linalg.cholesky(tf.stack([SPD(2), SPD(2, seed=1)]))
tf.linalg.cholesky(SPD(2, dtype='complex64'))
tf.linalg.cholesky(tf.zeros([0, 0]))
tf.linalg.cholesky_solve(tf.linalg.cholesky(SPD(3)), R(3, 2))
tf.linalg.det(R(3, 3))
tf.linalg.det(R(2, 2, 2))
tf.linalg.det(tf.zeros([2, 2])), tf.linalg.det(tf.zeros([0, 0]))
tf.linalg.logdet(SPD(3))
tf.linalg.slogdet(R(3, 3))
tf.linalg.slogdet(tf.zeros([2, 2]))
tf.linalg.inv(SPD(3))
tf.linalg.inv(R(2, 2, 2), adjoint=True)  #: rtol=1e-4
tf.linalg.solve(SPD(3), R(3, 2))
tf.linalg.solve(R(3, 3), R(3, 1), adjoint=True)  #: rtol=1e-4
tf.linalg.triangular_solve(tf.linalg.cholesky(SPD(3)), R(3, 2))
tf.linalg.triangular_solve(tf.linalg.cholesky(SPD(3)), R(3, 2), lower=True, adjoint=True)
tf.linalg.triangular_solve(R(2, 2), R(2, 1), lower=False)
tf.linalg.banded_triangular_solve([[2., 3., 4.], [0., 1., 1.]], [[1.], [2.], [3.]])
tf.linalg.lstsq(R(4, 2), R(4, 1, seed=1))  #: rtol=1e-4
tf.linalg.lstsq(R(4, 2), R(4, 1, seed=1), l2_regularizer=0.5)  #: rtol=1e-4
tf.linalg.lstsq(R(4, 2), R(4, 1, seed=1), fast=False)  #: rtol=1e-4
tf.linalg.lstsq(R(2, 4), R(2, 1, seed=1))  #: rtol=1e-4
tf.abs(tf.linalg.qr(R(3, 2))[1])
tf.abs(tf.linalg.qr(R(3, 2), full_matrices=True).r)
tf.matmul(*tf.linalg.qr(R(3, 3)))  #: rtol=1e-4
tf.linalg.svd(R(3, 2), compute_uv=False)
tf.linalg.svd(R(2, 3, 3), compute_uv=False)
[x.shape for x in tf.linalg.svd(R(4, 2))]
[x.shape for x in tf.linalg.svd(R(4, 2), full_matrices=True)]
tf.abs(tf.linalg.svd(SPD(3))[1])  #: rtol=1e-4
tf.linalg.eigvalsh(SPD(3))
tf.linalg.eigh(SPD(3))[0], tf.abs(tf.linalg.eigh(SPD(3))[1])  #: rtol=1e-4
tf.linalg.eigvalsh(SPD(2, dtype='complex64'))
tf.sort(tf.math.real(tf.linalg.eigvals(SPD(3))))  #: rtol=1e-4
tf.sort(tf.math.real(tf.linalg.eig(SPD(3))[0]))  #: rtol=1e-4
tf.eigvals(A([[1., 2.], [0., 3.]])), tf.eig(A([[2., 0.], [0., 3.]]))[0]
tf.linalg.eigh_tridiagonal(A([1., 2., 3.]), A([0.5, 0.25]))  #: rtol=1e-4
tf.linalg.expm(R(2, 2))  #: rtol=1e-4
tf.linalg.expm(tf.zeros([2, 2]))
tf.linalg.expm(R(2, 2, 2, dtype='float64'))
tf.linalg.logm(SPD(2, dtype='complex64'))  #: rtol=1e-4
tf.linalg.sqrtm(SPD(3))  #: rtol=1e-4
tf.matrix_square_root(A([[4., 0.], [0., 9.]]))
tf.linalg.pinv(R(3, 2))  #: rtol=1e-4
tf.linalg.pinv(R(3, 2), rcond=0.5)  #: rtol=1e-4
tf.linalg.matrix_rank(R(3, 3)), tf.linalg.matrix_rank(tf.ones([3, 3]))
tf.linalg.matrix_rank(R(2, 3, 2))
tf.linalg.matrix_rank(tf.eye(3) * 1e-3, tol=0.1)
tf.linalg.lu(R(3, 3))
tf.linalg.lu(R(2, 2, 2), output_idx_type=tf.int64)
tf.linalg.lu_matrix_inverse(*tf.linalg.lu(SPD(3)))
tf.linalg.lu_reconstruct(*tf.linalg.lu(R(3, 3)))
tf.linalg.lu_solve(*tf.linalg.lu(SPD(3)), R(3, 2))
tf.linalg.cross(R(3), R(3, seed=1))
tf.linalg.cross(R(2, 3), R(2, 3, seed=1))
tf.linalg.tridiagonal_solve(A([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]]), A([1., 2., 3.]))
tf.linalg.tridiagonal_solve([A([1., 1.]), A([4., 4., 4.]), A([1., 1.])], R(3, 2), 'sequence')
tf.linalg.tridiagonal_solve(SPD(3), R(3), diagonals_format='matrix', partial_pivoting=False)
tf.linalg.tridiagonal_matmul(A([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]]), R(3, 2))
tf.linalg.tridiagonal_matmul([A([1., 1., 0.]), A([4., 4., 4.]), A([0., 1., 1.])], R(3, 2),
  'sequence')
tf.linalg.l2_normalize(R(2, 3), axis=-1)
tf.linalg.eye(2), tf.linalg.tensordot(R(2), R(2, seed=1), 1)
tf.linalg.experimental.conjugate_gradient( tf.linalg.LinearOperatorFullMatrix(SPD(3),
  is_self_adjoint=True, is_positive_definite=True), R(3)).x  #: rtol=1e-3
tf.linalg.LinearOperatorDiag([1., 2.]).matmul(R(2, 2))
tf.linalg.LinearOperatorDiag([1., 2.]).solve(R(2, 1))
tf.linalg.LinearOperatorDiag([1., 2.]).to_dense()
tf.linalg.LinearOperatorDiag([1., 2.]).determinant()
tf.linalg.LinearOperatorDiag([1., 2.]).log_abs_determinant()
tf.linalg.LinearOperatorDiag([1., 2.]).trace()
tf.linalg.LinearOperatorFullMatrix(SPD(2)).solve(R(2, 1))
tf.linalg.LinearOperatorFullMatrix(SPD(2)).trace()
tf.linalg.LinearOperatorIdentity(2).matmul(R(2, 2)), tf.linalg.LinearOperatorIdentity(2).to_dense()
tf.linalg.LinearOperatorScaledIdentity(2, 3.).to_dense()
tf.linalg.LinearOperatorLowerTriangular(SPD(2)).to_dense()
tf.linalg.LinearOperatorLowerTriangular(SPD(2)).solve(R(2, 1))
tf.linalg.LinearOperatorZeros(2).to_dense()
tf.linalg.LinearOperatorHouseholder([1., 2.]).to_dense()
tf.linalg.LinearOperatorToeplitz([1., 2., 3.], [1., 4., 5.]).to_dense()
tf.linalg.LinearOperatorPermutation([2, 0, 1]).to_dense()
tf.linalg.LinearOperatorCirculant(A([1., 2., 3.], 'complex64')).to_dense()  #: rtol=1e-4
tf.linalg.LinearOperatorTridiag([A([1., 1., 0.]), A([4., 4., 4.]), A([0., 1., 1.])],
  'sequence').to_dense()
tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorDiag([1., 2.]),
  tf.linalg.LinearOperatorFullMatrix(SPD(2))]).to_dense()
tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorDiag([1., 2.]),
  tf.linalg.LinearOperatorIdentity(1)]).to_dense()
tf.linalg.LinearOperatorComposition([tf.linalg.LinearOperatorDiag([1., 2.]),
  tf.linalg.LinearOperatorFullMatrix(SPD(2))]).to_dense()
tf.linalg.LinearOperatorAdjoint(tf.linalg.LinearOperatorFullMatrix(R(2, 2))).to_dense()
tf.linalg.LinearOperatorInversion(tf.linalg.LinearOperatorFullMatrix(SPD(2))).to_dense()
tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([1., 2.]), R(2, 1)).to_dense()
tf.linalg.LinearOperatorDiag([1., 2.]).shape
tf.linalg.LinearOperatorDiag([1., 2.]).domain_dimension
tf.math.is_nan(tf.linalg.cholesky(A([[1., 2.], [2., 1.]])))[0, 0]
tf.linalg.triangular_solve(tf.zeros([2, 2]), R(2, 1))
tf.linalg.LinearOperatorBlockLowerTriangular([[tf.linalg.LinearOperatorDiag([1., 2.])],
  [tf.linalg.LinearOperatorFullMatrix(R(1, 2)), tf.linalg.LinearOperatorIdentity(1)]]).to_dense()
tf.linalg.LinearOperatorCirculant2D(R(2, 2, dtype='complex64')).to_dense()  #: rtol=1e-4
tf.linalg.LinearOperatorCirculant3D(R(1, 2, 2, dtype='complex64')).to_dense()  #: rtol=1e-4
"""

FAMILIES = [
    (
        "tf.matmul(I(2, 3, dtype='<d>'), I(3, 2, seed=1, dtype='<d>'))",
        {
            "d": "float16 bfloat16 float64 int64 uint8 int8 int16 uint16 uint32 complex64 "
            "complex128 bool"
        },
    ),
    (
        "tf.matmul(R(<s>, 2, 2), R(<s>, 2, 2, seed=1), transpose_a=<a>, transpose_b=<b>)",
        {"s": "1 3", "a": "True False", "b": "True False"},
    ),
    (
        "tf.linalg.<f>(SPD(3, dtype='<d>'))",
        {"f": "inv det cholesky logdet eigvalsh trace", "d": "float64 float16 complex128 int32"},
    ),
    ("tf.linalg.<f>(R(2, 3))", {"f": "inv det cholesky logdet eigvalsh expm lu slogdet"}),
    ("tf.linalg.<f>(R(3))", {"f": "inv det cholesky band_part trace diag_part matrix_transpose"}),
    (
        "tf.linalg.diag(I(3, dtype='<d>'))",
        {"d": "bool int8 int64 uint8 float16 bfloat16 complex64"},
    ),
    (
        "tf.einsum('ij,jk->ik', I(2, 2, dtype='<d>'), I(2, 2, dtype='<d>'))",
        {"d": "float16 bfloat16 float64 int64 complex64 uint8"},
    ),
]

ERRORS = """
tf.matmul(R(2, 3), R(2, 3))
tf.matmul(R(2), R(2))
tf.matmul(R(2, 3), R(3))
tf.matmul(R(2, 2), R(2, 2, dtype='float64'))
tf.matmul(R(2, 2, 2), R(3, 2, 2))
tf.matmul(R(2, 2), R(2, 2), transpose_a=True, adjoint_a=True)
tf.matmul(A([['a']]), A([['b']]))
tf.linalg.matvec(R(2, 3), R(2))
tf.tensordot(R(2, 3), R(2, 3), axes=1)
tf.tensordot(R(2, 3), R(3, 2), axes=-1)
tf.tensordot(R(2, 3), R(3, 2), axes=[[0], [0, 1]])
tf.tensordot(R(2, 3), R(3, 2), axes='ab')
tf.einsum('ij,jk->ik', R(2, 3), R(2, 3))
tf.einsum('ij,jk->ik', R(2, 3))
tf.einsum('ij->k', R(2, 3))
tf.einsum('ijk->i', R(2, 3))
tf.einsum('i-j', R(2, 3))
tf.einsum('ij->ij->', R(2, 3))
tf.linalg.inv(tf.zeros([2, 2]))
tf.linalg.solve(tf.zeros([2, 2]), R(2, 1))
tf.linalg.solve(SPD(3), R(2, 1))
tf.linalg.triangular_solve(SPD(3), R(2, 1))
tf.linalg.lu(tf.zeros([2, 2]))
tf.linalg.cross(R(2), R(2))
tf.linalg.cross(R(3), R(2, 3))
tf.linalg.set_diag(R(3, 3), A([1., 2.]))
tf.linalg.diag([1., 2.], k=(1, 0))
tf.linalg.diag([1., 2.], align='MIDDLE')
tf.linalg.band_part(R(3, 3), 4, 0)
tf.linalg.tensor_diag_part(R(2, 3))
tf.linalg.tridiagonal_solve(A([[1., 1.], [4., 4.]]), A([1., 2.]))
tf.linalg.tridiagonal_solve(SPD(3), R(3), diagonals_format='dense')
tf.linalg.eigh(A([[1, 2], [2, 1]]))
tf.linalg.svd(A([[1, 2], [2, 1]]))
tf.linalg.cholesky(A([[1, 0], [0, 1]]))
tf.linalg.logm(SPD(2))
tf.linalg.LinearOperatorDiag([1., 2.]).matmul(R(3, 1))
tf.linalg.LinearOperatorFullMatrix(R(3))
tf.linalg.LinearOperatorFullMatrix(SPD(2)).cholesky().to_dense()
"""
