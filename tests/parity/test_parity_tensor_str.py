"""The text of tensors, compared with PyTorch's."""

import itertools
import math

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf")

NAMES = [
    "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "bool", "float16",
    "bfloat16", "float32", "float64", "complex32", "complex64", "complex128", "float8_e5m2",
    "float8_e4m3fn",
]  # fmt: skip
OPTIONS = [
    {},
    {"precision": 2},
    {"sci_mode": True},
    {"sci_mode": False},
    {"linewidth": 30},
    {"edgeitems": 1, "threshold": 5},
    {"edgeitems": 2, "threshold": 10, "linewidth": 40},
    {"edgeitems": 0, "threshold": 5},
    {"profile": "short"},
    {"profile": "full", "precision": 6},
]
VALUES = {
    "small": [1.5, -2.25, 3.0, 0.0],
    "whole": [1.0, -2.0, 3.0, 100.0],
    "large": [1.0, 5000.0, 3.0, 0.0],
    "tiny": [1e-5, 2e-5, 0.0, 3e-5],
    "special": [math.nan, math.inf, -math.inf, -0.0],
    "mixed": [math.nan, 1.5, -math.inf, 2.0],
    "whole_special": [math.nan, 1.0, math.inf, 2.0],
}


@pytest.fixture(params=OPTIONS, ids=str)
def options(request):
    for module in (torch, rushlight):
        module.set_printoptions(profile="default")
        module.set_printoptions(**request.param)
    yield
    for module in (torch, rushlight):
        module.set_printoptions(profile="default")


def same(make):
    assert repr(make(rushlight)) == repr(make(torch))


def shapes():
    return [(), (4,), (0,), (2, 0), (2, 2), (1, 4), (1, 2, 2), (2, 1, 2, 1)]


@pytest.mark.parametrize("name", NAMES)
def test_every_type(name, options):
    for key, values in VALUES.items():
        if "float" not in name and "complex" not in name:
            if key != "whole":
                continue
            values = [1.0, 0.0, 7.0, 100.0]
        for shape in shapes():
            count = math.prod(shape)
            flat = [abs(v) for v in values[:count]]
            if "float" in name:
                flat = values[:count]
            if "complex" in name:
                flat = [complex(v, w) for v, w in zip(values, values[::-1])][:count]

            def build(module, flat=flat, shape=shape):
                wide = module.tensor(flat, dtype=None if flat else module.float32)
                return wide.to(getattr(module, name)).reshape(shape)

            same(build)


@pytest.mark.parametrize("shape", [(5000,), (100, 30), (3, 2000), (20, 20, 20), (2, 2, 2, 500)])
@pytest.mark.parametrize("name", ["float32", "int64", "complex64", "bool", "float64"])
def test_abridged(shape, name, options):
    values = np.random.default_rng(0).standard_normal(shape) * 50

    def build(module):
        if name == "complex64":
            made = module.tensor((values + 1j * values[::-1]).tolist())
        else:
            made = module.tensor(values.tolist())
        return made.to(getattr(module, name))

    same(build)


@pytest.mark.parametrize("name", NAMES)
def test_meta(name):
    for shape in [(), (2, 3), (0,), (30, 40, 50)]:
        same(lambda m, s=shape: m.empty(s, dtype=getattr(m, name), device="meta"))


def test_random_magnitudes():
    generator = np.random.default_rng(1)
    for low, high, shape in itertools.product((-6, 0), (1, 6, 9), ((7,), (3, 5))):
        values = generator.standard_normal(shape) * 10.0 ** generator.uniform(low, high, shape)
        for v in (values, np.round(values)):
            same(lambda m, v=v: m.tensor(v.tolist()))
            same(lambda m, v=v: m.tensor(v.tolist(), dtype=m.float64))


def test_default_type():
    for module in (torch, rushlight):
        module.set_default_dtype(module.float64)
    try:
        same(lambda m: m.tensor([1.0]))
        same(lambda m: m.tensor([1.0], dtype=m.float32))
        same(lambda m: m.tensor([1.0 + 2j]))
        same(lambda m: m.tensor([1.0 + 2j], dtype=m.complex64))
    finally:
        for module in (torch, rushlight):
            module.set_default_dtype(module.float32)


def test_views():
    same(lambda m: m.arange(12.0).reshape(3, 4).t())
    same(lambda m: m.arange(12.0).reshape(3, 4)[::2, 1:])
    same(lambda m: m.tensor([1 + 2j, 3 - 4j]).conj())
    same(lambda m: m.tensor([1 + 2j, 3 - 4j]).conj().imag)


def test_options():
    assert rushlight._tensor_str.get_printoptions() == torch._tensor_str.get_printoptions()
    with (
        rushlight._tensor_str.printoptions(precision=1),
        torch._tensor_str.printoptions(precision=1),
    ):
        same(lambda m: m.tensor([1.25, 2.5]))
    same(lambda m: m.tensor([1.25, 2.5]))


def test_subclass():
    def build(module):
        kind = type("Mine", (module.Tensor,), {})
        return module.ones(2).as_subclass(kind)

    same(build)
