"""Call functions of the family linalg. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t_linalg_cholesky_ex = operator('linalg_cholesky_ex').table


def linalg_cholesky_ex(self, upper=False, check_errors=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cholesky_ex[keys](self, upper, check_errors)


t_linalg_cholesky_ex_L = operator('linalg_cholesky_ex.L').table


def linalg_cholesky_ex_L(self, upper=False, check_errors=False, L=constants.REQUIRED, info=constants.REQUIRED):
    keys = self._keys | L._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cholesky_ex_L[keys](self, upper, check_errors, L, info)


t_cholesky_inverse = operator('cholesky_inverse').table


def cholesky_inverse(self, upper=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky_inverse[keys](self, upper)


t_cholesky_inverse_out = operator('cholesky_inverse.out').table


def cholesky_inverse_out(self, upper=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky_inverse_out[keys](self, upper, out)


t__cholesky_solve_helper = operator('_cholesky_solve_helper').table


def _cholesky_solve_helper(self, A, upper):
    keys = self._keys | A._keys
    if state.active:
        keys = state.effective(keys)
    return t__cholesky_solve_helper[keys](self, A, upper)


t_linalg_lu_factor_ex = operator('linalg_lu_factor_ex').table


def linalg_lu_factor_ex(A, pivot=True, check_errors=False):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_factor_ex[keys](A, pivot, check_errors)


t_linalg_lu_factor_ex_out = operator('linalg_lu_factor_ex.out').table


def linalg_lu_factor_ex_out(A, pivot=True, check_errors=False, LU=constants.REQUIRED, pivots=constants.REQUIRED, info=constants.REQUIRED):
    keys = A._keys | LU._keys | pivots._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_factor_ex_out[keys](A, pivot, check_errors, LU, pivots, info)


t_linalg_lu = operator('linalg_lu').table


def linalg_lu(A, pivot=True):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu[keys](A, pivot)


t_linalg_lu_out = operator('linalg_lu.out').table


def linalg_lu_out(A, pivot=True, P=constants.REQUIRED, L=constants.REQUIRED, U=constants.REQUIRED):
    keys = A._keys | P._keys | L._keys | U._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_out[keys](A, pivot, P, L, U)


t_lu_unpack = operator('lu_unpack').table


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    keys = LU_data._keys | LU_pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t_lu_unpack[keys](LU_data, LU_pivots, unpack_data, unpack_pivots)


t_lu_unpack_out = operator('lu_unpack.out').table


def lu_unpack_out(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, P=constants.REQUIRED, L=constants.REQUIRED, U=constants.REQUIRED):
    keys = LU_data._keys | LU_pivots._keys | P._keys | L._keys | U._keys
    if state.active:
        keys = state.effective(keys)
    return t_lu_unpack_out[keys](LU_data, LU_pivots, unpack_data, unpack_pivots, P, L, U)


t_linalg_lu_solve = operator('linalg_lu_solve').table


def linalg_lu_solve(LU, pivots, B, left=True, adjoint=False):
    keys = LU._keys | pivots._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_solve[keys](LU, pivots, B, left, adjoint)


t_linalg_lu_solve_out = operator('linalg_lu_solve.out').table


def linalg_lu_solve_out(LU, pivots, B, left=True, adjoint=False, out=constants.REQUIRED):
    keys = LU._keys | pivots._keys | B._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_solve_out[keys](LU, pivots, B, left, adjoint, out)


t_linalg_ldl_factor_ex = operator('linalg_ldl_factor_ex').table


def linalg_ldl_factor_ex(self, hermitian=False, check_errors=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_factor_ex[keys](self, hermitian, check_errors)


t_linalg_ldl_factor_ex_out = operator('linalg_ldl_factor_ex.out').table


def linalg_ldl_factor_ex_out(self, hermitian=False, check_errors=False, LD=constants.REQUIRED, pivots=constants.REQUIRED, info=constants.REQUIRED):
    keys = self._keys | LD._keys | pivots._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_factor_ex_out[keys](self, hermitian, check_errors, LD, pivots, info)


t_linalg_ldl_solve = operator('linalg_ldl_solve').table


def linalg_ldl_solve(LD, pivots, B, hermitian=False):
    keys = LD._keys | pivots._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_solve[keys](LD, pivots, B, hermitian)


t_linalg_ldl_solve_out = operator('linalg_ldl_solve.out').table


def linalg_ldl_solve_out(LD, pivots, B, hermitian=False, out=constants.REQUIRED):
    keys = LD._keys | pivots._keys | B._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_solve_out[keys](LD, pivots, B, hermitian, out)


t_geqrf = operator('geqrf').table


def geqrf(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_geqrf[keys](self)


t_geqrf_a = operator('geqrf.a').table


def geqrf_a(self, a, tau):
    keys = self._keys | a._keys | tau._keys
    if state.active:
        keys = state.effective(keys)
    return t_geqrf_a[keys](self, a, tau)


t_linalg_householder_product = operator('linalg_householder_product').table


def linalg_householder_product(input, tau):
    keys = input._keys | tau._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_householder_product[keys](input, tau)


t_linalg_householder_product_out = operator('linalg_householder_product.out').table


def linalg_householder_product_out(input, tau, out):
    keys = input._keys | tau._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_householder_product_out[keys](input, tau, out)


t_ormqr = operator('ormqr').table


def ormqr(self, input2, input3, left=True, transpose=False):
    keys = self._keys | input2._keys | input3._keys
    if state.active:
        keys = state.effective(keys)
    return t_ormqr[keys](self, input2, input3, left, transpose)


t_ormqr_out = operator('ormqr.out').table


def ormqr_out(self, input2, input3, left=True, transpose=False, out=constants.REQUIRED):
    keys = self._keys | input2._keys | input3._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_ormqr_out[keys](self, input2, input3, left, transpose, out)


t_linalg_qr = operator('linalg_qr').table


def linalg_qr(A, mode='reduced'):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_qr[keys](A, mode)


t_linalg_qr_out = operator('linalg_qr.out').table


def linalg_qr_out(A, mode='reduced', Q=constants.REQUIRED, R=constants.REQUIRED):
    keys = A._keys | Q._keys | R._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_qr_out[keys](A, mode, Q, R)


t__linalg_solve_ex = operator('_linalg_solve_ex').table


def _linalg_solve_ex(A, B, left=True, check_errors=False):
    keys = A._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_solve_ex[keys](A, B, left, check_errors)


t__linalg_solve_ex_result = operator('_linalg_solve_ex.result').table


def _linalg_solve_ex_result(A, B, left=True, check_errors=False, result=constants.REQUIRED, LU=constants.REQUIRED, pivots=constants.REQUIRED, info=constants.REQUIRED):
    keys = A._keys | B._keys | result._keys | LU._keys | pivots._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_solve_ex_result[keys](A, B, left, check_errors, result, LU, pivots, info)


t_linalg_inv_ex = operator('linalg_inv_ex').table


def linalg_inv_ex(A, check_errors=False):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_inv_ex[keys](A, check_errors)


t_linalg_inv_ex_inverse = operator('linalg_inv_ex.inverse').table


def linalg_inv_ex_inverse(A, check_errors=False, inverse=constants.REQUIRED, info=constants.REQUIRED):
    keys = A._keys | inverse._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_inv_ex_inverse[keys](A, check_errors, inverse, info)


t_linalg_solve_triangular = operator('linalg_solve_triangular').table


def linalg_solve_triangular(self, B, upper, left=True, unitriangular=False):
    keys = self._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve_triangular[keys](self, B, upper, left, unitriangular)


t_linalg_solve_triangular_out = operator('linalg_solve_triangular.out').table


def linalg_solve_triangular_out(self, B, upper, left=True, unitriangular=False, out=constants.REQUIRED):
    keys = self._keys | B._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve_triangular_out[keys](self, B, upper, left, unitriangular, out)


t_triangular_solve = operator('triangular_solve').table


def triangular_solve(self, A, upper=True, transpose=False, unitriangular=False):
    keys = self._keys | A._keys
    if state.active:
        keys = state.effective(keys)
    return t_triangular_solve[keys](self, A, upper, transpose, unitriangular)


t_triangular_solve_X = operator('triangular_solve.X').table


def triangular_solve_X(self, A, upper=True, transpose=False, unitriangular=False, X=constants.REQUIRED, M=constants.REQUIRED):
    keys = self._keys | A._keys | X._keys | M._keys
    if state.active:
        keys = state.effective(keys)
    return t_triangular_solve_X[keys](self, A, upper, transpose, unitriangular, X, M)


t_linalg_lstsq = operator('linalg_lstsq').table


def linalg_lstsq(self, b, rcond=None, driver=None):
    keys = self._keys | b._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lstsq[keys](self, b, rcond, driver)


t_linalg_lstsq_out = operator('linalg_lstsq.out').table


def linalg_lstsq_out(self, b, rcond=None, driver=None, solution=constants.REQUIRED, residuals=constants.REQUIRED, rank=constants.REQUIRED, singular_values=constants.REQUIRED):
    keys = self._keys | b._keys | solution._keys | residuals._keys | rank._keys | singular_values._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lstsq_out[keys](self, b, rcond, driver, solution, residuals, rank, singular_values)


t__linalg_svd = operator('_linalg_svd').table


def _linalg_svd(A, full_matrices=False, compute_uv=True, driver=None):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_svd[keys](A, full_matrices, compute_uv, driver)


t__linalg_svd_U = operator('_linalg_svd.U').table


def _linalg_svd_U(A, full_matrices=False, compute_uv=True, driver=None, U=constants.REQUIRED, S=constants.REQUIRED, Vh=constants.REQUIRED):
    keys = A._keys | U._keys | S._keys | Vh._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_svd_U[keys](A, full_matrices, compute_uv, driver, U, S, Vh)


t__linalg_eigh = operator('_linalg_eigh').table


def _linalg_eigh(A, UPLO='L', compute_v=True):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_eigh[keys](A, UPLO, compute_v)


t__linalg_eigh_eigenvalues = operator('_linalg_eigh.eigenvalues').table


def _linalg_eigh_eigenvalues(A, UPLO='L', compute_v=True, eigenvalues=constants.REQUIRED, eigenvectors=constants.REQUIRED):
    keys = A._keys | eigenvalues._keys | eigenvectors._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_eigh_eigenvalues[keys](A, UPLO, compute_v, eigenvalues, eigenvectors)


t_linalg_eig = operator('linalg_eig').table


def linalg_eig(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eig[keys](self)


t_linalg_eig_out = operator('linalg_eig.out').table


def linalg_eig_out(self, eigenvalues, eigenvectors):
    keys = self._keys | eigenvalues._keys | eigenvectors._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eig_out[keys](self, eigenvalues, eigenvectors)


t__linalg_eigvals = operator('_linalg_eigvals').table


def _linalg_eigvals(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_eigvals[keys](self)


t__linalg_det = operator('_linalg_det').table


def _linalg_det(A):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_det[keys](A)


t__linalg_det_result = operator('_linalg_det.result').table


def _linalg_det_result(A, result, LU, pivots):
    keys = A._keys | result._keys | LU._keys | pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_det_result[keys](A, result, LU, pivots)


t__linalg_slogdet = operator('_linalg_slogdet').table


def _linalg_slogdet(A):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_slogdet[keys](A)


t__linalg_slogdet_sign = operator('_linalg_slogdet.sign').table


def _linalg_slogdet_sign(A, sign, logabsdet, LU, pivots):
    keys = A._keys | sign._keys | logabsdet._keys | LU._keys | pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_slogdet_sign[keys](A, sign, logabsdet, LU, pivots)


t_linalg_matrix_exp = operator('linalg_matrix_exp').table


def linalg_matrix_exp(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_exp[keys](self)


t_linalg_cross = operator('linalg_cross').table


def linalg_cross(self, other, dim=-1):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cross[keys](self, other, dim)


t_linalg_cross_out = operator('linalg_cross.out').table


def linalg_cross_out(self, other, dim=-1, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cross_out[keys](self, other, dim, out)


t_linalg_cholesky = operator('linalg_cholesky').table


def linalg_cholesky(self, upper=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cholesky[keys](self, upper)


t_linalg_cholesky_out = operator('linalg_cholesky.out').table


def linalg_cholesky_out(self, upper=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cholesky_out[keys](self, upper, out)


t_cholesky = operator('cholesky').table


def cholesky(self, upper=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky[keys](self, upper)


t_cholesky_out = operator('cholesky.out').table


def cholesky_out(self, upper=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky_out[keys](self, upper, out)


t_cholesky_solve = operator('cholesky_solve').table


def cholesky_solve(self, input2, upper=False):
    keys = self._keys | input2._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky_solve[keys](self, input2, upper)


t_cholesky_solve_out = operator('cholesky_solve.out').table


def cholesky_solve_out(self, input2, upper=False, out=constants.REQUIRED):
    keys = self._keys | input2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cholesky_solve_out[keys](self, input2, upper, out)


t__lu_with_info = operator('_lu_with_info').table


def _lu_with_info(self, pivot=True, check_errors=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t__lu_with_info[keys](self, pivot, check_errors)


t_linalg_lu_factor = operator('linalg_lu_factor').table


def linalg_lu_factor(A, pivot=True):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_factor[keys](A, pivot)


t_linalg_lu_factor_out = operator('linalg_lu_factor.out').table


def linalg_lu_factor_out(A, pivot=True, LU=constants.REQUIRED, pivots=constants.REQUIRED):
    keys = A._keys | LU._keys | pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_lu_factor_out[keys](A, pivot, LU, pivots)


t_lu_solve = operator('lu_solve').table


def lu_solve(self, LU_data, LU_pivots):
    keys = self._keys | LU_data._keys | LU_pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t_lu_solve[keys](self, LU_data, LU_pivots)


t_lu_solve_out = operator('lu_solve.out').table


def lu_solve_out(self, LU_data, LU_pivots, out):
    keys = self._keys | LU_data._keys | LU_pivots._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_lu_solve_out[keys](self, LU_data, LU_pivots, out)


t_linalg_ldl_factor = operator('linalg_ldl_factor').table


def linalg_ldl_factor(self, hermitian=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_factor[keys](self, hermitian)


t_linalg_ldl_factor_out = operator('linalg_ldl_factor.out').table


def linalg_ldl_factor_out(self, hermitian=False, LD=constants.REQUIRED, pivots=constants.REQUIRED):
    keys = self._keys | LD._keys | pivots._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_ldl_factor_out[keys](self, hermitian, LD, pivots)


t_orgqr = operator('orgqr').table


def orgqr(self, input2):
    keys = self._keys | input2._keys
    if state.active:
        keys = state.effective(keys)
    return t_orgqr[keys](self, input2)


t_orgqr_out = operator('orgqr.out').table


def orgqr_out(self, input2, out):
    keys = self._keys | input2._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_orgqr_out[keys](self, input2, out)


t_qr = operator('qr').table


def qr(self, some=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_qr[keys](self, some)


t_qr_Q = operator('qr.Q').table


def qr_Q(self, some=True, Q=constants.REQUIRED, R=constants.REQUIRED):
    keys = self._keys | Q._keys | R._keys
    if state.active:
        keys = state.effective(keys)
    return t_qr_Q[keys](self, some, Q, R)


t_linalg_solve_ex = operator('linalg_solve_ex').table


def linalg_solve_ex(A, B, left=True, check_errors=False):
    keys = A._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve_ex[keys](A, B, left, check_errors)


t_linalg_solve_ex_out = operator('linalg_solve_ex.out').table


def linalg_solve_ex_out(A, B, left=True, check_errors=False, result=constants.REQUIRED, info=constants.REQUIRED):
    keys = A._keys | B._keys | result._keys | info._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve_ex_out[keys](A, B, left, check_errors, result, info)


t_linalg_solve = operator('linalg_solve').table


def linalg_solve(A, B, left=True):
    keys = A._keys | B._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve[keys](A, B, left)


t_linalg_solve_out = operator('linalg_solve.out').table


def linalg_solve_out(A, B, left=True, out=constants.REQUIRED):
    keys = A._keys | B._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_solve_out[keys](A, B, left, out)


t_linalg_inv = operator('linalg_inv').table


def linalg_inv(A):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_inv[keys](A)


t_linalg_inv_out = operator('linalg_inv.out').table


def linalg_inv_out(A, out):
    keys = A._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_inv_out[keys](A, out)


t_inverse = operator('inverse').table


def inverse(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_inverse[keys](self)


t_inverse_out = operator('inverse.out').table


def inverse_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_inverse_out[keys](self, out)


t_linalg_svd = operator('linalg_svd').table


def linalg_svd(A, full_matrices=True, driver=None):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_svd[keys](A, full_matrices, driver)


t_linalg_svd_U = operator('linalg_svd.U').table


def linalg_svd_U(A, full_matrices=True, driver=None, U=constants.REQUIRED, S=constants.REQUIRED, Vh=constants.REQUIRED):
    keys = A._keys | U._keys | S._keys | Vh._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_svd_U[keys](A, full_matrices, driver, U, S, Vh)


t_linalg_svdvals = operator('linalg_svdvals').table


def linalg_svdvals(A, driver=None):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_svdvals[keys](A, driver)


t_linalg_svdvals_out = operator('linalg_svdvals.out').table


def linalg_svdvals_out(A, driver=None, out=constants.REQUIRED):
    keys = A._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_svdvals_out[keys](A, driver, out)


t_svd = operator('svd').table


def svd(self, some=True, compute_uv=True):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_svd[keys](self, some, compute_uv)


t_svd_U = operator('svd.U').table


def svd_U(self, some=True, compute_uv=True, U=constants.REQUIRED, S=constants.REQUIRED, V=constants.REQUIRED):
    keys = self._keys | U._keys | S._keys | V._keys
    if state.active:
        keys = state.effective(keys)
    return t_svd_U[keys](self, some, compute_uv, U, S, V)


t_linalg_eigh = operator('linalg_eigh').table


def linalg_eigh(self, UPLO='L'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigh[keys](self, UPLO)


t_linalg_eigh_eigvals = operator('linalg_eigh.eigvals').table


def linalg_eigh_eigvals(self, UPLO='L', eigvals=constants.REQUIRED, eigvecs=constants.REQUIRED):
    keys = self._keys | eigvals._keys | eigvecs._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigh_eigvals[keys](self, UPLO, eigvals, eigvecs)


t_linalg_eigvalsh = operator('linalg_eigvalsh').table


def linalg_eigvalsh(self, UPLO='L'):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigvalsh[keys](self, UPLO)


t_linalg_eigvalsh_out = operator('linalg_eigvalsh.out').table


def linalg_eigvalsh_out(self, UPLO='L', out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigvalsh_out[keys](self, UPLO, out)


t_linalg_eigvals = operator('linalg_eigvals').table


def linalg_eigvals(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigvals[keys](self)


t_linalg_eigvals_out = operator('linalg_eigvals.out').table


def linalg_eigvals_out(self, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_eigvals_out[keys](self, out)


t_linalg_det = operator('linalg_det').table


def linalg_det(A):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_det[keys](A)


t_linalg_det_out = operator('linalg_det.out').table


def linalg_det_out(A, out):
    keys = A._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_det_out[keys](A, out)


t_det = operator('det').table


def det(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_det[keys](self)


t_linalg_slogdet = operator('linalg_slogdet').table


def linalg_slogdet(A):
    keys = A._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_slogdet[keys](A)


t_linalg_slogdet_out = operator('linalg_slogdet.out').table


def linalg_slogdet_out(A, sign, logabsdet):
    keys = A._keys | sign._keys | logabsdet._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_slogdet_out[keys](A, sign, logabsdet)


t_slogdet = operator('slogdet').table


def slogdet(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_slogdet[keys](self)


t_slogdet_out = operator('slogdet.out').table


def slogdet_out(self, sign, logabsdet):
    keys = self._keys | sign._keys | logabsdet._keys
    if state.active:
        keys = state.effective(keys)
    return t_slogdet_out[keys](self, sign, logabsdet)


t_logdet = operator('logdet').table


def logdet(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_logdet[keys](self)


t_linalg_pinv_atol_rtol_tensor = operator('linalg_pinv.atol_rtol_tensor').table


def linalg_pinv_atol_rtol_tensor(self, atol=None, rtol=None, hermitian=False):
    keys = self._keys
    if atol is not None:
        keys |= atol._keys
    if rtol is not None:
        keys |= rtol._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_atol_rtol_tensor[keys](self, atol, rtol, hermitian)


t_linalg_pinv_atol_rtol_tensor_out = operator('linalg_pinv.atol_rtol_tensor_out').table


def linalg_pinv_atol_rtol_tensor_out(self, atol=None, rtol=None, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if atol is not None:
        keys |= atol._keys
    if rtol is not None:
        keys |= rtol._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_atol_rtol_tensor_out[keys](self, atol, rtol, hermitian, out)


t_linalg_pinv_atol_rtol_float = operator('linalg_pinv.atol_rtol_float').table


def linalg_pinv_atol_rtol_float(self, atol=None, rtol=None, hermitian=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_atol_rtol_float[keys](self, atol, rtol, hermitian)


t_linalg_pinv_atol_rtol_float_out = operator('linalg_pinv.atol_rtol_float_out').table


def linalg_pinv_atol_rtol_float_out(self, atol=None, rtol=None, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_atol_rtol_float_out[keys](self, atol, rtol, hermitian, out)


t_linalg_pinv = operator('linalg_pinv').table


def linalg_pinv(self, rcond, hermitian=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv[keys](self, rcond, hermitian)


t_linalg_pinv_out = operator('linalg_pinv.out').table


def linalg_pinv_out(self, rcond, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_out[keys](self, rcond, hermitian, out)


t_linalg_pinv_rcond_tensor = operator('linalg_pinv.rcond_tensor').table


def linalg_pinv_rcond_tensor(self, rcond, hermitian=False):
    keys = self._keys | rcond._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_rcond_tensor[keys](self, rcond, hermitian)


t_linalg_pinv_out_rcond_tensor = operator('linalg_pinv.out_rcond_tensor').table


def linalg_pinv_out_rcond_tensor(self, rcond, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | rcond._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_pinv_out_rcond_tensor[keys](self, rcond, hermitian, out)


t_pinverse = operator('pinverse').table


def pinverse(self, rcond=1e-15):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_pinverse[keys](self, rcond)


t_linalg_matrix_rank_atol_rtol_tensor = operator('linalg_matrix_rank.atol_rtol_tensor').table


def linalg_matrix_rank_atol_rtol_tensor(input, atol=None, rtol=None, hermitian=False):
    keys = input._keys
    if atol is not None:
        keys |= atol._keys
    if rtol is not None:
        keys |= rtol._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_atol_rtol_tensor[keys](input, atol, rtol, hermitian)


t_linalg_matrix_rank_atol_rtol_tensor_out = operator('linalg_matrix_rank.atol_rtol_tensor_out').table


def linalg_matrix_rank_atol_rtol_tensor_out(input, atol=None, rtol=None, hermitian=False, out=constants.REQUIRED):
    keys = input._keys | out._keys
    if atol is not None:
        keys |= atol._keys
    if rtol is not None:
        keys |= rtol._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_atol_rtol_tensor_out[keys](input, atol, rtol, hermitian, out)


t_linalg_matrix_rank_atol_rtol_float = operator('linalg_matrix_rank.atol_rtol_float').table


def linalg_matrix_rank_atol_rtol_float(self, atol=None, rtol=None, hermitian=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_atol_rtol_float[keys](self, atol, rtol, hermitian)


t_linalg_matrix_rank_atol_rtol_float_out = operator('linalg_matrix_rank.atol_rtol_float_out').table


def linalg_matrix_rank_atol_rtol_float_out(self, atol=None, rtol=None, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_atol_rtol_float_out[keys](self, atol, rtol, hermitian, out)


t_linalg_matrix_rank = operator('linalg_matrix_rank').table


def linalg_matrix_rank(self, tol, hermitian=False):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank[keys](self, tol, hermitian)


t_linalg_matrix_rank_out = operator('linalg_matrix_rank.out').table


def linalg_matrix_rank_out(self, tol, hermitian=False, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_out[keys](self, tol, hermitian, out)


t_linalg_matrix_rank_tol_tensor = operator('linalg_matrix_rank.tol_tensor').table


def linalg_matrix_rank_tol_tensor(input, tol, hermitian=False):
    keys = input._keys | tol._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_tol_tensor[keys](input, tol, hermitian)


t_linalg_matrix_rank_out_tol_tensor = operator('linalg_matrix_rank.out_tol_tensor').table


def linalg_matrix_rank_out_tol_tensor(input, tol, hermitian=False, out=constants.REQUIRED):
    keys = input._keys | tol._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_matrix_rank_out_tol_tensor[keys](input, tol, hermitian, out)


t_linalg_cond = operator('linalg_cond').table


def linalg_cond(self, p=None):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cond[keys](self, p)


t_linalg_cond_out = operator('linalg_cond.out').table


def linalg_cond_out(self, p=None, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cond_out[keys](self, p, out)


t_linalg_cond_p_str = operator('linalg_cond.p_str').table


def linalg_cond_p_str(self, p):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cond_p_str[keys](self, p)


t_linalg_cond_p_str_out = operator('linalg_cond.p_str_out').table


def linalg_cond_p_str_out(self, p, out):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_cond_p_str_out[keys](self, p, out)


t_linalg_tensorinv = operator('linalg_tensorinv').table


def linalg_tensorinv(self, ind=2):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_tensorinv[keys](self, ind)


t_linalg_tensorinv_out = operator('linalg_tensorinv.out').table


def linalg_tensorinv_out(self, ind=2, out=constants.REQUIRED):
    keys = self._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_tensorinv_out[keys](self, ind, out)


t_linalg_tensorsolve = operator('linalg_tensorsolve').table


def linalg_tensorsolve(self, other, dims=None):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_tensorsolve[keys](self, other, dims)


t_linalg_tensorsolve_out = operator('linalg_tensorsolve.out').table


def linalg_tensorsolve_out(self, other, dims=None, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_tensorsolve_out[keys](self, other, dims, out)


t_linalg_vander = operator('linalg_vander').table


def linalg_vander(x, N=None):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_linalg_vander[keys](x, N)


t_vander = operator('vander').table


def vander(x, N=None, increasing=False):
    keys = x._keys
    if state.active:
        keys = state.effective(keys)
    return t_vander[keys](x, N, increasing)


t_matrix_exp = operator('matrix_exp').table


def matrix_exp(self):
    keys = self._keys
    if state.active:
        keys = state.effective(keys)
    return t_matrix_exp[keys](self)


t_cross = operator('cross').table


def cross(self, other, dim=None):
    keys = self._keys | other._keys
    if state.active:
        keys = state.effective(keys)
    return t_cross[keys](self, other, dim)


t_cross_out = operator('cross.out').table


def cross_out(self, other, dim=None, out=constants.REQUIRED):
    keys = self._keys | other._keys | out._keys
    if state.active:
        keys = state.effective(keys)
    return t_cross_out[keys](self, other, dim, out)


t__linalg_check_errors = operator('_linalg_check_errors').table


def _linalg_check_errors(info, api_name, is_matrix):
    keys = info._keys
    if state.active:
        keys = state.effective(keys)
    return t__linalg_check_errors[keys](info, api_name, is_matrix)
