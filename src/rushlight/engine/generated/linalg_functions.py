"""Functions of the namespace linalg. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.calls import linalg as c_linalg
from rushlight.engine.calls import matrix as c_matrix
from rushlight.engine.calls import reduction as c_reduction
from rushlight.engine.calls import view as c_view

r_linalg_cholesky_ex = Resolver('linalg_cholesky_ex', ('linalg_cholesky_ex|linalg_cholesky_ex.L',), False)


def linalg_cholesky_ex(input=MISSING, *extra, upper=False, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(upper) is bool and type(check_errors) is bool:
            return named_result('linalg_cholesky_ex', ('L', 'info'))(c_linalg.linalg_cholesky_ex(input, upper, check_errors))
    return resolve(r_linalg_cholesky_ex, (('input', input, MISSING),), extra, (
        ('upper', upper, False),
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r_linalg_cholesky_ex.public = linalg_cholesky_ex


r_linalg_lu_factor_ex = Resolver('linalg_lu_factor_ex', ('linalg_lu_factor_ex|linalg_lu_factor_ex.out',), False)


def linalg_lu_factor_ex(A=MISSING, *extra, pivot=True, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(pivot) is bool and type(check_errors) is bool:
            return named_result('linalg_lu_factor_ex', ('LU', 'pivots', 'info'))(c_linalg.linalg_lu_factor_ex(A, pivot, check_errors))
    return resolve(r_linalg_lu_factor_ex, (('A', A, MISSING),), extra, (
        ('pivot', pivot, True),
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r_linalg_lu_factor_ex.public = linalg_lu_factor_ex


r_linalg_lu = Resolver('linalg_lu', ('linalg_lu|linalg_lu.out',), False)


def linalg_lu(A=MISSING, *extra, pivot=True, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(pivot) is bool:
            return named_result('linalg_lu', ('P', 'L', 'U'))(c_linalg.linalg_lu(A, pivot))
    return resolve(r_linalg_lu, (('A', A, MISSING),), extra, (
        ('pivot', pivot, True),
        ('out', out, None),
    ), others)

r_linalg_lu.public = linalg_lu


r_linalg_lu_solve = Resolver('linalg_lu_solve', ('linalg_lu_solve|linalg_lu_solve.out',), False)


def linalg_lu_solve(LU=MISSING, pivots=MISSING, B=MISSING, *extra, left=True, adjoint=False, out=None, **others):
    if not extra and not others and out is None:
        if type(LU) in plain and type(pivots) in plain and type(B) in plain and type(left) is bool and type(adjoint) is bool:
            return c_linalg.linalg_lu_solve(LU, pivots, B, left, adjoint)
    return resolve(r_linalg_lu_solve, (('LU', LU, MISSING), ('pivots', pivots, MISSING), ('B', B, MISSING),), extra, (
        ('left', left, True),
        ('adjoint', adjoint, False),
        ('out', out, None),
    ), others)

r_linalg_lu_solve.public = linalg_lu_solve


r_linalg_ldl_factor_ex = Resolver('linalg_ldl_factor_ex', ('linalg_ldl_factor_ex|linalg_ldl_factor_ex.out',), False)


def linalg_ldl_factor_ex(input=MISSING, *extra, hermitian=False, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(hermitian) is bool and type(check_errors) is bool:
            return named_result('linalg_ldl_factor_ex', ('LD', 'pivots', 'info'))(c_linalg.linalg_ldl_factor_ex(input, hermitian, check_errors))
    return resolve(r_linalg_ldl_factor_ex, (('input', input, MISSING),), extra, (
        ('hermitian', hermitian, False),
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r_linalg_ldl_factor_ex.public = linalg_ldl_factor_ex


r_linalg_ldl_solve = Resolver('linalg_ldl_solve', ('linalg_ldl_solve|linalg_ldl_solve.out',), False)


def linalg_ldl_solve(LD=MISSING, pivots=MISSING, B=MISSING, *extra, hermitian=False, out=None, **others):
    if not extra and not others and out is None:
        if type(LD) in plain and type(pivots) in plain and type(B) in plain and type(hermitian) is bool:
            return c_linalg.linalg_ldl_solve(LD, pivots, B, hermitian)
    return resolve(r_linalg_ldl_solve, (('LD', LD, MISSING), ('pivots', pivots, MISSING), ('B', B, MISSING),), extra, (
        ('hermitian', hermitian, False),
        ('out', out, None),
    ), others)

r_linalg_ldl_solve.public = linalg_ldl_solve


r_linalg_householder_product = Resolver('linalg_householder_product', ('linalg_householder_product|linalg_householder_product.out',), False)


def linalg_householder_product(input=MISSING, tau=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(tau) in plain:
            return c_linalg.linalg_householder_product(input, tau)
    return resolve(r_linalg_householder_product, (('input', input, MISSING), ('tau', tau, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_householder_product.public = linalg_householder_product


r_linalg_qr = Resolver('linalg_qr', ('linalg_qr|linalg_qr.out',), False)


def linalg_qr(A=MISSING, mode='reduced', *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(mode) is str:
            return named_result('linalg_qr', ('Q', 'R'))(c_linalg.linalg_qr(A, mode))
    return resolve(r_linalg_qr, (('A', A, MISSING), ('mode', mode, 'reduced'),), extra, (
        ('out', out, None),
    ), others)

r_linalg_qr.public = linalg_qr


r_linalg_inv_ex = Resolver('linalg_inv_ex', ('linalg_inv_ex|linalg_inv_ex.inverse',), False)


def linalg_inv_ex(A=MISSING, *extra, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(check_errors) is bool:
            return named_result('linalg_inv_ex', ('inverse', 'info'))(c_linalg.linalg_inv_ex(A, check_errors))
    return resolve(r_linalg_inv_ex, (('A', A, MISSING),), extra, (
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r_linalg_inv_ex.public = linalg_inv_ex


r_linalg_solve_triangular = Resolver('linalg_solve_triangular', ('linalg_solve_triangular|linalg_solve_triangular.out',), False)


def linalg_solve_triangular(input=MISSING, B=MISSING, *extra, upper=MISSING, left=True, unitriangular=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(B) in plain and type(upper) is bool and type(left) is bool and type(unitriangular) is bool:
            return c_linalg.linalg_solve_triangular(input, B, upper, left, unitriangular)
    return resolve(r_linalg_solve_triangular, (('input', input, MISSING), ('B', B, MISSING),), extra, (
        ('upper', upper, MISSING),
        ('left', left, True),
        ('unitriangular', unitriangular, False),
        ('out', out, None),
    ), others)

r_linalg_solve_triangular.public = linalg_solve_triangular


r_linalg_lstsq = Resolver('linalg_lstsq', ('linalg_lstsq|linalg_lstsq.out',), False)


def linalg_lstsq(input=MISSING, b=MISSING, rcond=None, *extra, driver=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(b) in plain and (rcond is None or type(rcond) is float) and (driver is None or type(driver) is str):
            return named_result('linalg_lstsq', ('solution', 'residuals', 'rank', 'singular_values'))(c_linalg.linalg_lstsq(input, b, rcond, driver))
    return resolve(r_linalg_lstsq, (('input', input, MISSING), ('b', b, MISSING), ('rcond', rcond, None),), extra, (
        ('driver', driver, None),
        ('out', out, None),
    ), others)

r_linalg_lstsq.public = linalg_lstsq


r_linalg_eig = Resolver('linalg_eig', ('linalg_eig|linalg_eig.out',), False)


def linalg_eig(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return named_result('linalg_eig', ('eigenvalues', 'eigenvectors'))(c_linalg.linalg_eig(input))
    return resolve(r_linalg_eig, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_eig.public = linalg_eig


r_linalg_matrix_exp = Resolver('linalg_matrix_exp', ('linalg_matrix_exp',), False)


def linalg_matrix_exp(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_linalg.linalg_matrix_exp(input)
    return resolve(r_linalg_matrix_exp, (('input', input, MISSING),), extra, (
    ), others)

r_linalg_matrix_exp.public = linalg_matrix_exp


r_linalg_cross = Resolver('linalg_cross', ('linalg_cross|linalg_cross.out',), False)


def linalg_cross(input=MISSING, other=MISSING, *extra, dim=-1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and type(dim) is int:
            return c_linalg.linalg_cross(input, other, dim)
    return resolve(r_linalg_cross, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('dim', dim, -1),
        ('out', out, None),
    ), others)

r_linalg_cross.public = linalg_cross


r_linalg_cholesky = Resolver('linalg_cholesky', ('linalg_cholesky|linalg_cholesky.out',), False)


def linalg_cholesky(input=MISSING, *extra, upper=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(upper) is bool:
            return c_linalg.linalg_cholesky(input, upper)
    return resolve(r_linalg_cholesky, (('input', input, MISSING),), extra, (
        ('upper', upper, False),
        ('out', out, None),
    ), others)

r_linalg_cholesky.public = linalg_cholesky


r_linalg_lu_factor = Resolver('linalg_lu_factor', ('linalg_lu_factor|linalg_lu_factor.out',), False)


def linalg_lu_factor(A=MISSING, *extra, pivot=True, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(pivot) is bool:
            return named_result('linalg_lu_factor', ('LU', 'pivots'))(c_linalg.linalg_lu_factor(A, pivot))
    return resolve(r_linalg_lu_factor, (('A', A, MISSING),), extra, (
        ('pivot', pivot, True),
        ('out', out, None),
    ), others)

r_linalg_lu_factor.public = linalg_lu_factor


r_linalg_ldl_factor = Resolver('linalg_ldl_factor', ('linalg_ldl_factor|linalg_ldl_factor.out',), False)


def linalg_ldl_factor(input=MISSING, *extra, hermitian=False, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(hermitian) is bool:
            return named_result('linalg_ldl_factor', ('LD', 'pivots'))(c_linalg.linalg_ldl_factor(input, hermitian))
    return resolve(r_linalg_ldl_factor, (('input', input, MISSING),), extra, (
        ('hermitian', hermitian, False),
        ('out', out, None),
    ), others)

r_linalg_ldl_factor.public = linalg_ldl_factor


r_linalg_solve_ex = Resolver('linalg_solve_ex', ('linalg_solve_ex|linalg_solve_ex.out',), False)


def linalg_solve_ex(A=MISSING, B=MISSING, *extra, left=True, check_errors=False, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(B) in plain and type(left) is bool and type(check_errors) is bool:
            return named_result('linalg_solve_ex', ('result', 'info'))(c_linalg.linalg_solve_ex(A, B, left, check_errors))
    return resolve(r_linalg_solve_ex, (('A', A, MISSING), ('B', B, MISSING),), extra, (
        ('left', left, True),
        ('check_errors', check_errors, False),
        ('out', out, None),
    ), others)

r_linalg_solve_ex.public = linalg_solve_ex


r_linalg_solve = Resolver('linalg_solve', ('linalg_solve|linalg_solve.out',), False)


def linalg_solve(A=MISSING, B=MISSING, *extra, left=True, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(B) in plain and type(left) is bool:
            return c_linalg.linalg_solve(A, B, left)
    return resolve(r_linalg_solve, (('A', A, MISSING), ('B', B, MISSING),), extra, (
        ('left', left, True),
        ('out', out, None),
    ), others)

r_linalg_solve.public = linalg_solve


r_linalg_inv = Resolver('linalg_inv', ('linalg_inv|linalg_inv.out',), False)


def linalg_inv(A=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain:
            return c_linalg.linalg_inv(A)
    return resolve(r_linalg_inv, (('A', A, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_inv.public = linalg_inv


r_linalg_svd = Resolver('linalg_svd', ('linalg_svd|linalg_svd.U',), False)


def linalg_svd(A=MISSING, full_matrices=True, *extra, driver=None, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and type(full_matrices) is bool and (driver is None or type(driver) is str):
            return named_result('linalg_svd', ('U', 'S', 'Vh'))(c_linalg.linalg_svd(A, full_matrices, driver))
    return resolve(r_linalg_svd, (('A', A, MISSING), ('full_matrices', full_matrices, True),), extra, (
        ('driver', driver, None),
        ('out', out, None),
    ), others)

r_linalg_svd.public = linalg_svd


r_linalg_svdvals = Resolver('linalg_svdvals', ('linalg_svdvals|linalg_svdvals.out',), False)


def linalg_svdvals(A=MISSING, *extra, driver=None, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain and (driver is None or type(driver) is str):
            return c_linalg.linalg_svdvals(A, driver)
    return resolve(r_linalg_svdvals, (('A', A, MISSING),), extra, (
        ('driver', driver, None),
        ('out', out, None),
    ), others)

r_linalg_svdvals.public = linalg_svdvals


r_linalg_eigh = Resolver('linalg_eigh', ('linalg_eigh|linalg_eigh.eigvals',), False)


def linalg_eigh(input=MISSING, UPLO='L', *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(UPLO) is str:
            return named_result('linalg_eigh', ('eigenvalues', 'eigenvectors'))(c_linalg.linalg_eigh(input, UPLO))
    return resolve(r_linalg_eigh, (('input', input, MISSING), ('UPLO', UPLO, 'L'),), extra, (
        ('out', out, None),
    ), others)

r_linalg_eigh.public = linalg_eigh


r_linalg_eigvalsh = Resolver('linalg_eigvalsh', ('linalg_eigvalsh|linalg_eigvalsh.out',), False)


def linalg_eigvalsh(input=MISSING, UPLO='L', *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(UPLO) is str:
            return c_linalg.linalg_eigvalsh(input, UPLO)
    return resolve(r_linalg_eigvalsh, (('input', input, MISSING), ('UPLO', UPLO, 'L'),), extra, (
        ('out', out, None),
    ), others)

r_linalg_eigvalsh.public = linalg_eigvalsh


r_linalg_eigvals = Resolver('linalg_eigvals', ('linalg_eigvals|linalg_eigvals.out',), False)


def linalg_eigvals(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_linalg.linalg_eigvals(input)
    return resolve(r_linalg_eigvals, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_eigvals.public = linalg_eigvals


r_linalg_det = Resolver('linalg_det', ('linalg_det|linalg_det.out',), False)


def linalg_det(A=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain:
            return c_linalg.linalg_det(A)
    return resolve(r_linalg_det, (('A', A, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_det.public = linalg_det


r_linalg_slogdet = Resolver('linalg_slogdet', ('linalg_slogdet|linalg_slogdet.out',), False)


def linalg_slogdet(A=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(A) in plain:
            return named_result('linalg_slogdet', ('sign', 'logabsdet'))(c_linalg.linalg_slogdet(A))
    return resolve(r_linalg_slogdet, (('A', A, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_slogdet.public = linalg_slogdet


r_linalg_pinv = Resolver('linalg_pinv', ('linalg_pinv.atol_rtol_tensor|linalg_pinv.atol_rtol_tensor_out', 'linalg_pinv.atol_rtol_float|linalg_pinv.atol_rtol_float_out', 'linalg_pinv.rcond_tensor|linalg_pinv.out_rcond_tensor', 'linalg_pinv|linalg_pinv.out',), False)


def linalg_pinv(input=MISSING, rcond=MISSING, *extra, atol=MISSING, rtol=MISSING, hermitian=False, out=None, **others):
    if not extra and not others and out is None:
        if rcond is MISSING and type(input) in plain and (atol is MISSING or (atol is None or type(atol) in plain)) and (rtol is MISSING or (rtol is None or type(rtol) in plain)) and type(hermitian) is bool:
            return c_linalg.linalg_pinv_atol_rtol_tensor(input, (None if atol is MISSING else atol), (None if rtol is MISSING else rtol), hermitian)
        if rcond is MISSING and type(input) in plain and (atol is MISSING or (atol is None or type(atol) is float)) and (rtol is MISSING or (rtol is None or type(rtol) is float)) and type(hermitian) is bool:
            return c_linalg.linalg_pinv_atol_rtol_float(input, (None if atol is MISSING else atol), (None if rtol is MISSING else rtol), hermitian)
        if atol is MISSING and rtol is MISSING and type(input) in plain and type(rcond) in plain and type(hermitian) is bool:
            return c_linalg.linalg_pinv_rcond_tensor(input, rcond, hermitian)
        if atol is MISSING and rtol is MISSING and type(input) in plain and type(rcond) is float and type(hermitian) is bool:
            return c_linalg.linalg_pinv(input, rcond, hermitian)
    return resolve(r_linalg_pinv, (('input', input, MISSING), ('rcond', rcond, MISSING),), extra, (
        ('atol', atol, MISSING),
        ('rtol', rtol, MISSING),
        ('hermitian', hermitian, False),
        ('out', out, None),
    ), others)

r_linalg_pinv.public = linalg_pinv


r_linalg_matrix_rank = Resolver('linalg_matrix_rank', ('linalg_matrix_rank.atol_rtol_tensor|linalg_matrix_rank.atol_rtol_tensor_out', 'linalg_matrix_rank.atol_rtol_float|linalg_matrix_rank.atol_rtol_float_out', 'linalg_matrix_rank.tol_tensor|linalg_matrix_rank.out_tol_tensor', 'linalg_matrix_rank|linalg_matrix_rank.out',), False)


def linalg_matrix_rank(*args, **kwargs):
    if not kwargs:
        n = len(args)
        if n == 1 and type(args[0]) in plain:
            return c_linalg.linalg_matrix_rank_atol_rtol_tensor(args[0], None, None, False)
        if n == 1 and type(args[0]) in plain:
            return c_linalg.linalg_matrix_rank_atol_rtol_float(args[0], None, None, False)
        if n == 2 and type(args[0]) in plain and type(args[1]) in plain:
            return c_linalg.linalg_matrix_rank_tol_tensor(args[0], args[1], False)
        if n == 3 and type(args[0]) in plain and type(args[1]) in plain and type(args[2]) is bool:
            return c_linalg.linalg_matrix_rank_tol_tensor(args[0], args[1], args[2])
        if n == 2 and type(args[0]) in plain and type(args[1]) is float:
            return c_linalg.linalg_matrix_rank(args[0], args[1], False)
        if n == 3 and type(args[0]) in plain and type(args[1]) is float and type(args[2]) is bool:
            return c_linalg.linalg_matrix_rank(args[0], args[1], args[2])
    return r_linalg_matrix_rank(args, kwargs)

r_linalg_matrix_rank.public = linalg_matrix_rank


r_linalg_cond = Resolver('linalg_cond', ('linalg_cond|linalg_cond.out', 'linalg_cond.p_str|linalg_cond.p_str_out',), False)


def linalg_cond(input=MISSING, p=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (p is MISSING or (p is None or type(p) in number_types)):
            return c_linalg.linalg_cond(input, (None if p is MISSING else p))
        if type(input) in plain and type(p) is str:
            return c_linalg.linalg_cond_p_str(input, p)
    return resolve(r_linalg_cond, (('input', input, MISSING), ('p', p, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_cond.public = linalg_cond


r_linalg_tensorinv = Resolver('linalg_tensorinv', ('linalg_tensorinv|linalg_tensorinv.out',), False)


def linalg_tensorinv(input=MISSING, ind=2, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(ind) is int:
            return c_linalg.linalg_tensorinv(input, ind)
    return resolve(r_linalg_tensorinv, (('input', input, MISSING), ('ind', ind, 2),), extra, (
        ('out', out, None),
    ), others)

r_linalg_tensorinv.public = linalg_tensorinv


r_linalg_tensorsolve = Resolver('linalg_tensorsolve', ('linalg_tensorsolve|linalg_tensorsolve.out',), False)


def linalg_tensorsolve(input=MISSING, other=MISSING, dims=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and (dims is None or (dims_ := int_list(dims)) is not None):
            return c_linalg.linalg_tensorsolve(input, other, (dims if dims is None else dims_))
    return resolve(r_linalg_tensorsolve, (('input', input, MISSING), ('other', other, MISSING), ('dims', dims, None),), extra, (
        ('out', out, None),
    ), others)

r_linalg_tensorsolve.public = linalg_tensorsolve


r_linalg_vander = Resolver('linalg_vander', ('linalg_vander',), False)


def linalg_vander(x=MISSING, *extra, N=None, **others):
    if not extra and not others:
        if type(x) in plain and (N is None or type(N) is int):
            return c_linalg.linalg_vander(x, N)
    return resolve(r_linalg_vander, (('x', x, MISSING),), extra, (
        ('N', N, None),
    ), others)

r_linalg_vander.public = linalg_vander


r_linalg_multi_dot = Resolver('linalg_multi_dot', ('linalg_multi_dot|linalg_multi_dot.out',), False)


def linalg_multi_dot(tensors=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if plain and (type(tensors) in sequence_types and plain.issuperset(map(type, tensors))):
            return c_matrix.linalg_multi_dot(tensors)
    return resolve(r_linalg_multi_dot, (('tensors', tensors, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_multi_dot.public = linalg_multi_dot


r_linalg_matrix_power = Resolver('linalg_matrix_power', ('linalg_matrix_power|linalg_matrix_power.out',), False)


def linalg_matrix_power(input=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(n) is int:
            return c_matrix.linalg_matrix_power(input, n)
    return resolve(r_linalg_matrix_power, (('input', input, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_matrix_power.public = linalg_matrix_power


r_linalg_matmul = Resolver('linalg_matmul', ('linalg_matmul|linalg_matmul.out',), False)


def linalg_matmul(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_matrix.linalg_matmul(input, other)
    return resolve(r_linalg_matmul, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_linalg_matmul.public = linalg_matmul


r_linalg_vecdot = Resolver('linalg_vecdot', ('linalg_vecdot|linalg_vecdot.out',), False)


def linalg_vecdot(x=MISSING, y=MISSING, *extra, dim=-1, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(y) in plain and type(dim) is int:
            return c_matrix.linalg_vecdot(x, y, dim)
    return resolve(r_linalg_vecdot, (('x', x, MISSING), ('y', y, MISSING),), extra, (
        ('dim', dim, -1),
        ('out', out, None),
    ), others)

r_linalg_vecdot.public = linalg_vecdot


r_linalg_norm = Resolver('linalg_norm', ('linalg_norm|linalg_norm.out', 'linalg_norm.ord_str|linalg_norm.ord_str_out',), False)


def linalg_norm(input=MISSING, ord=MISSING, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (ord is MISSING or (ord is None or type(ord) in number_types)) and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.linalg_norm(input, (None if ord is MISSING else ord), (dim if dim is None else dim_), keepdim, dtype)
        if type(input) in plain and type(ord) is str and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.linalg_norm_ord_str(input, ord, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_linalg_norm, (('input', input, MISSING), ('ord', ord, MISSING), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_norm.public = linalg_norm


r_linalg_vector_norm = Resolver('linalg_vector_norm', ('linalg_vector_norm|linalg_vector_norm.out',), False)


def linalg_vector_norm(input=MISSING, ord=2, dim=None, keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(ord) in number_types and (dim is None or (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None) and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.linalg_vector_norm(input, ord, (dim if dim is None else dim_), keepdim, dtype)
    return resolve(r_linalg_vector_norm, (('input', input, MISSING), ('ord', ord, 2), ('dim', dim, None), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_vector_norm.public = linalg_vector_norm


r_linalg_matrix_norm = Resolver('linalg_matrix_norm', ('linalg_matrix_norm|linalg_matrix_norm.out', 'linalg_matrix_norm.str_ord|linalg_matrix_norm.str_ord_out',), False)


def linalg_matrix_norm(input=MISSING, ord=MISSING, dim=(-2, -1), keepdim=False, *extra, dtype=None, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(ord) in number_types and (dim_ := int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.linalg_matrix_norm(input, ord, dim_, keepdim, dtype)
        if type(input) in plain and (ord is MISSING or type(ord) is str) and (dim_ := int_list(dim)) is not None and type(keepdim) is bool and (dtype is None or type(dtype) is Dtype):
            return c_reduction.linalg_matrix_norm_str_ord(input, ('fro' if ord is MISSING else ord), dim_, keepdim, dtype)
    return resolve(r_linalg_matrix_norm, (('input', input, MISSING), ('ord', ord, MISSING), ('dim', dim, (-2, -1)), ('keepdim', keepdim, False),), extra, (
        ('dtype', dtype, None),
        ('out', out, None),
    ), others)

r_linalg_matrix_norm.public = linalg_matrix_norm


r_linalg_diagonal = Resolver('linalg_diagonal', ('linalg_diagonal',), False)


def linalg_diagonal(A=MISSING, *extra, offset=0, dim1=-2, dim2=-1, **others):
    if not extra and not others:
        if type(A) in plain and type(offset) is int and type(dim1) is int and type(dim2) is int:
            return c_view.linalg_diagonal(A, offset, dim1, dim2)
    return resolve(r_linalg_diagonal, (('A', A, MISSING),), extra, (
        ('offset', offset, 0),
        ('dim1', dim1, -2),
        ('dim2', dim2, -1),
    ), others)

r_linalg_diagonal.public = linalg_diagonal



NAMES = ['linalg_cholesky_ex', 'linalg_lu_factor_ex', 'linalg_lu', 'linalg_lu_solve', 'linalg_ldl_factor_ex', 'linalg_ldl_solve', 'linalg_householder_product', 'linalg_qr', 'linalg_inv_ex', 'linalg_solve_triangular', 'linalg_lstsq', 'linalg_eig', 'linalg_matrix_exp', 'linalg_cross', 'linalg_cholesky', 'linalg_lu_factor', 'linalg_ldl_factor', 'linalg_solve_ex', 'linalg_solve', 'linalg_inv', 'linalg_svd', 'linalg_svdvals', 'linalg_eigh', 'linalg_eigvalsh', 'linalg_eigvals', 'linalg_det', 'linalg_slogdet', 'linalg_pinv', 'linalg_matrix_rank', 'linalg_cond', 'linalg_tensorinv', 'linalg_tensorsolve', 'linalg_vander', 'linalg_multi_dot', 'linalg_matrix_power', 'linalg_matmul', 'linalg_vecdot', 'linalg_norm', 'linalg_vector_norm', 'linalg_matrix_norm', 'linalg_diagonal']
