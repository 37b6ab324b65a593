"""Conjugate and negative views."""

import numpy as np
import pytest

import rushlight as torch

VALUES = [1 + 2j, 3 - 4j, -5j]


@pytest.fixture
def source():
    return torch.tensor(VALUES)


def conjugates(values):
    return [complex(v).conjugate() for v in values]


def test_a_view_without_work(source):
    view = source.conj()
    assert view.is_conj() and not source.is_conj()
    assert view.data_ptr() == source.data_ptr()
    assert view._is_view()
    assert not view.conj().is_conj()
    assert torch.ones(2).conj().is_conj() is False


def test_operators_see_the_elements(source):
    view = source.conj()
    assert view.tolist() == conjugates(VALUES)
    assert (view + 1).tolist() == [v + 1 for v in conjugates(VALUES)]
    assert (view * source).tolist() == [(v * v.conjugate()) for v in VALUES]
    assert not (view + 1).is_conj()
    assert view[0].item() == 1 - 2j
    assert view[1:].is_conj() and view.reshape(3, 1).is_conj()
    assert view.clone().tolist() == conjugates(VALUES) and not view.clone().is_conj()
    assert torch.cat([view, source]).tolist() == conjugates(VALUES) + VALUES
    assert view.to(torch.complex128).tolist() == conjugates(VALUES)
    assert torch.equal(view, source.conj_physical())


def test_resolving(source):
    resolved = source.conj().resolve_conj()
    assert not resolved.is_conj() and resolved.tolist() == conjugates(VALUES)
    assert resolved.data_ptr() != source.data_ptr()
    assert source.resolve_conj() is source


def test_parts(source):
    view = source.conj()
    assert view.real.tolist() == [1, 3, 0]
    assert view.imag.is_neg()
    assert view.imag.tolist() == [-2, 4, 5]
    assert (view.imag + 1).tolist() == [-1, 5, 6]
    assert view.imag.resolve_neg().tolist() == [-2, 4, 5]
    with pytest.raises(RuntimeError, match="view_as_real"):
        torch.view_as_real(view)


def test_writes_go_through(source):
    view = source.conj()
    version = source._version
    view.copy_(torch.tensor([1j, 2j, 3j]))
    assert source.tolist() == [-1j, -2j, -3j]
    assert source._version > version
    view.mul_(1j)
    assert view.tolist() == [-1, -2, -3]
    assert source.tolist() == [-1, -2, -3]
    view[0] = 5j
    assert source[0].item() == -5j
    assert view.add_(1) is view


def test_out_arguments(source):
    target = torch.zeros(3, dtype=torch.complex64).conj()
    made = torch.add(source, 1, out=target)
    assert made is target
    assert target.tolist() == [v + 1 for v in VALUES]
    assert target.conj().tolist() == conjugates(v + 1 for v in VALUES)


def test_physical_conjugation(source):
    assert torch.conj_physical(source).tolist() == conjugates(VALUES)
    out = torch.empty(3, dtype=torch.complex64)
    assert torch.conj_physical(source, out=out) is out
    assert out.tolist() == conjugates(VALUES)
    assert source.conj_physical_() is source
    assert source.tolist() == conjugates(VALUES)
    real = torch.ones(2)
    assert real.conj_physical() is real


def test_negative_views():
    source = torch.tensor([1.0, -2.0])
    view = source._neg_view()
    assert view.is_neg() and view.tolist() == [-1.0, 2.0]
    assert (view * 2).tolist() == [-2.0, 4.0]
    view.add_(1)
    assert source.tolist() == [0.0, -3.0]
    both = torch.tensor([1 + 2j]).conj()._neg_view()
    assert both.is_conj() and both.is_neg() and both.tolist() == [-1 + 2j]


def test_arrays_refuse_the_views(source):
    with pytest.raises(RuntimeError, match="conjugate bit"):
        source.conj().numpy()
    with pytest.raises(RuntimeError, match="negative bit"):
        source.conj().imag.numpy()
    assert np.allclose(source.conj().resolve_conj().numpy(), conjugates(VALUES))


def test_meta():
    made = torch.empty(3, dtype=torch.complex64, device="meta").conj()
    assert (made + 1).shape == (3,) and not (made + 1).is_conj()
