"""Operators are added as the chapter says: what one writes in these places is all that there is to write."""

import itertools

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.codegen import model, outputs
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops.reduction import simple
from rushlight.engine.ops import samples
from rushlight.engine.ops.kinds.planned import planned
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims
from rushlight.engine.ops.linalg.matrices import with_outs
from rushlight.nn.modules._settings import OfFunction

# The entry of the chapter.
ENTRY = {
    "func": "softsquare(Tensor self, Scalar scale=1) -> Tensor",
    "variants": "function, method", "inplace": "function, method", "out": "out",
    "line": 1,
}  # fmt: skip
serial = itertools.count()


def entries_of(item, family):
    return list(model.read_entries(item, family, "native_functions.yaml"))


@pytest.fixture
def define():
    """Defines the operators of an entry in a namespace of their own."""
    libraries = []

    def make(item, family="pointwise"):
        namespace = f"adding_{next(serial)}"
        libraries.append(torch.library.Library(namespace, "DEF"))
        for entry in entries_of(item, family):
            libraries[-1].define(entry.text)
        return namespace

    yield make
    for library in libraries:
        library._destroy()


@pytest.fixture
def softsquare(define):
    """The operator in a namespace of its own, made of the two places of the chapter."""
    namespace = define(ENTRY)

    @pointwise(f"{namespace}::softsquare", promote="float")
    def softsquare(x, scale):
        return scale * x * x / (1 + abs(x))

    return getattr(torch.ops, namespace)


def expected(x, scale):
    return scale * x * x / (1 + np.abs(x))


def test_function_types_and_layouts(softsquare):
    base = np.arange(-6, 6).reshape(3, 4)
    for kind in (torch.float32, torch.float64, torch.int64, torch.bfloat16):
        x = torch.tensor(base).to(kind)
        result = softsquare.softsquare(x, 2)
        assert result.dtype is (kind if kind.is_floating_point else torch.float32)
        np.testing.assert_allclose(result.tolist(), expected(base, 2), rtol=2e-2)
    x = torch.tensor(base, dtype=torch.float32)
    assert softsquare.softsquare(x.t(), 0.5).stride() == x.t().stride()
    np.testing.assert_allclose(
        softsquare.softsquare(x[:, ::2]).tolist(), expected(base[:, ::2], 1), rtol=1e-6
    )


def test_in_place_and_out(softsquare):
    base = np.arange(4.0)
    x = torch.tensor(base, dtype=torch.float32)
    out = torch.empty(0)
    assert softsquare.softsquare.out(x, 3, out=out) is out
    np.testing.assert_allclose(out.tolist(), expected(base, 3), rtol=1e-6)
    assert softsquare.softsquare_(x, 3) is x
    np.testing.assert_allclose(x.tolist(), expected(base, 3), rtol=1e-6)
    with pytest.raises(RuntimeError, match="can't be cast"):
        softsquare.softsquare_(torch.arange(4))


def test_meta(softsquare):
    result = softsquare.softsquare(torch.empty(2, 3, device="meta"), 2)
    assert result.device.type == "meta" and result.shape == (2, 3)


def test_wrong_arguments(softsquare):
    with pytest.raises((TypeError, RuntimeError), match="softsquare"):
        softsquare.softsquare("x")


# -- what follows from the places --


def generated_by(item, family):
    """The generated files that an entry changes."""
    entries = model.load()
    before, after = (
        {name.removeprefix("engine/generated/"): text for name, text in made.items()}
        for made in (
            outputs.everything(entries),
            outputs.everything(entries + entries_of(item, family)),
        )
    )
    return {name: text for name, text in after.items() if text != before.get(name)}


def sample_of(namespace, name):
    """The sample that is derived from the operator's schema."""
    (sample,) = samples.of_operator(f"{namespace}::{name}")
    return sample.draw()


def test_a_pointwise_operator_is_two_places(softsquare):
    changed = generated_by(ENTRY, "pointwise")
    assert changed.keys() == {
        "operators.py", "functions.py", "functions.pyi", "methods.py", "methods.pyi"
    }  # fmt: skip
    assert "'softsquare': 'softsquare|softsquare.out'," in changed["functions.py"]
    assert "'softsquare.out'" in changed["operators.py"]
    for name in ("functions.pyi", "methods.pyi"):
        assert "def softsquare(" in changed[name] and "def softsquare_(" in changed[name]
    call = sample_of(softsquare.name, "softsquare")
    (x,) = call.tensors
    np.testing.assert_allclose(call.run(x).tolist(), expected(np.array(x.tolist()), 1))


