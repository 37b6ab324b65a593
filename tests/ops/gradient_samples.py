"""Calls of operators at places where they are smooth, for comparisons with finite differences.

Pointwise operators, reductions and scans get arguments by the names and types in their schemas;
what those do not tell is in the tables here. Every other operator has a function of its own below.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.engine.autograd import derivative_table, registry
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.generated.operators import OPERATORS


@dataclass
class Sample:
    """A function of tensors that require gradients."""

    call: Callable[..., Any]
    tensors: list[Any]


class Draw:
    """Random tensors of one type; the same in every run."""

    def __init__(self, kind: str = "float64") -> None:
        self.random = np.random.default_rng(7)
        self.kind = kind
        self.dtype = getattr(torch, kind)
        self.is_complex = kind.startswith("complex")

    def between(self, low: float, high: float, *size: int) -> Any:
        """Elements (or their real and imaginary parts) within bounds."""
        values: Any = self.random.uniform(low, high, size)
        if self.is_complex:
            values = values + 1j * self.random.uniform(low, high, size)
        return torch.tensor(np.asarray(values), dtype=self.dtype).requires_grad_()

    def numbers(self, *size: int) -> Any:
        return self.between(-1.0, 1.0, *size)

    def matrices(self, *size: int) -> Any:
        """Square matrices far from singular ones."""
        made = self.numbers(*size).detach() + 2 * torch.eye(size[-1], dtype=self.dtype)
        return made.requires_grad_()


# -- by schema --

# Where a function is real and smooth; elsewhere 0.15 to 0.85, of both signs or positive.
DOMAINS = {
    "acosh": (1.2, 3.0), "rsqrt": (0.3, 2.0), "lgamma": (0.3, 3.0),
    "digamma": (0.3, 3.0), "polygamma": (0.5, 3.0), "reciprocal": (0.3, 2.0),
    "threshold": (0.75, 1.5),
}  # fmt: skip
POSITIVE = {
    "log", "log2", "log10", "sqrt", "logit", "xlogy", "special_xlog1py", "pow", "special_entr",
    "special_ndtri", "div", "fmod", "remainder", "floor_divide", "prod", "cumprod", "addcdiv",
}  # fmt: skip
# What has no gradient: questions, whole numbers, functions without a known one.
WITHOUT_GRADIENT = re.compile(
    r"(_pixel_index|bitwise_|logical_|is(nan|inf|posinf|neginf|in)|signbit|(eq|ne|ge|le|gt|lt)\.|gcd|lcm"
    r"|special_(airy|bessel|modified_bessel_k|scaled|spherical))"
)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "div.Tensor_mode": {"rounding_mode": "floor"},
    "div.Scalar_mode": {"rounding_mode": "trunc"},
    "clamp": {"min": -0.5, "max": 0.5},
    "round.decimals": {"decimals": 1},
    "renorm": {"p": 3.0, "dim": 0, "maxnorm": 0.5},
    "sort.stable": {"stable": True, "dim": 1},
    "polygamma": {"n": 2},
    "threshold": {"threshold": 0.5, "value": 0.1},
    "hardshrink": {"lambd": 0.1},
    "softshrink": {"lambd": 0.1},
}
# Stands for the next tensor among arguments.
TENSOR = object()
BY_SCHEMA = {"pointwise", "reduction", "scan"}
ALSO_BY_SCHEMA = {
    "median", "median.dim", "nanmedian", "nanmedian.dim", "mode", "dist", "renorm", "sort",
    "sort.stable", "_logcumsumexp",
}  # fmt: skip


def value_of(argument: Any) -> Any:
    """What an argument without a default gets, by its type."""
    kind = argument.type.plain
    if argument.name in ("dim", "dims"):
        return 1 if kind == "int" else [1]
    return {"Scalar": 0.7, "float": 0.7, "int": 1, "bool": False, "int[1]?": [1]}[kind]


def by_schema(name: str, draw: Draw) -> Sample:
    op = operators.operator(name)
    packet = op.packet_name
    low, high = DOMAINS.get(packet, (0.15, 0.85))
    both_signs = packet not in DOMAINS and packet not in POSITIVE
    given = ARGUMENTS.get(name, {})
    tensors = []
    slots: list[Any] = []
    for argument in op.schema.arguments:
        if argument.name in given:
            slots.append(given[argument.name])
        elif argument.type.plain == "Tensor":
            made = draw.between(low, high, 2, 3).detach()
            if both_signs:
                made = made * torch.tensor([[1, -1, 1], [-1, 1, -1]], dtype=made.dtype)
            tensors.append(made.requires_grad_())
            slots.append(TENSOR)
        elif argument.name == "dim" or not (argument.has_default or argument.type.is_optional):
            slots.append(value_of(argument))
        else:
            slots.append(argument.default)

    def call(*given_tensors: Any) -> Any:
        items = iter(given_tensors)
        return op.call(*(next(items) if slot is TENSOR else slot for slot in slots))

    return Sample(call, tensors)


# -- by hand --

Maker = Callable[[Draw], Sample]
MAKERS: dict[str, Maker] = {}


def sample(*names: str) -> Callable[[Maker], Maker]:
    """Register what makes a sample of some overloads."""

    def add(make: Maker) -> Maker:
        for name in names:
            assert name not in MAKERS
            MAKERS[name] = make
        return make

    return add


def simple(name: str, call: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
    """A sample of numbers between -1 and 1."""
    MAKERS[name] = lambda draw: Sample(call, [draw.numbers(*size) for size in sizes])


def aten(name: str) -> Any:
    return operators.operator(name)


# Copies.
for _name in ("clone", "alias", "alias_copy", "lift", "lift_fresh", "lift_fresh_copy"):
    simple(_name, aten(_name), (2, 3))
simple("_to_copy", lambda x: x.to(torch.complex128), (2, 3))
simple("copy", lambda x, y: torch.ops.aten.copy.default(x, y), (2, 3), (3,))
simple("fill.Scalar", lambda x: torch.fill(x, 2.0) * x, (2, 3))
simple("fill.Tensor", lambda x, y: torch.fill(x, y) * x, (2, 3), ())

# Views.
simple("as_strided", lambda x: x.as_strided([2, 2, 2], [1, 2, 1], 1), (2, 3))
simple("diagonal", lambda x: x.diagonal(1, 0, 2), (3, 2, 4))
simple("expand", lambda x: x.expand(4, 2, 3), (2, 1))
simple("permute", lambda x: x.permute(2, 0, 1), (2, 3, 4))
simple("select.int", lambda x: x.select(1, -1), (2, 3))
simple("slice.Tensor", lambda x: x[:, 1:5:2], (2, 6))
simple("split.Tensor", lambda x: x.split(2, 1), (2, 5))
simple("split_with_sizes", lambda x: x.split([1, 3], 1), (2, 4))
simple("unsafe_split.Tensor", lambda x: torch.unsafe_split(x, 2, 1), (2, 5))
simple("unsafe_split_with_sizes", lambda x: torch.unsafe_split_with_sizes(x, [1, 3], 1), (2, 4))
simple("squeeze", lambda x: x.squeeze(), (2, 1, 3))
simple("squeeze.dim", lambda x: x.squeeze(1), (2, 1, 3))
simple("squeeze.dims", lambda x: x.squeeze((0, 1)), (1, 1, 3))
simple("unsqueeze", lambda x: x.unsqueeze(1), (2, 3))
simple("t", lambda x: x.t(), (2, 3))
simple("transpose.int", lambda x: x.transpose(0, 2), (2, 3, 2))
simple("flip", lambda x: x.flip([0, 1]), (2, 3))
simple("rot90", lambda x: x.rot90(1, (0, 1)), (2, 3))
simple("select_scatter", lambda x, y: x.select_scatter(y, 0, 1), (2, 3), (3,))
simple("slice_scatter", lambda x, y: x.slice_scatter(y, 1, 0, 2), (2, 3), (2, 2))
simple("diag_embed", lambda x: x.diag_embed(1, 0, 2), (2, 3))
simple("diagonal_scatter", lambda x, y: x.diagonal_scatter(y, 1), (2, 3), (2,))
simple("roll", lambda x: x.roll([1, -2], [0, 1]), (2, 3))
simple("repeat", lambda x: x.repeat(2, 1, 3), (2, 3))
simple("view", lambda x: x.view(3, 2), (2, 3))
simple("_unsafe_view", lambda x: torch.ops.aten._unsafe_view(x, [3, 2]), (2, 3))
simple("_reshape_alias", lambda x: torch.ops.aten._reshape_alias(x, [3, 2], [2, 1]), (2, 3))
simple("unbind.int", lambda x: x.unbind(1), (2, 3))
simple("tril", lambda x: x.tril(-1), (3, 4))
simple("triu", lambda x: x.triu(1), (3, 4))
simple("unfold", lambda x: x.unfold(1, 3, 2), (2, 7))
simple("narrow_copy", lambda x: torch.narrow_copy(x, 1, 1, 2), (2, 4))
simple("_neg_view", lambda x: torch._neg_view(x), (2, 3))
simple("_conj", lambda x: torch.view_as_complex(x).conj(), (3, 2))
simple("_conj_physical", lambda x: torch.conj_physical(torch.view_as_complex(x)), (3, 2))
simple("view_as_complex", lambda x: torch.view_as_complex(x), (3, 2))
simple("view_as_real", lambda x: torch.view_as_real(torch.view_as_complex(x) * 1j), (3, 2))
simple("complex", lambda x, y: torch.complex(x, y), (2, 3), (2, 3))
simple("polar", lambda x, y: torch.polar(x, y), (2, 3), (2, 3))

# Joining.
simple("cat", lambda x, y: torch.cat([x, y], 1), (2, 3), (2, 2))
simple("block_diag", lambda x, y, z: torch.block_diag(x, y, z), (2, 3), (2,), ())
simple("stack", lambda x, y: torch.stack([x, y], 1), (2, 3), (2, 3))

# Places.
ROWS = torch.tensor([[0, 2, 1], [1, 0, 2]])
MASK = torch.tensor([[True, False, True], [False, True, True]])
LINE = torch.tensor([1, 0, 1])
simple("index.Tensor", lambda x: x[LINE, 1:], (2, 3))
simple("_unsafe_index.Tensor", lambda x: torch.ops.aten._unsafe_index(x, [LINE]), (2, 3))
simple("index_select", lambda x: x.index_select(0, LINE), (2, 3))
simple("gather", lambda x: x.gather(1, ROWS), (2, 3))
simple("masked_select", lambda x: x.masked_select(MASK), (2, 3))
simple("where.self", lambda x, y: torch.where(MASK, x, y), (2, 3), (3,))
simple("masked_fill.Scalar", lambda x: x.masked_fill(MASK, 2.0), (2, 3))
simple("masked_fill.Tensor", lambda x, y: x.masked_fill(MASK, y), (2, 3), ())
simple("masked_scatter", lambda x, y: x.masked_scatter(MASK, y), (2, 3), (5,))
simple("index_copy", lambda x, y: x.index_copy(1, torch.tensor([2, 0]), y), (2, 3), (2, 2))
simple("index_add", lambda x, y: x.index_add(0, LINE, y, alpha=2), (2, 3), (3, 3))
simple("index_fill.int_Scalar", lambda x: x.index_fill(1, LINE, 0.5), (2, 3))
simple("index_fill.int_Tensor", lambda x, y: x.index_fill(1, LINE, y), (2, 3), ())
simple("index_put", lambda x, y: x.index_put((LINE,), y, accumulate=True), (2, 3), (3, 3))
simple(
    "_unsafe_index_put",
    lambda x, y: torch.ops.aten._unsafe_index_put(x, [LINE], y, True),
    (2, 3),
    (3, 3),
)
simple("put", lambda x, y: x.put(torch.tensor([4, 1]), y), (2, 3), (2,))
simple("scatter.src", lambda x, y: x.scatter(1, ROWS, y), (2, 3), (2, 3))
simple("scatter.value", lambda x: x.scatter(1, ROWS[:, :1], 2.0), (2, 3))
simple("scatter_add", lambda x, y: x.scatter_add(0, ROWS % 2, y), (2, 3), (2, 3))
for _reduce in ("sum", "mean", "max", "min", "prod"):
    simple(
        "segment_reduce" if _reduce == "sum" else f"segment_reduce {_reduce}",
        lambda x, how=_reduce: torch.segment_reduce(x, how, lengths=torch.tensor([2, 1, 2])),
        (5, 2),
    )
simple("embedding", lambda w: torch.nn.functional.embedding(ROWS, w, padding_idx=3), (4, 4))
simple(
    "im2col",
    lambda x: torch.ops.aten.im2col(x, [2, 2], [1, 1], [1, 0], [1, 1]),
    (1, 2, 3, 3),
)
simple(
    "col2im",
    lambda x: torch.ops.aten.col2im(x, [3, 3], [2, 2], [1, 1], [0, 0], [1, 1]),
    (1, 8, 4),
)
for _reduce in ("sum", "prod", "mean", "amax", "amin"):
    simple(
        "scatter_reduce.two" if _reduce == "sum" else f"scatter_reduce.two {_reduce}",
        lambda x, y, how=_reduce: x.scatter_reduce(1, ROWS % 2, y, how),
        (2, 3),
        (2, 3),
    )
    if _reduce != "sum":
        simple(
            "index_reduce" if _reduce == "prod" else f"index_reduce {_reduce}",
            lambda x, y, how=_reduce: x.index_reduce(0, LINE, y, how),
            (2, 3),
            (3, 3),
        )

# Reductions with arguments of their own.
simple("linalg_vector_norm", lambda x: torch.linalg.vector_norm(x, 3, 1), (2, 3))
simple("kthvalue", lambda x: torch.kthvalue(x, 2, 1), (2, 3))
simple("topk", lambda x: torch.topk(x, 2, 1), (2, 4))
simple("take", lambda x: x.take(ROWS), (2, 3))
simple("clamp.Tensor", lambda x, y, z: x.clamp(y - 0.5, z + 0.5), (2, 3), (2, 3), (3,))
simple(
    "special_zeta",
    lambda q: torch.special.zeta(torch.tensor(2.5, dtype=q.dtype), q + 2),
    (2, 3),
)
for _name in ("igamma", "igammac"):
    MAKERS[_name] = lambda draw, name=_name: Sample(
        lambda x: getattr(torch, name)(torch.tensor(1.5, dtype=x.dtype), x),
        [draw.between(0.5, 2.0, 2, 3)],
    )
simple("sum", lambda x: x.sum(), (2, 3))

# Rows.
simple("_softmax", lambda x: torch.softmax(x, 1), (2, 3))
simple("_log_softmax", lambda x: torch.log_softmax(x, 0), (2, 3))
simple(
    "_softmax_backward_data",
    lambda g, y: torch.ops.aten._softmax_backward_data(g, y, 1, torch.float64),
    (2, 3),
    (2, 3),
)
simple(
    "_log_softmax_backward_data",
    lambda g, y: torch.ops.aten._log_softmax_backward_data(g, y, 1, torch.float64),
    (2, 3),
    (2, 3),
)
simple(
    "native_layer_norm",
    lambda x, w, b: torch.native_layer_norm(x, [3], w, b, 1e-5)[0],
    (2, 3),
    (3,),
    (3,),
)
simple(
    "native_group_norm",
    lambda x, w, b: torch.native_group_norm(x, w, b, 2, 4, 3, 2, 1e-5)[0],
    (2, 4, 3),
    (4,),
    (4,),
)
simple(
    "native_batch_norm",
    lambda x, w, b: torch.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5)[0],
    (3, 2, 2),
    (2,),
    (2,),
)
simple(
    "_native_batch_norm_legit.no_stats",
    lambda x, w, b: aten("_native_batch_norm_legit.no_stats")(x, w, b, True, 0.1, 1e-5)[0],
    (3, 2, 2),
    (2,),
    (2,),
)
simple(
    "_native_batch_norm_legit_no_training",
    lambda x, w, b: aten("_native_batch_norm_legit_no_training")(
        x, w, b, torch.zeros(2, dtype=x.dtype), torch.ones(2, dtype=x.dtype), 0.1, 1e-5
    )[0],
    (3, 2, 2),
    (2,),
    (2,),
)

for _count in (2, 3):

    def _put_back(grad: Any, image: Any, count: int = _count) -> Any:
        pairs = [2] * count
        settings = (pairs, pairs, [0] * count, [1] * count, False)
        places = aten(f"max_pool{count}d_with_indices")(image.detach(), *settings)[1]
        return aten(f"max_pool{count}d_with_indices_backward")(grad, image, *settings, places)

    simple(
        f"max_pool{_count}d_with_indices_backward",
        _put_back,
        (1, *[1] * _count),
        (1, *[2] * _count),
    )

# Products of matrices.
simple("mm", torch.mm, (2, 3), (3, 4))
simple("bmm", torch.bmm, (2, 2, 3), (2, 3, 2))
simple("mv", torch.mv, (2, 3), (3,))
simple("dot", torch.dot, (3,), (3,))
simple("vdot", torch.vdot, (3,), (3,))
simple("addmm", lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3), (4,), (2, 3), (3, 4))
simple("addmv", lambda a, b, c: torch.addmv(a, b, c, beta=2, alpha=3), (2,), (2, 3), (3,))
simple("addr", lambda a, b, c: torch.addr(a, b, c, beta=2, alpha=3), (2, 3), (2,), (3,))
simple(
    "baddbmm",
    lambda a, b, c: torch.baddbmm(a, b, c, beta=2, alpha=3),
    (2, 2, 2),
    (2, 2, 3),
    (2, 3, 2),
)
simple("_matmul_batched", torch.matmul, (2, 1, 2, 3), (4, 3, 2))
simple("_linear_planned", torch.nn.functional.linear, (2, 2, 3), (4, 3), (4,))

# Fourier transforms.
simple("_fft_c2c", lambda x: torch.fft.ifftn(torch.complex(x, x * x), norm="ortho"), (3, 4))
simple("_fft_r2c", lambda x: torch.fft.rfftn(x), (3, 5))
simple("_fft_r2c two-sided", lambda x: torch.fft.fft(x, 6), (2, 4))
simple("_fft_c2r", lambda x: torch.fft.irfftn(torch.complex(x, x * x)), (3, 3))
simple("_fft_c2r odd", lambda x: torch.fft.irfft(torch.complex(x, x * x), 5), (2, 3))


# Losses and what else has a rule of several parts.
functional = torch.nn.functional
for _how in ("mean", "sum", "none"):
    _word = "" if _how == "mean" else f" {_how}"
    for _name in ("mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        simple(
            _name + _word,
            lambda x, y, name=_name, how=_how: getattr(functional, name)(
                x, y + 2 * (y > x.detach()), reduction=how
            ),
            (2, 3),
            (2, 3),
        )
    simple(
        f"binary_cross_entropy{_word}",
        lambda x, y, how=_how: functional.binary_cross_entropy(
            x.sigmoid(), y.sigmoid(), torch.tensor([1.0, 2.0, 0.5], dtype=x.dtype), reduction=how
        ),
        (2, 3),
        (2, 3),
    )
    simple(
        f"binary_cross_entropy_with_logits{_word}",
        lambda x, y, how=_how: functional.binary_cross_entropy_with_logits(
            x, y, torch.tensor([1.0, 2.0, 0.5], dtype=x.dtype), reduction=how
        ),
        (2, 3),
        (2, 3),
    )
simple("glu", lambda x: functional.glu(x, 1), (2, 4))
simple("log_sigmoid_forward", functional.logsigmoid, (2, 3))
simple("frexp.Tensor", lambda x: torch.frexp(x)[0], (2, 3))
simple("constant_pad_nd", lambda x: torch.constant_pad_nd(x, (1, 2, -1, 0), 0.5), (3, 2))


# Linear algebra: of complex numbers too.
def definite(x: Any) -> Any:
    return x.matmul(x.mH) + torch.eye(x.shape[-1], dtype=x.dtype)


def hermitian(x: Any) -> Any:
    return x + x.mH


def linear(name: str, call: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
    """A sample of square matrices that have inverses first, and any numbers then."""

    def make(draw: Draw) -> Sample:
        first, *others = sizes
        return Sample(call, [draw.matrices(*first), *(draw.numbers(*size) for size in others)])

    MAKERS[name] = make


linalg = torch.linalg
for _upper in (False, True):
    _side = " upper" if _upper else ""
    linear(
        f"linalg_cholesky_ex{_side}",
        lambda x, upper=_upper: linalg.cholesky(definite(x), upper=upper),
        (2, 3, 3),
    )
    linear(
        f"cholesky_inverse{_side}",
        lambda x, upper=_upper: torch.cholesky_inverse(
            linalg.cholesky(definite(x), upper=upper), upper
        ),
        (3, 3),
    )
    linear(
        f"_cholesky_solve_helper{_side}",
        lambda x, b, upper=_upper: torch.cholesky_solve(
            b, linalg.cholesky(definite(x), upper=upper), upper
        ),
        (2, 3, 3),
        (3, 2),
    )
    linear(
        f"linalg_solve_triangular{_side}",
        lambda a, b, upper=_upper: linalg.solve_triangular(a, b, upper=upper),
        (3, 3),
        (2, 3, 2),
    )
    linear(
        f"triangular_solve{_side}",
        lambda a, b, upper=_upper: aten("triangular_solve")(
            b, a.triu(int(not upper)) if upper else a.tril(-1), upper, upper, not upper
        ),
        (3, 3),
        (3, 2),
    )
linear(
    "linalg_solve_triangular right",
    lambda a, b: linalg.solve_triangular(a, b, upper=True, left=False, unitriangular=True),
    (3, 3),
    (2, 3),
)
linear("linalg_lu_factor_ex", lambda x: linalg.lu_factor(x)[0], (2, 3, 3))
linear("linalg_lu", lambda x: linalg.lu(x)[1:], (3, 3))
linear("lu_unpack", lambda x: torch.lu_unpack(*linalg.lu_factor(x))[1:], (3, 3))
linear("linalg_lu tall", lambda x: linalg.lu(x[:, :2])[1:], (4, 4))
linear("linalg_lu wide", lambda x: linalg.lu(x[:2])[1:], (4, 4))
linear("lu_unpack tall", lambda x: torch.lu_unpack(*linalg.lu_factor(x[:, :2]))[1:], (4, 4))
linear("lu_unpack wide", lambda x: torch.lu_unpack(*linalg.lu_factor(x[:2]))[1:], (4, 4))
for _left in (True, False):
    for _adjoint in (False, True):
        linear(
            "linalg_lu_solve"
            if _left and not _adjoint
            else f"linalg_lu_solve left={_left} adjoint={_adjoint}",
            lambda a, b, left=_left, adjoint=_adjoint: linalg.lu_solve(
                *linalg.lu_factor(a), b if left else b.mT, left=left, adjoint=adjoint
            ),
            (3, 3),
            (2, 3, 2),
        )
linear("_linalg_solve_ex", lambda a, b: linalg.solve(a, b), (2, 3, 3), (3, 2))
linear("_linalg_solve_ex vector", lambda a, b: linalg.solve(a, b), (2, 3, 3), (2, 3))
linear("_linalg_solve_ex right", lambda a, b: linalg.solve(a, b, left=False), (3, 3), (2, 3))
simple("linalg_cross", lambda x, y: linalg.cross(x, y), (2, 3), (1, 3))
linear("linalg_inv_ex", lambda a: linalg.inv(a), (2, 3, 3))
linear("linalg_qr", lambda a: linalg.qr(a), (2, 3, 3))
linear("linalg_qr tall", lambda a: linalg.qr(a[:, :2]), (3, 3))
linear("linalg_qr wide", lambda a: linalg.qr(a[:2], "complete"), (3, 3))
simple("linalg_householder_product", linalg.householder_product, (2, 4, 3), (2, 2))
for _left in (True, False):
    for _transpose in (False, True):
        simple(
            "ormqr" if _left and not _transpose else f"ormqr left={_left} transpose={_transpose}",
            lambda a, tau, c, left=_left, transpose=_transpose: torch.ormqr(
                a, tau, c if left else c.mT, left, transpose
            ),
            (4, 3),
            (3,),
            (4, 2),
        )
linear("linalg_lstsq", lambda a, b: linalg.lstsq(a, b).solution, (3, 3), (3, 2))
linear(
    "linalg_lstsq tall",
    lambda a, b: linalg.lstsq(a[:, :2], b, driver="gels")[:2],
    (4, 4),
    (4, 2),
)
linear("linalg_pinv.atol_rtol_tensor", lambda a: linalg.pinv(a[..., :2]), (2, 3, 3))
linear(
    "linalg_pinv.atol_rtol_tensor hermitian",
    lambda a: linalg.pinv(hermitian(a), hermitian=True),
    (3, 3),
)


def without_phases(u: Any, s: Any, vh: Any) -> Any:
    """What is determined of singular vectors: products in which phases cancel."""
    return u * s.unsqueeze(-2) @ vh * 0.5, s, u @ (torch.exp(s).unsqueeze(-1) * vh)


linear("_linalg_svd", lambda a: without_phases(*linalg.svd(a, False)), (2, 3, 3))
linear("_linalg_svd tall", lambda a: without_phases(*linalg.svd(a[:, :2], False)), (3, 3))
linear("_linalg_svd wide", lambda a: without_phases(*linalg.svd(a[:2], False)), (3, 3))
linear("_linalg_svd values", lambda a: linalg.svdvals(a[:, :2]), (3, 3))


def of_spectrum(values: Any, vectors: Any) -> Any:
    """A function of the matrix, by its eigenvalues."""
    return values, (vectors * torch.sin(values).unsqueeze(-2)) @ linalg.inv(vectors)


linear("_linalg_eigh", lambda a: of_spectrum(*linalg.eigh(hermitian(a))), (2, 3, 3))
linear("_linalg_eigh values", lambda a: linalg.eigvalsh(hermitian(a)), (3, 3))
linear("linalg_eig", lambda a: of_spectrum(*linalg.eig(a)), (2, 3, 3))
linear("linalg_eig values", lambda a: linalg.eigvals(a), (3, 3))
linear("_linalg_det", lambda a: linalg.det(a), (2, 3, 3))
linear("_linalg_slogdet", lambda a: linalg.slogdet(a), (2, 3, 3))
linear("linalg_matrix_exp", lambda a: linalg.matrix_exp(a), (2, 3, 3))

# -- all of them --

# Operators that take real numbers only (or, like Fourier transforms, make their own complex ones).
REAL_NUMBERS = """
_adaptive_means _adaptive_means_backward
max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices avg_pool1d avg_pool2d
max_pool2d_with_indices_backward max_pool3d_with_indices_backward
avg_pool3d _scaled_dot_product_flash_attention_for_cpu _recurrent_steps _attention_weights
_masked_attention_weights
    _conj _conj_physical view_as_complex view_as_real complex polar kthvalue topk clamp.Tensor
    special_zeta _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data
    native_layer_norm native_group_norm native_batch_norm _batch_norm_of_batch _native_batch_norm_legit.no_stats
    _native_batch_norm_legit_no_training _fft_c2c _fft_r2c _fft_c2r copysign.Tensor copysign.Scalar
    ceil clamp clamp_max clamp_max.Tensor clamp_min clamp_min.Tensor div.Tensor_mode div.Scalar_mode
    erf erfc floor floor_divide floor_divide.Scalar frac logaddexp2 xlogy.Tensor xlogy.Scalar_Self
    xlogy.Scalar_Other rad2deg deg2rad round round.decimals relu gelu hardshrink mish logit
    threshold trunc heaviside digamma lgamma polygamma erfinv i0 sign atan2 fmod.Scalar fmod.Tensor
    hypot remainder.Scalar remainder.Tensor remainder.Scalar_Tensor fmin fmax maximum minimum elu
    elu_backward embedding select_scatter slice_scatter
    hardsigmoid hardtanh hardswish leaky_relu leaky_relu_backward softplus softshrink special_entr special_ndtri
    special_log_ndtr special_erfcx special_xlog1py special_xlog1py.self_scalar
    special_xlog1py.other_scalar special_i0e special_i1 special_i1e special_modified_bessel_i0
    special_modified_bessel_i1 cummax cummin aminmax max.dim max amax median median.dim nanmedian
    nanmedian.dim min.dim min amin mode nansum sort sort.stable segment_reduce mse_loss smooth_l1_loss
    huber_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits glu
    log_sigmoid_forward frexp.Tensor _linear_recurrence igamma igammac nll_loss_forward
    nll_loss_backward nll_loss2d_forward nll_loss2d_backward _pixel_place _pixel_share _joined_index
    _seen_share
