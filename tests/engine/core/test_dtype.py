"""Element types and their limits."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight.engine.core import dtype as dtypes


def test_names():
    assert repr(torch.float32) == "torch.float32" and repr(torch.bool) == "torch.bool"
    assert torch.half is torch.float16 and torch.cdouble is torch.complex128
    with pytest.raises(TypeError):
        torch.dtype()


@pytest.mark.parametrize("kind", dtypes.ALL, ids=str)
def test_facts(kind):
    assert dtypes.from_code(kind.code) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.copy(kind) is kind and copy.deepcopy(kind) is kind
    assert torch.empty(3, dtype=kind).nbytes == 3 * kind.itemsize
    assert kind.is_complex == ("complex" in repr(kind))
    assert kind.is_floating_point == ("float" in repr(kind))
    assert kind.to_real().to_complex() is kind if kind.is_complex else kind.to_real() is kind


def test_signs_and_parts():
    assert torch.int8.is_signed and torch.float32.is_signed
    assert not torch.uint8.is_signed and not torch.bool.is_signed
    assert torch.float32.to_complex() is torch.complex64
    with pytest.raises(RuntimeError):
        torch.int8.to_complex()


def test_limits():
    assert torch.finfo(torch.float32).max == 3.4028234663852886e38
    assert torch.finfo(torch.bfloat16).eps == 0.0078125
    assert torch.finfo(torch.complex128).bits == 64
    assert torch.finfo().dtype == "float32"
    assert torch.iinfo(torch.int8).min == -128 and torch.iinfo(torch.uint64).max == 2**64 - 1
    with pytest.raises(TypeError):
        torch.iinfo(torch.float32)
    with pytest.raises(TypeError):
        torch.finfo(torch.int32)


def test_limits_are_made_once_and_travel() -> None:
    assert torch.finfo(torch.bfloat16) is torch.finfo(torch.bfloat16)
    assert torch.iinfo(torch.int8) is torch.iinfo(torch.int8)
    for limits in (torch.finfo(torch.float16), torch.iinfo(torch.int32)):
        assert pickle.loads(pickle.dumps(limits)) == limits == copy.deepcopy(limits)
    for make in (torch.finfo, torch.iinfo):
        with pytest.raises(TypeError, match=r"must be torch.dtype, not list"):
            make([1])
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        assert torch.finfo().dtype == "float64"
    finally:
        torch.set_default_dtype(before)
    assert torch.finfo().dtype == "float32"