SUMSQUARE = {
    "func": "sumsquare(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor",
    "variants": "function, method", "out": "out", "line": 1,
}  # fmt: skip


def test_a_reduction_is_two_places(define):
    namespace = define(SUMSQUARE, "reduction")

    @planned(f"{namespace}::sumsquare")
    def sumsquare(self, dim, keepdim):
        element = self._dtype_.memory
        recipe = simple(
            [element], [element], [0], lambda a, x: [a[0] + x[0] * x[0]],
            lambda a, b: [a[0] + b[0]], lambda totals, count: totals[0],
        )  # fmt: skip
        return Reduce((self,), reduced_dims(self, dim), keepdim, recipe, (self._dtype_,))

    assert generated_by(SUMSQUARE, "reduction").keys() <= {
        "operators.py", "functions.py", "functions.pyi", "methods.py", "methods.pyi"
    }  # fmt: skip
    call = sample_of(namespace, "sumsquare")
    (x,) = call.tensors
    squares = np.square(x.tolist())
    np.testing.assert_allclose(call.run(x).tolist(), squares.sum(1))
    op, out = getattr(torch.ops, namespace).sumsquare, torch.empty(0, dtype=x.dtype)
    np.testing.assert_allclose(op(x, keepdim=True).tolist(), [[squares.sum()]])
    assert op.out(x, [0], out=out) is out
    np.testing.assert_allclose(out.tolist(), squares.sum(0))
    assert op(x.to("meta"), [0]).shape == (3,)


COMMUTATOR = {
    "func": "linalg_commutator(Tensor A, Tensor B) -> Tensor", "out": "out", "line": 1,
}  # fmt: skip


def test_an_operator_of_linear_algebra_is_three_places(define, monkeypatch):
    namespace = define(COMMUTATOR, "linalg")

    @with_outs(f"{namespace}::linalg_commutator", "out")
    def commutator(A, B):
        return A.matmul(B) - B.matmul(A)

    # The third place: these matrices must be square, which no schema tells.
    op = operators.operator(f"{namespace}::linalg_commutator")
    monkeypatch.setattr(op, "family", "linalg")
    monkeypatch.setattr(samples, "_samples", {})
    square = samples.matrices(3, 3)
    samples.Samples("linalg").add(f"{namespace}::linalg_commutator", square, square)
    changed = generated_by(COMMUTATOR, "linalg")
    assert changed.keys() == {"operators.py", "linalg_functions.py", "linalg_functions.pyi"}
    call = sample_of(namespace, "linalg_commutator")
    a, b = (t.requires_grad_() for t in call.tensors)
    x, y = np.array(a.tolist()), np.array(b.tolist())
    np.testing.assert_allclose(call.run(a, b).tolist(), x @ y - y @ x)
    assert torch.autograd.gradcheck(call.run, [a, b], fast_mode=True, check_forward_ad=True)
    out = torch.empty(0, dtype=a.dtype)
    assert (
        getattr(torch.ops, namespace).linalg_commutator.out(a.detach(), b.detach(), out=out) is out
    )


def test_a_function_of_networks_with_its_layer_is_three_places(softsquare, monkeypatch):
    item = {**ENTRY, "python_module": "nn", "variants": "function", "inplace": "function"}
    assert generated_by(item, "pointwise").keys() == {
        "operators.py", "nn_functions.py", "nn_functions.pyi"
    }  # fmt: skip
    # The namespace has what `nn_functions` has.
    monkeypatch.setattr(torch.nn.functional, "softsquare", softsquare.softsquare, raising=False)

    class SoftSquare(OfFunction):
        """The square of every element, near a line far away."""

        signature, function = "scale=1.0", "softsquare"

    layer = SoftSquare(scale=2.0)
    assert repr(layer) == "SoftSquare(scale=2.0)"
    x = np.arange(-3.0, 3.0)
    np.testing.assert_allclose(layer(torch.tensor(x)).tolist(), expected(x, 2))
