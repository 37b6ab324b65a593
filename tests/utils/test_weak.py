"""Dictionaries of tensors that go when nobody else has them."""

import copy
from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.weak import TensorWeakRef, WeakIdRef, WeakTensorKeyDictionary


def test_tensors_are_keys_by_identity(collect: Any) -> None:
    a, b = torch.ones(2), torch.ones(2)
    known = WeakTensorKeyDictionary({a: 1})
    known[b] = 2
    assert (known[a], known[b], len(known)) == (1, 2, 2)
    assert a in known and torch.ones(2) not in known and 3 not in known
    assert {id(k) for k in known} == {id(a), id(b)}
    del b
    collect()
    assert len(known) == 1 and known.get(a) == 1
    other = copy.copy(known)
    other[a] = 5
    assert known[a] == 1 and (known | other)[a] == 5 and known != other
    assert copy.deepcopy(known) == known
    del known[a]
    assert not known


def test_references(collect: Any) -> None:
    a = torch.ones(2)
    first, second = WeakIdRef(a), WeakIdRef(a)
    assert first == second and hash(first) == hash(second) == id(a)
    held = TensorWeakRef(a)
    assert held() is a
    del a
    collect()
    assert held() is None and first() is None and first != second
    with pytest.raises(AssertionError, match="expected"):
        TensorWeakRef(3)