"""
REAL_ONLY = set(REAL_NUMBERS.split())
REAL_REDUCTIONS = re.compile(r"(scatter_reduce\.two|index_reduce) a")

# Rules that no sample of this kind can reach, and why.
UNREACHED = {
    "_lazy_clone": "the same step as clone",
    "_pin_memory": "needs memory of an accelerator",
    "_prelu_kernel": "has a kink in zero for both arguments",
    "special_zeta.self_scalar": "as special_zeta",
    "special_zeta.other_scalar": "has no derivative by its first argument",
    "nextafter": "a step as small as rounding",
    "_ctc_loss": "gives the gradient of scores before a softmax; tests/engine/ops/losses/test_ctc.py checks it",
    **dict.fromkeys(
        [
            "_sparse_coo_tensor_with_dims_and_tensors",
            "values",
            "_coalesce",
            "_to_dense",
            "_to_sparse.sparse_dim",
            "_to_sparse",
            "sparse_mask",
            "_sparse_sum.dim",
            "_sparse_addmm",
            "_sparse_sparse_matmul",
            "_sparse_softmax",
            "_sparse_log_softmax",
            "_sparse_compressed_tensor_unsafe",
            "_to_sparse_csr",
            "_to_sparse_csc",
            "sparse_sampled_addmm",
        ],
        "takes or gives sparse tensors; tests/engine/ops/sparse checks it",
    ),
}
RANDOM = re.compile(r"(normal|_standard_gamma|bernoulli|poisson|binomial|.*dropout.*)")


simple(
    "convolution",
    lambda x, w, b: aten("convolution")(x, w, b, [2], [1], [1], False, [0], 1),
    (2, 2, 7), (3, 2, 3), (3,),
)  # fmt: skip
simple(
    "_convolution_weight_gradient",
    lambda g, x: aten("_convolution_weight_gradient")(g, x, [3], [2], [1], [1], 1),
    (2, 3, 4), (2, 2, 7),
)  # fmt: skip
for _n in (1, 2, 3):
    _image = (1, 2, *(6, 5, 4)[:_n])
    simple(
        f"max_pool{_n}d_with_indices",
        lambda x, n=_n: aten(f"max_pool{n}d_with_indices")(x, [2] * n, [1] * n)[0],
        _image,
    )
    simple(f"avg_pool{_n}d", lambda x, n=_n: aten(f"avg_pool{n}d")(x, [2] * n, [1] * n), _image)
simple(
    "_scaled_dot_product_flash_attention_for_cpu",
    lambda q, k, v: aten("_scaled_dot_product_flash_attention_for_cpu")(q, k, v)[0],
    (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4),
)  # fmt: skip
simple(
    "_recurrent_steps",
    lambda x, h, c, w, b: aten("_recurrent_steps")(
        x, h, c, w, b, None, None, "LSTM", False, True
    )[:3],
    (2, 2, 8), (2, 2), (2, 2), (8, 2), (8,),
)  # fmt: skip


def names() -> list[str]:
    """Every sample: the overload, and a word where there are several."""
    found = list(MAKERS)
    for name in ruled():
        known = name in ALSO_BY_SCHEMA or OPERATORS[name][2] in BY_SCHEMA
        if known and name not in MAKERS and name not in UNREACHED:
            found.append(name)
    return found


def complex_names() -> list[str]:
    """The samples that may have complex elements."""
    return [
        name for name in names()
        if name.partition(" ")[0] not in REAL_ONLY and not REAL_REDUCTIONS.match(name)
    ]  # fmt: skip


def make(name: str, kind: str = "float64") -> Sample:
    draw = Draw(kind)
    return MAKERS[name](draw) if name in MAKERS else by_schema(name, draw)


@cache
def ruled() -> list[str]:
    """The functional overloads that have a rule of their own and something to differentiate."""
    found = []
    for name, (_, _, kind, *_) in OPERATORS.items():
        op = operators.operator(name)
        writes = any(argument.is_write for argument in op.schema.arguments)
        if writes or kind == "composite" or is_without_gradient(name):
            continue
        if not refuses(op) and registry.rule_for(op) is not None:
            found.append(name)
    return found


def refuses(op: Any) -> bool:
    """Whether an operator is known to have no gradient."""
    formulas = (derivative_table.entry_for(op) or {}).get("gradients", {}).values()
    if formulas and all(text.startswith("not_implemented(") for text in formulas):
        return True
    return derivative_table.is_declared_nondifferentiable(op)


def is_without_gradient(name: str) -> bool:
    return bool(WITHOUT_GRADIENT.match(name) or RANDOM.match(name))


def unchecked() -> list[str]:
    """Overloads with a rule that no sample reaches; copies of views share the views' rules."""
    checked = {name.partition(" ")[0] for name in names()} | set(UNREACHED)
    return [n for n in ruled() if n not in checked and "_copy" not in n]


