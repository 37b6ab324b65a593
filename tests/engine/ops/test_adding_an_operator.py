"""A pointwise operator is its entry and its scalar function: everything else follows."""

import itertools

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.codegen import model, outputs
from rushlight.engine.ops.kinds.pointwise import pointwise

# The entry of the chapter.
ENTRY = {
    "func": "softsquare(Tensor self, Scalar scale=1) -> Tensor",
    "variants": "function, method", "inplace": "function, method", "out": "out",
    "kind": "pointwise", "line": 1,
}  # fmt: skip
SCHEMAS = [entry.text for entry in model.read_entries(ENTRY, "pointwise", "native_functions.yaml")]
serial = itertools.count()


@pytest.fixture
def softsquare():
    """The operator in a namespace of its own, made of the two places of the chapter."""
    namespace = f"adding_{next(serial)}"
    library = torch.library.Library(namespace, "DEF")
    for schema in SCHEMAS:
        library.define(schema)

    @pointwise(f"{namespace}::softsquare", promote="float")
    def softsquare(x, scale):
        return scale * x * x / (1 + abs(x))

    yield getattr(torch.ops, namespace)
    library._destroy()


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


def test_what_the_lines_in_the_yaml_touch():
    items = [
        {"func": schema, "variants": "function, method", "kind": "pointwise"} for schema in SCHEMAS
    ]
    entries = model.load()
    added = [model.read_entry(item, "pointwise", "the chapter") for item in items]
    before, after = (
        {name.removeprefix("engine/generated/"): text for name, text in made.items()}
        for made in (outputs.everything(entries), outputs.everything(entries + added))
    )
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed <= {
        "operators.py", "functions.py", "functions.pyi", "methods.py", "methods.pyi"
    }  # fmt: skip
    for name in ("functions.pyi", "methods.pyi"):
        assert "def softsquare(" in after[name]
        assert "def softsquare_(" in after[name]
    assert "'softsquare.out'" in after["operators.py"]
