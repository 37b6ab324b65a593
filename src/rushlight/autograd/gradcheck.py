"""Checks of gradients against finite differences.

A Jacobian here has a row per element of an input and a column per element of an output. Columns of
complex outputs come twice, once for the real and once for the imaginary part; a row of a complex
input holds the derivative by its real part plus i times the one by its imaginary part, which is
what PyTorch calls the gradient of a real number by a complex one.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight.autograd import forward_ad
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import no_grad
from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, sparse
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.numpy_later import np

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Jacobian = dict[tuple[int, int, str], Any]

REAL, IMAGINARY = "real", "imaginary"


class GradcheckError(RuntimeError):
    """What `gradcheck` and `gradgradcheck` raise: two ways to a derivative disagree."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare gradients with finite differences, for all inputs that require gradients.

    Args:
        func: takes tensors, gives a tensor or several
        inputs: its arguments
        eps: the step of the differences
        atol: how much elements of the Jacobians may differ
        rtol: how much they may differ, as a share of the numerical one
        raise_exception: raise `GradcheckError`; else give False
        nondet_tol: how much two runs of the same backward pass may differ
        check_undefined_grad: also see that gradients that are None count as zeros
        check_grad_dtypes: see that gradients have the element types of their inputs
        check_batched_grad: also compare ``is_grads_batched`` with one pass at a time
        check_batched_forward_grad: the same for forward mode
        check_forward_ad: also compare tangents
        check_backward_ad: compare gradients
        fast_mode: compare one random combination of rows and columns, not all elements
        masked: whether only elements of sparse inputs that have a value are moved, in gradients of all
            elements; has no effect on others
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    _require("batched_grad", check_batched_grad, "backward_ad", check_backward_ad)
    _require("batched_forward_grad", check_batched_forward_grad, "forward_ad", check_forward_ad)
    try:
        check = Check(func, inputs, eps, atol, rtol, nondet_tol, bool(masked))
        if check.no_output_differs():
            return True
        if check_backward_ad:
            check.compare("backward", check.backward_jacobian, check.backward_product, fast_mode)
        if check_forward_ad:
            check.compare("forward", check.forward_jacobian, check.forward_product, fast_mode)
        if check_batched_forward_grad:
            check.batched_tangents()
        if check_backward_ad:
            check.repeated_passes()
        if check_batched_grad:
            check.batched_gradients()
        if check_backward_ad:
            check.zero_gradients(check_grad_dtypes)
        if check_backward_ad and check_undefined_grad:
            check.undefined_gradients()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _require(name: str, is_set: bool, needed: str, is_there: bool) -> None:
    """Raise for a choice that means nothing without another one."""
    if is_set and not is_there:
        raise AssertionError(f"Setting check_{name}=True requires check_{needed} to be True")


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare gradients of gradients with finite differences of gradients.

    Args:
        func: takes tensors, gives a tensor or several
        inputs: its arguments
        grad_outputs: the gradient of each output; random by default
        gen_non_contig_grad_outputs: let random gradients of outputs have gaps in memory
        check_fwd_over_rev: differentiate the backward pass by forward mode
        check_rev_over_rev: differentiate the backward pass by a second one

    The other arguments are those of `gradcheck`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    given = as_tuple(inputs)
    outputs = differentiable(as_tuple(func(*given)))
    if grad_outputs is None:
        grads = tuple(random_gradient(out, gen_non_contig_grad_outputs) for out in outputs)
    else:
        grads = as_tuple(grad_outputs)
    count = len(grads)

    def gradients(*args: Any) -> tuple[Any, ...]:
        of_inputs, of_outputs = args[: len(args) - count], args[len(args) - count :]
        made = differentiable(as_tuple(func(*of_inputs)))
        wanted = [a for a in of_inputs if is_differentiable(a)]
        found = rushlight.autograd.grad(
            made, wanted, of_outputs, create_graph=True, allow_unused=True
        )
        return tuple(grad for grad in found if grad is not None)

    return gradcheck(
        gradients,
        (*given, *grads),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


# -- tensors --


def as_tuple(items: Any) -> tuple[Any, ...]:
    """One or several items as a tuple."""
    if isinstance(items, tuple):
        return items
    return tuple(items) if isinstance(items, list) else (items,)


def is_differentiable(item: Any) -> bool:
    return isinstance(item, Tensor) and metas.requires_grad(item)


def differentiable(items: Sequence[Any]) -> tuple[Any, ...]:
    """The tensors that want a gradient."""
    return tuple(item for item in items if is_differentiable(item))


def is_complex(tensor: Any) -> bool:
    return bool(tensor._dtype_.category == dtypes.COMPLEX)


def array(tensor: Any) -> Any:
    """A copy of the elements, of all if it is sparse, in double precision."""
    double = rushlight.complex128 if is_complex(tensor) else rushlight.float64
    plain = tensor.detach()
    if sparse.is_sparse(plain):
        plain = plain.to_dense()
    plain = plain.resolve_conj().resolve_neg()
    if plain._keys_ & keys.PYTHON:
        # The class of the tensor says what its elements are; there is no memory to look at.
        elements = [element.item() for element in plain.reshape(-1).unbind()]
        return np.array(elements, complex if is_complex(plain) else float).reshape(plain.shape)
    return np.array(plain.to(double).numpy())


def random_gradient(like: Any, with_gaps: bool) -> Any:
    """Random elements for the gradient of an output, drawn as PyTorch draws them."""
    from rushlight.testing import make_tensor

    return make_tensor(
        like.shape, dtype=like.dtype, device=like.device, low=-1, high=1,
        requires_grad=True, noncontiguous=with_gaps,
    )  # fmt: skip


def random_like(like: Any, size: list[int]) -> Any:
    """Random elements that are the same each time."""
    generator = rushlight.Generator().manual_seed(0)
    real = {rushlight.complex128: rushlight.float64}.get(like.dtype, rushlight.float32)
    if not is_complex(like):
        return rushlight.randn(size, dtype=rushlight.float64, generator=generator).to(like.dtype)
    parts = rushlight.randn([2, *size], dtype=real, generator=generator)
    return rushlight.complex(parts[0], parts[1]).to(like.dtype)


def parts_of(tensor: Any) -> tuple[str, ...]:
    """The parts of elements that are moved apart from each other."""
    return (REAL, IMAGINARY) if is_complex(tensor) else (REAL,)


def part_of(values: Any, part: str) -> Any:
    return values.imag if part is IMAGINARY else values.real


# -- the checks --


class Check:
    """One function at one place, and the tolerances of its comparison."""

    def __init__(
        self,
        func: Callable[..., Any],
        inputs: Any,
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
        masked: bool,
    ) -> None:
        self.func = func
        self.inputs = as_tuple(inputs)
        self.eps = eps
        self.atol = atol
        self.rtol = rtol
        self.nondet_tol = nondet_tol
        self.masked = masked
        self.places = [i for i, item in enumerate(self.inputs) if is_differentiable(item)]
        self.variables = [self.inputs[i] for i in self.places]
        self.check_inputs()
        self.outputs = as_tuple(func(*self.inputs))
        self.columns = [j for j, item in enumerate(self.outputs) if is_differentiable(item)]
        if any(sparse.is_sparse(self.outputs[j]) for j in self.columns):
            raise ValueError(
                "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) "
                "on the output of fn for gradcheck."
            )

    def check_inputs(self) -> None:
        if not self.variables:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of the "
                "them have requires_grad=True."
            )
        for place, tensor in zip(self.places, self.variables):
            if tensor.dtype not in (rushlight.float64, rushlight.complex128):
                warnings.warn(
                    f"Input #{place} requires gradient and is not a double precision floating point "
                    "or complex. This check will likely fail if all the inputs are not of double "
                    "precision floating point or complex. ",
                    stacklevel=4,
                )
            if sparse.is_sparse(tensor):
                continue
            if any(st == 0 and n > 1 for st, n in zip(tensor.stride(), tensor.shape)):
                raise RuntimeError(
                    f"The {place}th input has a dimension with stride 0. gradcheck only supports "
                    "inputs that are non-overlapping to be able to compute the numerical gradients "
                    "correctly. You should call .contiguous on the input before passing it to "
                    "gradcheck."
                )

    def evaluate(self, where: str, moved: dict[int, Any] | None = None) -> list[Any]:
        """The elements of the outputs that have gradients, at the inputs as they are now.

        Args:
            where: how the inputs have been moved, in the words of an error
            moved: inputs in the place of those given
        """
        inputs = self.inputs
        if moved:
            inputs = tuple(moved.get(i, item) for i, item in enumerate(inputs))
        outputs = as_tuple(self.func(*inputs))
        for j in self.columns:
            for what in ("shape", "dtype"):
                before, now = getattr(self.outputs[j], what), getattr(outputs[j], what)
                if before != now:
                    raise AssertionError(
                        f"Expected `func` to return outputs with the same {what} when inputs are "
                        f"perturbed {where}by {self.eps}, but got: {what}s {now} and {before}."
                    )
        return [array(outputs[j]) for j in self.columns]

    def no_output_differs(self) -> bool:
        """Whether no output has a gradient; the numerical ones must then be zero."""
        if self.columns:
            return False
        self.columns = [
            j for j, out in enumerate(self.outputs)
            if isinstance(out, Tensor) and out._dtype_.category >= dtypes.FLOATING
        ]  # fmt: skip
        for difference in self.numerical_jacobian().values():
            if np.any(difference != 0):
                raise GradcheckError("Numerical gradient for function expected to be zero")
        return True

    # -- Jacobians --
    def empty_jacobian(self) -> Jacobian:
        return {
            (i, j, part): np.zeros(
                (self.inputs[i].numel(), self.outputs[j].numel()),
                complex if is_complex(self.inputs[i]) else float,
            )
            for i in self.places
            for j in self.columns
            for part in parts_of(self.outputs[j])
        }

    def numerical_jacobian(self) -> Jacobian:
        found = self.empty_jacobian()
        for i, row, unit in self.directions():
            changes = self.difference(i, row, unit)
            self.put_row(found, i, row, unit, changes)
        return found

    def directions(self) -> Iterator[tuple[int, int, complex]]:
        """Every direction that an input can move in: (input, element, 1 or 1j)."""
        for i in self.places:
            units = (1, 1j) if is_complex(self.inputs[i]) else (1,)
            rows: Any = range(self.inputs[i].numel())
            if self.masked and sparse.is_sparse(self.inputs[i]):
                rows = [int(row) for row in np.flatnonzero(has_values(self.inputs[i]))]
            yield from itertools.product((i,), rows, units)

    def difference(self, i: int, row: int, unit: complex) -> list[Any]:
        """How fast the outputs change with one element of an input."""
        if sparse.is_sparse(self.inputs[i]):
            step = np.zeros(tuple(self.inputs[i].shape), np.result_type(unit, float))
            step.reshape(-1)[row] = unit
            return self.sparse_difference(i, step, only_values=self.masked)
        data = self.inputs[i].data
        index = tuple(int(n) for n in np.unravel_index(row, tuple(data.shape) or (1,)))
        index = tuple(int(k) for k in index) if data.ndim else ()
        with no_grad():
            before = data[index].clone()
            data[index] = before + self.eps * unit
        above = self.evaluate(f"on index {index} ")
        with no_grad():
            data[index] = before - self.eps * unit
        below = self.evaluate(f"on index {index} ")
        with no_grad():
            data[index] = before
        return [(a - b) / (2 * self.eps) for a, b in zip(above, below)]

    def sparse_difference(self, i: int, step: Any, only_values: bool) -> list[Any]:
        """The same for a sparse input, along a direction: it is put together from its elements.

        Args:
            i: the place of the input
            step: the direction, with an element for each of the input's
            only_values: whether the input keeps its indices, or gets a value everywhere
        """
        given = self.inputs[i].detach()
        pattern = given.coalesce() if given.is_sparse else given
        if not only_values:
            pattern = everywhere(given)
        above, below = (
            self.evaluate("", {
                i: tensor_like(array(given) + sign * self.eps * step, given)
                .sparse_mask(pattern)
                .requires_grad_()
            })
            for sign in (1, -1)
        )  # fmt: skip
        return [(a - b) / (2 * self.eps) for a, b in zip(above, below)]

    def put_row(self, found: Jacobian, i: int, row: int, unit: complex, changes: Any) -> None:
        for j, change in zip(self.columns, changes):
            if change is None:
                continue
            for part in parts_of(self.outputs[j]):
                found[i, j, part][row] += unit * part_of(change, part).reshape(-1)

    def backward_jacobian(self) -> Jacobian:
        """One pass for each element of the outputs."""
        found = self.empty_jacobian()
        for j in self.columns:
            out = self.outputs[j]
            for part, column in itertools.product(parts_of(out), range(out.numel())):
                grads = self.gradients(j, self.one_hot(out, column, part))
                for i, grad in zip(self.places, grads):
                    if grad is not None:
                        found[i, j, part][:, column] = array(grad).reshape(-1)
        return found

    def gradients(self, j: int, grad_output: Any) -> Any:
        found = rushlight.autograd.grad(
            self.outputs[j], self.variables, grad_output, retain_graph=True, allow_unused=True
        )
        for grad, variable in zip(found, self.variables):
            if grad is not None and grad.shape != variable.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
        return found

    def one_hot(self, like: Any, place: int, part: str) -> Any:
        made = rushlight.zeros(like.numel(), dtype=like.dtype, device=like.device)
        made[place] = 1j if part is IMAGINARY else 1
        return made.reshape(like.shape)

    def forward_jacobian(self) -> Jacobian:
        """One call for each element of the inputs."""
        found = self.empty_jacobian()
        for i, row, unit in self.directions():
            part = REAL if unit == 1 else IMAGINARY
            tangent = self.one_hot(self.inputs[i], row, part)
            self.put_row(found, i, row, unit, self.tangents({i: tangent}))
        return found

    def tangents(self, given: dict[int, Any]) -> list[Any]:
        """The tangents of the outputs; None stands for zero."""
        with forward_ad.dual_level():
            args = list(self.inputs)
            for i in self.places:
                tangent = given[i] if i in given else rushlight.zeros_like(self.inputs[i].detach())
                args[i] = forward_ad.make_dual(self.inputs[i].detach().requires_grad_(), tangent)
            outputs = as_tuple(self.func(*args))
            found = [forward_ad.unpack_dual(outputs[j]).tangent for j in self.columns]
            return [None if tangent is None else array(tangent) for tangent in found]

    # -- comparisons --
    def compare(self, mode: str, whole: Any, product: Any, fast: bool) -> None:
        if fast and self.products_agree(product):
            return
        numerical, analytical = self.numerical_jacobian(), whole()
        for i, j, part in sorted(numerical, key=lambda key: key[2]):
            ours, theirs = analytical[i, j, part], numerical[i, j, part]
            if not np.allclose(ours, theirs, self.rtol, self.atol):
                raise GradcheckError(self.mismatch(mode, i, j, part, theirs, ours))
        if fast:
            raise GradcheckError(
                "Fast gradcheck failed but element-wise differences are small. This means that the "
                "test might've passed in slow_mode!"
            )

    def mismatch(self, mode: str, i: int, j: int, part: str, numerical: Any, ours: Any) -> str:
        prefix = ""
        if is_complex(self.outputs[j]):
            prefix = f"While considering the {part} part of complex outputs only, "
        how = "computed with forward mode " if mode == "forward" else ""
        worst = np.unravel_index(np.argmax(np.abs(ours - numerical)), ours.shape)
        row, column = int(worst[0]), int(worst[1])
        return (
            f"{prefix}Jacobian {how}mismatch for output {j} with respect to input {i},\n"
            f"numerical:{rushlight.from_numpy(numerical)}\n"
            f"analytical:{rushlight.from_numpy(ours)}\n"
            f"They differ most for element {row} of the input and element {column} of the output: "
            f"{numerical[row, column]} and {ours[row, column]}."
        )

    def products_agree(self, product: Any) -> bool:
        """Compare one random combination of the elements of each pair of input and output."""
        numbers = np.random.default_rng(0)
        for i in self.places:
            u = random_direction(self.inputs[i], numbers)
            changes = self.difference_along(i, u)
            for j, change in zip(self.columns, changes):
                v = random_direction(self.outputs[j], numbers)
                wanted = np.sum(np.conj(v) * change).real
                found = product(i, j, u, v)
                atol = self.atol * np.abs(u).sum() * np.abs(v).sum()
                if not np.allclose(found, wanted, self.rtol, atol):
                    return False
        return True

    def difference_along(self, i: int, u: Any) -> list[Any]:
        """How fast the outputs change when an input moves in a direction."""
        if sparse.is_sparse(self.inputs[i]):
            return self.sparse_difference(i, u, only_values=True)
        data = self.inputs[i].data
        step = tensor_like(self.eps * u, data)
        with no_grad():
            before = data.clone()
            data.add_(step)
        above = self.evaluate("")
        with no_grad():
            data.copy_(before - step)
        below = self.evaluate("")
        with no_grad():
            data.copy_(before)
        return [(a - b) / (2 * self.eps) for a, b in zip(above, below)]

    def backward_product(self, i: int, j: int, u: Any, v: Any) -> Any:
        grads = self.gradients(j, tensor_like(v, self.outputs[j]))
        grad = grads[self.places.index(i)]
        return 0.0 if grad is None else np.sum(np.conj(array(grad)) * u).real

    def forward_product(self, i: int, j: int, u: Any, v: Any) -> Any:
        tangent = self.tangents({i: tensor_like(u, self.inputs[i])})[self.columns.index(j)]
        return 0.0 if tangent is None else np.sum(np.conj(v) * tangent).real

    # -- further checks --
    def repeated_passes(self) -> None:
        """The same pass gives the same gradients."""
        for j in self.columns:
            grad_output = random_like(self.outputs[j], list(self.outputs[j].shape))
            first, second = self.gradients(j, grad_output), self.gradients(j, grad_output)
            for one, other in zip(first, second):
                if one is not None and not same(array(one), array(other), self.nondet_tol):
                    raise GradcheckError(
                        "Backward is not reentrant, i.e., running backward with same input and "
                        "grad_output multiple times gives different values, although analytical "
                        "gradient matches numerical gradient.The tolerance for nondeterminism was "
                        f"{self.nondet_tol}."
                    )

    def zero_gradients(self, check_dtypes: bool) -> None:
        """Gradients of zero give zeros, of the inputs' types and sizes."""
        outputs = [self.outputs[j] for j in self.columns]
        zeros = [rushlight.zeros_like(out) for out in outputs]
        found = rushlight.autograd.grad(
            outputs, self.variables, zeros, retain_graph=True, allow_unused=True
        )
        if all(grad is None for grad in found):
            raise GradcheckError("no Tensors requiring grad found in input")
        for grad, variable in zip(found, self.variables):
            if grad is None:
                continue
            if np.any(array(grad) != 0):
                raise GradcheckError("backward not multiplied by grad_output")
            if check_dtypes and grad.dtype is not variable.dtype:
                raise GradcheckError("grad is incorrect type")
            if grad.device != variable.device:
                raise GradcheckError("grad is incorrect device")
            if grad.shape != variable.shape:
                raise GradcheckError("grad is incorrect size")

    def batched_gradients(self) -> None:
        """A batch of passes gives what single passes give."""
        for j in self.columns:
            out = self.outputs[j]
            rows = [random_direction(out, np.random.default_rng(seed)) for seed in range(2)]
            grads = [tensor_like(row, out) for row in rows]
            single = [self.gradients(j, grad) for grad in grads]
            batch = rushlight.autograd.grad(
                out, self.variables, rushlight.stack(grads),
                retain_graph=True, allow_unused=True, is_grads_batched=True,
            )  # fmt: skip
            for place, found in enumerate(batch):
                wanted = [grads[place] for grads in single]
                if found is None and all(w is None for w in wanted):
                    continue
                both = zip(wanted, found if found is not None else wanted)
                if any(w is None or not same(array(w), array(f), self.atol) for w, f in both):
                    raise GradcheckError(
                        "gradcheck or gradgradcheck failed while testing batched gradient "
                        f"computation: for output {j} and input {self.places[place]}, gradients of a "
                        "batch (is_grads_batched=True) are not those of single passes."
                    )

    def batched_tangents(self) -> None:
        """A batch of tangents gives what single ones give.

        Batches are taken apart, a call for each tangent: what can differ is what a call leaves behind.
        """
        for i in self.places:
            item = self.inputs[i]
            rows = [random_direction(item, np.random.default_rng(seed)) for seed in range(2)]
            single = [self.tangents({i: tensor_like(row, item)}) for row in rows]
            batch = rushlight.stack([tensor_like(row, item) for row in rows])
            for wanted, tangent in zip(single, batch.unbind(0)):
                found = self.tangents({i: tangent})
                for j, one, other in zip(self.columns, wanted, found):
                    are_both_none = one is None and other is None
                    if are_both_none or (
                        one is not None and other is not None and same(one, other, self.atol)
                    ):
                        continue
                    raise GradcheckError(
                        "gradcheck or gradgradcheck failed while testing batched gradient "
                        f"computation: for output {j} and input {i}, tangents of a batch are not those "
                        "of single calls."
                    )

    def undefined_gradients(self) -> None:
        """Gradients that never arrive count as zeros."""
        outputs = differentiable(as_tuple(self.func(*self.inputs)))
        cases = [set(range(len(outputs)))]
        if len(outputs) > 1:
            cases += [{k} for k in range(len(outputs))]
        for undefined in cases:
            outputs = differentiable(as_tuple(self.func(*self.inputs)))
            roots = [Undefined.apply(o) if k in undefined else o for k, o in enumerate(outputs)]
            zeros = [rushlight.zeros_like(root) for root in roots]
            try:
                found = rushlight.autograd.grad(roots, self.variables, zeros, allow_unused=True)
            except RuntimeError as error:
                raise GradcheckError(
                    "Expected backward function to handle undefined output grads, but it raised: "
                    f"{error}"
                ) from error
            for grad in found:
                if grad is not None and np.any(array(grad) != 0):
                    raise GradcheckError(
                        "Expected all input grads to be undefined or zero when all output grads are "
                        "undefined or zero."
                    )


