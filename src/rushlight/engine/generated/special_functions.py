"""Functions of the namespace special. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.dispatch.bindings import (
    MISSING, Device, Dtype, Layout, MemoryFormat, Resolver, check_owner, check_whole, comparable,
    constants, int_list, integers, named_result, number_types, plain, reflected, resolve, sequence_types,
)

from rushlight.engine.calls import pointwise as c_pointwise
from rushlight.engine.calls import reduction as c_reduction
from rushlight.engine.calls import rows as c_rows

r_special_entr = Resolver('special_entr', ('special_entr|special_entr.out',), False)


def special_entr(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_entr(input)
    return resolve(r_special_entr, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_entr.public = special_entr


r_special_ndtri = Resolver('special_ndtri', ('special_ndtri|special_ndtri.out',), False)


def special_ndtri(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_ndtri(input)
    return resolve(r_special_ndtri, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_ndtri.public = special_ndtri


r_special_log_ndtr = Resolver('special_log_ndtr', ('special_log_ndtr|special_log_ndtr.out',), False)


def special_log_ndtr(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_log_ndtr(input)
    return resolve(r_special_log_ndtr, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_log_ndtr.public = special_log_ndtr


r_special_expm1 = Resolver('special_expm1', ('special_expm1|special_expm1.out',), False)


def special_expm1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_expm1(input)
    return resolve(r_special_expm1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_expm1.public = special_expm1


r_special_exp2 = Resolver('special_exp2', ('special_exp2|special_exp2.out',), False)


def special_exp2(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_exp2(input)
    return resolve(r_special_exp2, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_exp2.public = special_exp2


r_special_psi = Resolver('special_psi', ('special_psi|special_psi.out',), False)


def special_psi(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_psi(input)
    return resolve(r_special_psi, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_psi.public = special_psi


r_special_digamma = Resolver('special_digamma', ('special_digamma|special_digamma.out',), False)


def special_digamma(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_digamma(input)
    return resolve(r_special_digamma, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_digamma.public = special_digamma


r_special_gammaln = Resolver('special_gammaln', ('special_gammaln|special_gammaln.out',), False)


def special_gammaln(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_gammaln(input)
    return resolve(r_special_gammaln, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_gammaln.public = special_gammaln


r_special_erf = Resolver('special_erf', ('special_erf|special_erf.out',), False)


def special_erf(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_erf(input)
    return resolve(r_special_erf, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_erf.public = special_erf


r_special_erfc = Resolver('special_erfc', ('special_erfc|special_erfc.out',), False)


def special_erfc(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_erfc(input)
    return resolve(r_special_erfc, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_erfc.public = special_erfc


r_special_erfcx = Resolver('special_erfcx', ('special_erfcx|special_erfcx.out',), False)


def special_erfcx(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_erfcx(input)
    return resolve(r_special_erfcx, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_erfcx.public = special_erfcx


r_special_erfinv = Resolver('special_erfinv', ('special_erfinv|special_erfinv.out',), False)


def special_erfinv(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_erfinv(input)
    return resolve(r_special_erfinv, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_erfinv.public = special_erfinv


r_special_ndtr = Resolver('special_ndtr', ('special_ndtr|special_ndtr.out',), False)


def special_ndtr(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_ndtr(input)
    return resolve(r_special_ndtr, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_ndtr.public = special_ndtr


r_special_xlog1py = Resolver('special_xlog1py', ('special_xlog1py|special_xlog1py.out', 'special_xlog1py.self_scalar|special_xlog1py.self_scalar_out', 'special_xlog1py.other_scalar|special_xlog1py.other_scalar_out',), False)


def special_xlog1py(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.special_xlog1py(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.special_xlog1py_self_scalar(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.special_xlog1py_other_scalar(input, other)
    return resolve(r_special_xlog1py, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_xlog1py.public = special_xlog1py


r_special_xlogy = Resolver('special_xlogy', ('special_xlogy|special_xlogy.out', 'special_xlogy.self_scalar|special_xlogy.self_scalar_out', 'special_xlogy.other_scalar|special_xlogy.other_scalar_out',), False)


def special_xlogy(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.special_xlogy(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.special_xlogy_self_scalar(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.special_xlogy_other_scalar(input, other)
    return resolve(r_special_xlogy, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_xlogy.public = special_xlogy


r_special_zeta = Resolver('special_zeta', ('special_zeta|special_zeta.out', 'special_zeta.self_scalar|special_zeta.self_scalar_out', 'special_zeta.other_scalar|special_zeta.other_scalar_out',), False)


def special_zeta(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.special_zeta(input, other)
        if type(input) in number_types and type(other) in plain:
            return c_pointwise.special_zeta_self_scalar(input, other)
        if type(input) in plain and type(other) in number_types:
            return c_pointwise.special_zeta_other_scalar(input, other)
    return resolve(r_special_zeta, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_zeta.public = special_zeta


r_special_i0 = Resolver('special_i0', ('special_i0|special_i0.out',), False)


def special_i0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_i0(input)
    return resolve(r_special_i0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_i0.public = special_i0


r_special_i0e = Resolver('special_i0e', ('special_i0e|special_i0e.out',), False)


def special_i0e(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_i0e(input)
    return resolve(r_special_i0e, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_i0e.public = special_i0e


r_special_i1 = Resolver('special_i1', ('special_i1|special_i1.out',), False)


def special_i1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_i1(input)
    return resolve(r_special_i1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_i1.public = special_i1


r_special_i1e = Resolver('special_i1e', ('special_i1e|special_i1e.out',), False)


def special_i1e(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_i1e(input)
    return resolve(r_special_i1e, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_i1e.public = special_i1e


r_special_logit = Resolver('special_logit', ('special_logit|special_logit.out',), False)


def special_logit(input=MISSING, eps=None, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (eps is None or type(eps) is float):
            return c_pointwise.special_logit(input, eps)
    return resolve(r_special_logit, (('input', input, MISSING), ('eps', eps, None),), extra, (
        ('out', out, None),
    ), others)

r_special_logit.public = special_logit


r_special_polygamma = Resolver('special_polygamma', ('special_polygamma|special_polygamma.out',), False)


def special_polygamma(n=MISSING, input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(n) is int and type(input) in plain:
            return c_pointwise.special_polygamma(n, input)
    return resolve(r_special_polygamma, (('n', n, MISSING), ('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_polygamma.public = special_polygamma


r_special_expit = Resolver('special_expit', ('special_expit|special_expit.out',), False)


def special_expit(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_expit(input)
    return resolve(r_special_expit, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_expit.public = special_expit


r_special_sinc = Resolver('special_sinc', ('special_sinc|special_sinc.out',), False)


def special_sinc(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_sinc(input)
    return resolve(r_special_sinc, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_sinc.public = special_sinc


r_special_round = Resolver('special_round', ('special_round|special_round.out',), False)


def special_round(input=MISSING, *extra, decimals=0, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(decimals) is int:
            return c_pointwise.special_round(input, decimals)
    return resolve(r_special_round, (('input', input, MISSING),), extra, (
        ('decimals', decimals, 0),
        ('out', out, None),
    ), others)

r_special_round.public = special_round


r_special_log1p = Resolver('special_log1p', ('special_log1p|special_log1p.out',), False)


def special_log1p(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_log1p(input)
    return resolve(r_special_log1p, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_log1p.public = special_log1p


r_special_gammainc = Resolver('special_gammainc', ('special_gammainc|special_gammainc.out',), False)


def special_gammainc(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.special_gammainc(input, other)
    return resolve(r_special_gammainc, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_gammainc.public = special_gammainc


r_special_gammaincc = Resolver('special_gammaincc', ('special_gammaincc|special_gammaincc.out',), False)


def special_gammaincc(input=MISSING, other=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain:
            return c_pointwise.special_gammaincc(input, other)
    return resolve(r_special_gammaincc, (('input', input, MISSING), ('other', other, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_gammaincc.public = special_gammaincc


r_special_multigammaln = Resolver('special_multigammaln', ('special_multigammaln|special_multigammaln.out',), False)


def special_multigammaln(input=MISSING, p=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(p) is int:
            return c_pointwise.special_multigammaln(input, p)
    return resolve(r_special_multigammaln, (('input', input, MISSING), ('p', p, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_multigammaln.public = special_multigammaln


r_special_airy_ai = Resolver('special_airy_ai', ('special_airy_ai|special_airy_ai.out',), False)


def special_airy_ai(x=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain:
            return c_pointwise.special_airy_ai(x)
    return resolve(r_special_airy_ai, (('x', x, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_airy_ai.public = special_airy_ai


r_special_bessel_j0 = Resolver('special_bessel_j0', ('special_bessel_j0|special_bessel_j0.out',), False)


def special_bessel_j0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_bessel_j0(input)
    return resolve(r_special_bessel_j0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_bessel_j0.public = special_bessel_j0


r_special_bessel_j1 = Resolver('special_bessel_j1', ('special_bessel_j1|special_bessel_j1.out',), False)


def special_bessel_j1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_bessel_j1(input)
    return resolve(r_special_bessel_j1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_bessel_j1.public = special_bessel_j1


r_special_bessel_y0 = Resolver('special_bessel_y0', ('special_bessel_y0|special_bessel_y0.out',), False)


def special_bessel_y0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_bessel_y0(input)
    return resolve(r_special_bessel_y0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_bessel_y0.public = special_bessel_y0


r_special_bessel_y1 = Resolver('special_bessel_y1', ('special_bessel_y1|special_bessel_y1.out',), False)


def special_bessel_y1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_bessel_y1(input)
    return resolve(r_special_bessel_y1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_bessel_y1.public = special_bessel_y1


r_special_chebyshev_polynomial_t = Resolver('special_chebyshev_polynomial_t', ('special_chebyshev_polynomial_t|special_chebyshev_polynomial_t.out', 'special_chebyshev_polynomial_t.x_scalar|special_chebyshev_polynomial_t.x_scalar_out', 'special_chebyshev_polynomial_t.n_scalar|special_chebyshev_polynomial_t.n_scalar_out',), False)


def special_chebyshev_polynomial_t(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_t(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_t_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_chebyshev_polynomial_t_n_scalar(x, n)
    return resolve(r_special_chebyshev_polynomial_t, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_chebyshev_polynomial_t.public = special_chebyshev_polynomial_t


r_special_chebyshev_polynomial_u = Resolver('special_chebyshev_polynomial_u', ('special_chebyshev_polynomial_u|special_chebyshev_polynomial_u.out', 'special_chebyshev_polynomial_u.x_scalar|special_chebyshev_polynomial_u.x_scalar_out', 'special_chebyshev_polynomial_u.n_scalar|special_chebyshev_polynomial_u.n_scalar_out',), False)


def special_chebyshev_polynomial_u(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_u(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_u_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_chebyshev_polynomial_u_n_scalar(x, n)
    return resolve(r_special_chebyshev_polynomial_u, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_chebyshev_polynomial_u.public = special_chebyshev_polynomial_u


r_special_chebyshev_polynomial_v = Resolver('special_chebyshev_polynomial_v', ('special_chebyshev_polynomial_v|special_chebyshev_polynomial_v.out', 'special_chebyshev_polynomial_v.x_scalar|special_chebyshev_polynomial_v.x_scalar_out', 'special_chebyshev_polynomial_v.n_scalar|special_chebyshev_polynomial_v.n_scalar_out',), False)


def special_chebyshev_polynomial_v(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_v(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_v_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_chebyshev_polynomial_v_n_scalar(x, n)
    return resolve(r_special_chebyshev_polynomial_v, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_chebyshev_polynomial_v.public = special_chebyshev_polynomial_v


r_special_chebyshev_polynomial_w = Resolver('special_chebyshev_polynomial_w', ('special_chebyshev_polynomial_w|special_chebyshev_polynomial_w.out', 'special_chebyshev_polynomial_w.x_scalar|special_chebyshev_polynomial_w.x_scalar_out', 'special_chebyshev_polynomial_w.n_scalar|special_chebyshev_polynomial_w.n_scalar_out',), False)


def special_chebyshev_polynomial_w(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_w(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_chebyshev_polynomial_w_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_chebyshev_polynomial_w_n_scalar(x, n)
    return resolve(r_special_chebyshev_polynomial_w, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_chebyshev_polynomial_w.public = special_chebyshev_polynomial_w


r_special_hermite_polynomial_h = Resolver('special_hermite_polynomial_h', ('special_hermite_polynomial_h|special_hermite_polynomial_h.out', 'special_hermite_polynomial_h.x_scalar|special_hermite_polynomial_h.x_scalar_out', 'special_hermite_polynomial_h.n_scalar|special_hermite_polynomial_h.n_scalar_out',), False)


def special_hermite_polynomial_h(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_hermite_polynomial_h(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_hermite_polynomial_h_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_hermite_polynomial_h_n_scalar(x, n)
    return resolve(r_special_hermite_polynomial_h, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_hermite_polynomial_h.public = special_hermite_polynomial_h


r_special_hermite_polynomial_he = Resolver('special_hermite_polynomial_he', ('special_hermite_polynomial_he|special_hermite_polynomial_he.out', 'special_hermite_polynomial_he.x_scalar|special_hermite_polynomial_he.x_scalar_out', 'special_hermite_polynomial_he.n_scalar|special_hermite_polynomial_he.n_scalar_out',), False)


def special_hermite_polynomial_he(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_hermite_polynomial_he(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_hermite_polynomial_he_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_hermite_polynomial_he_n_scalar(x, n)
    return resolve(r_special_hermite_polynomial_he, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_hermite_polynomial_he.public = special_hermite_polynomial_he


r_special_laguerre_polynomial_l = Resolver('special_laguerre_polynomial_l', ('special_laguerre_polynomial_l|special_laguerre_polynomial_l.out', 'special_laguerre_polynomial_l.x_scalar|special_laguerre_polynomial_l.x_scalar_out', 'special_laguerre_polynomial_l.n_scalar|special_laguerre_polynomial_l.n_scalar_out',), False)


def special_laguerre_polynomial_l(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_laguerre_polynomial_l(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_laguerre_polynomial_l_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_laguerre_polynomial_l_n_scalar(x, n)
    return resolve(r_special_laguerre_polynomial_l, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_laguerre_polynomial_l.public = special_laguerre_polynomial_l


r_special_legendre_polynomial_p = Resolver('special_legendre_polynomial_p', ('special_legendre_polynomial_p|special_legendre_polynomial_p.out', 'special_legendre_polynomial_p.x_scalar|special_legendre_polynomial_p.x_scalar_out', 'special_legendre_polynomial_p.n_scalar|special_legendre_polynomial_p.n_scalar_out',), False)


def special_legendre_polynomial_p(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_legendre_polynomial_p(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_legendre_polynomial_p_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_legendre_polynomial_p_n_scalar(x, n)
    return resolve(r_special_legendre_polynomial_p, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_legendre_polynomial_p.public = special_legendre_polynomial_p


r_special_modified_bessel_i0 = Resolver('special_modified_bessel_i0', ('special_modified_bessel_i0|special_modified_bessel_i0.out',), False)


def special_modified_bessel_i0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_modified_bessel_i0(input)
    return resolve(r_special_modified_bessel_i0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_modified_bessel_i0.public = special_modified_bessel_i0


r_special_modified_bessel_i1 = Resolver('special_modified_bessel_i1', ('special_modified_bessel_i1|special_modified_bessel_i1.out',), False)


def special_modified_bessel_i1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_modified_bessel_i1(input)
    return resolve(r_special_modified_bessel_i1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_modified_bessel_i1.public = special_modified_bessel_i1


r_special_modified_bessel_k0 = Resolver('special_modified_bessel_k0', ('special_modified_bessel_k0|special_modified_bessel_k0.out',), False)


def special_modified_bessel_k0(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_modified_bessel_k0(input)
    return resolve(r_special_modified_bessel_k0, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_modified_bessel_k0.public = special_modified_bessel_k0


r_special_modified_bessel_k1 = Resolver('special_modified_bessel_k1', ('special_modified_bessel_k1|special_modified_bessel_k1.out',), False)


def special_modified_bessel_k1(input=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain:
            return c_pointwise.special_modified_bessel_k1(input)
    return resolve(r_special_modified_bessel_k1, (('input', input, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_modified_bessel_k1.public = special_modified_bessel_k1


r_special_scaled_modified_bessel_k0 = Resolver('special_scaled_modified_bessel_k0', ('special_scaled_modified_bessel_k0|special_scaled_modified_bessel_k0.out',), False)


def special_scaled_modified_bessel_k0(x=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain:
            return c_pointwise.special_scaled_modified_bessel_k0(x)
    return resolve(r_special_scaled_modified_bessel_k0, (('x', x, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_scaled_modified_bessel_k0.public = special_scaled_modified_bessel_k0


r_special_scaled_modified_bessel_k1 = Resolver('special_scaled_modified_bessel_k1', ('special_scaled_modified_bessel_k1|special_scaled_modified_bessel_k1.out',), False)


def special_scaled_modified_bessel_k1(x=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain:
            return c_pointwise.special_scaled_modified_bessel_k1(x)
    return resolve(r_special_scaled_modified_bessel_k1, (('x', x, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_scaled_modified_bessel_k1.public = special_scaled_modified_bessel_k1


r_special_shifted_chebyshev_polynomial_t = Resolver('special_shifted_chebyshev_polynomial_t', ('special_shifted_chebyshev_polynomial_t|special_shifted_chebyshev_polynomial_t.out', 'special_shifted_chebyshev_polynomial_t.x_scalar|special_shifted_chebyshev_polynomial_t.x_scalar_out', 'special_shifted_chebyshev_polynomial_t.n_scalar|special_shifted_chebyshev_polynomial_t.n_scalar_out',), False)


def special_shifted_chebyshev_polynomial_t(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_t(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_t_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_shifted_chebyshev_polynomial_t_n_scalar(x, n)
    return resolve(r_special_shifted_chebyshev_polynomial_t, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_shifted_chebyshev_polynomial_t.public = special_shifted_chebyshev_polynomial_t


r_special_shifted_chebyshev_polynomial_u = Resolver('special_shifted_chebyshev_polynomial_u', ('special_shifted_chebyshev_polynomial_u|special_shifted_chebyshev_polynomial_u.out', 'special_shifted_chebyshev_polynomial_u.x_scalar|special_shifted_chebyshev_polynomial_u.x_scalar_out', 'special_shifted_chebyshev_polynomial_u.n_scalar|special_shifted_chebyshev_polynomial_u.n_scalar_out',), False)


def special_shifted_chebyshev_polynomial_u(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_u(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_u_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_shifted_chebyshev_polynomial_u_n_scalar(x, n)
    return resolve(r_special_shifted_chebyshev_polynomial_u, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_shifted_chebyshev_polynomial_u.public = special_shifted_chebyshev_polynomial_u


r_special_shifted_chebyshev_polynomial_v = Resolver('special_shifted_chebyshev_polynomial_v', ('special_shifted_chebyshev_polynomial_v|special_shifted_chebyshev_polynomial_v.out', 'special_shifted_chebyshev_polynomial_v.x_scalar|special_shifted_chebyshev_polynomial_v.x_scalar_out', 'special_shifted_chebyshev_polynomial_v.n_scalar|special_shifted_chebyshev_polynomial_v.n_scalar_out',), False)


def special_shifted_chebyshev_polynomial_v(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_v(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_v_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_shifted_chebyshev_polynomial_v_n_scalar(x, n)
    return resolve(r_special_shifted_chebyshev_polynomial_v, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_shifted_chebyshev_polynomial_v.public = special_shifted_chebyshev_polynomial_v


r_special_shifted_chebyshev_polynomial_w = Resolver('special_shifted_chebyshev_polynomial_w', ('special_shifted_chebyshev_polynomial_w|special_shifted_chebyshev_polynomial_w.out', 'special_shifted_chebyshev_polynomial_w.x_scalar|special_shifted_chebyshev_polynomial_w.x_scalar_out', 'special_shifted_chebyshev_polynomial_w.n_scalar|special_shifted_chebyshev_polynomial_w.n_scalar_out',), False)


def special_shifted_chebyshev_polynomial_w(x=MISSING, n=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_w(x, n)
        if type(x) in number_types and type(n) in plain:
            return c_pointwise.special_shifted_chebyshev_polynomial_w_x_scalar(x, n)
        if type(x) in plain and type(n) in number_types:
            return c_pointwise.special_shifted_chebyshev_polynomial_w_n_scalar(x, n)
    return resolve(r_special_shifted_chebyshev_polynomial_w, (('x', x, MISSING), ('n', n, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_shifted_chebyshev_polynomial_w.public = special_shifted_chebyshev_polynomial_w


r_special_spherical_bessel_j0 = Resolver('special_spherical_bessel_j0', ('special_spherical_bessel_j0|special_spherical_bessel_j0.out',), False)


def special_spherical_bessel_j0(x=MISSING, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(x) in plain:
            return c_pointwise.special_spherical_bessel_j0(x)
    return resolve(r_special_spherical_bessel_j0, (('x', x, MISSING),), extra, (
        ('out', out, None),
    ), others)

r_special_spherical_bessel_j0.public = special_spherical_bessel_j0


r_special_logsumexp = Resolver('special_logsumexp', ('special_logsumexp|special_logsumexp.out',), False)


def special_logsumexp(input=MISSING, dim=MISSING, keepdim=False, *extra, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and (dim_ := (dim,) if type(dim) is int else int_list(dim)) is not None and type(keepdim) is bool:
            return c_reduction.special_logsumexp(input, dim_, keepdim)
    return resolve(r_special_logsumexp, (('input', input, MISSING), ('dim', dim, MISSING), ('keepdim', keepdim, False),), extra, (
        ('out', out, None),
    ), others)

r_special_logsumexp.public = special_logsumexp


r_special_log_softmax = Resolver('special_log_softmax', ('special_log_softmax',), False)


def special_log_softmax(input=MISSING, dim=MISSING, *extra, dtype=None, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.special_log_softmax(input, dim, dtype)
    return resolve(r_special_log_softmax, (('input', input, MISSING), ('dim', dim, MISSING),), extra, (
        ('dtype', dtype, None),
    ), others)

r_special_log_softmax.public = special_log_softmax


r_special_softmax = Resolver('special_softmax', ('special_softmax',), False)


def special_softmax(input=MISSING, dim=MISSING, dtype=None, *extra, **others):
    if not extra and not others:
        if type(input) in plain and type(dim) is int and (dtype is None or type(dtype) is Dtype):
            return c_rows.special_softmax(input, dim, dtype)
    return resolve(r_special_softmax, (('input', input, MISSING), ('dim', dim, MISSING), ('dtype', dtype, None),), extra, (
    ), others)

r_special_softmax.public = special_softmax



NAMES = ['special_entr', 'special_ndtri', 'special_log_ndtr', 'special_expm1', 'special_exp2', 'special_psi', 'special_digamma', 'special_gammaln', 'special_erf', 'special_erfc', 'special_erfcx', 'special_erfinv', 'special_ndtr', 'special_xlog1py', 'special_xlogy', 'special_zeta', 'special_i0', 'special_i0e', 'special_i1', 'special_i1e', 'special_logit', 'special_polygamma', 'special_expit', 'special_sinc', 'special_round', 'special_log1p', 'special_gammainc', 'special_gammaincc', 'special_multigammaln', 'special_airy_ai', 'special_bessel_j0', 'special_bessel_j1', 'special_bessel_y0', 'special_bessel_y1', 'special_chebyshev_polynomial_t', 'special_chebyshev_polynomial_u', 'special_chebyshev_polynomial_v', 'special_chebyshev_polynomial_w', 'special_hermite_polynomial_h', 'special_hermite_polynomial_he', 'special_laguerre_polynomial_l', 'special_legendre_polynomial_p', 'special_modified_bessel_i0', 'special_modified_bessel_i1', 'special_modified_bessel_k0', 'special_modified_bessel_k1', 'special_scaled_modified_bessel_k0', 'special_scaled_modified_bessel_k1', 'special_shifted_chebyshev_polynomial_t', 'special_shifted_chebyshev_polynomial_u', 'special_shifted_chebyshev_polynomial_v', 'special_shifted_chebyshev_polynomial_w', 'special_spherical_bessel_j0', 'special_logsumexp', 'special_log_softmax', 'special_softmax']