simple(
    "_batch_norm_of_batch",
    lambda x, w, b: aten("_batch_norm_of_batch")(x, w, b, 1e-5)[0],
    (4, 2, 3), (2,), (2,),
)  # fmt: skip


simple(
    "_weighted_neighbours",
    lambda x: aten("_weighted_neighbours")(
        x,
        1,
        torch.tensor([[0, 1, 1, 2], [1, 1, 2, 2]]),
        torch.tensor([[0.5, 1.0, 0.25, 2.0], [0.5, 3.0, 0.75, -1.0]], dtype=x.dtype)[..., None],
    ),
    (2, 3, 2),
)


for _name, _size, _to in (
    ("_adaptive_means", (2, 5, 7), (2, 3)),
    ("_adaptive_means_backward", (2, 2, 3), (5, 7)),
):
    simple(_name, lambda x, _name=_name, _to=_to: aten(_name)(x, _to), _size)

# Losses of classes.
for _name, _size in (("nll_loss", (2, 3)), ("nll_loss2d", (2, 3, 1, 2))):
    _classes = torch.tensor([2, 0]) if _name == "nll_loss" else torch.tensor([[[2, 0]], [[1, 1]]])
    _weights = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
    simple(
        f"{_name}_forward",
        lambda x, n=_name, t=_classes, w=_weights: aten(f"{n}_forward")(x, t, w, 1, -100)[0],
        _size,
    )
    simple(
        f"{_name}_backward",
        lambda g, n=_name, s=_size, t=_classes, w=_weights: aten(f"{n}_backward")(
            g, torch.zeros(s, dtype=torch.float64), t, w, 2, -100, w.sum()
        ),
        (),
    )