class Undefined(Function):
    """Lets no gradient through."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None


def random_direction(like: Any, numbers: np.random.Generator) -> Any:
    """A random unit vector in the shape of a tensor."""
    made = numbers.standard_normal(tuple(like.shape))
    if is_complex(like):
        made = made + 1j * numbers.standard_normal(tuple(like.shape))
    if sparse.is_sparse(like):
        made = made * has_values(like)
    length = np.linalg.norm(made)
    return made / length if length else made


def has_values(given: Any) -> Any:
    """Which elements of a sparse tensor have a value."""
    from rushlight.engine.ops.sparse import parts  # nobody else needs it at import

    values = rushlight.ones_like(parts.values_of(given), dtype=rushlight.float64)
    return parts.alike(given.detach(), values).to_dense().numpy() != 0


def everywhere(given: Any) -> Any:
    """A sparse tensor with values everywhere, in the layout of another one."""
    block = getattr(sparse.parts_of(given), "block", None)
    return rushlight.ones(given.shape, dtype=given.dtype).to_sparse(
        layout=given.layout,
        blocksize=block if given.layout in layouts.BLOCKED else None,
        dense_dim=given.dense_dim(),
    )


def tensor_like(values: Any, like: Any) -> Any:
    return rushlight.from_numpy(np.array(values)).to(like.dtype)


def same(one: Any, other: Any, tolerance: float) -> bool:
    if one.size == 0:
        return True
    gap = np.abs(one - other)
    return bool(np.all((gap <= tolerance) | (np.isnan(one) & np.isnan(other))))
