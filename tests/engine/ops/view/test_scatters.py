"""Copies with one view replaced: their strides and offsets, their gradients, and what is refused."""

import pytest

import rushlight as torch

SCATTERS = {
    "select_scatter": ((4,), (0, 1)),
    "slice_scatter": ((1, 4), (0, 1, 2)),
    "diagonal_scatter": ((2,), (1,)),
}


def replaced(name, x):
    shape, where = SCATTERS[name]
    return getattr(x, name)(torch.full(shape, 7.0), *where)


@pytest.mark.parametrize("name", SCATTERS)
def test_the_copy_keeps_strides_and_offset(name):
    whole = torch.arange(24.0).reshape(3, 8)
    x = whole[1:, ::2]
    for _ in range(3):
        made = replaced(name, x)
        assert made.stride() == (8, 2) and made.storage_offset() == 8
        assert made.untyped_storage().nbytes() == 96 and not made._is_view()
        assert whole.tolist() == torch.arange(24.0).reshape(3, 8).tolist()
    expanded = torch.ones(1, 4).expand(2, 4)
    assert replaced(name, expanded).stride() == (4, 1)


@pytest.mark.parametrize("name", SCATTERS)
def test_gradients_go_to_both(name):
    shape, where = SCATTERS[name]
    x = torch.ones(2, 4, requires_grad=True)
    src = torch.ones(shape, requires_grad=True)
    weight = torch.arange(8.0).reshape(2, 4)
    made = getattr(x, name)(src, *where)
    title = "".join(word.title() for word in name.split("_"))
    assert made.grad_fn.name() == f"{title}Backward0"
    (made * weight).sum().backward()
    kept = getattr(torch.ones(2, 4), name)(torch.zeros(shape), *where)
    assert x.grad.tolist() == (kept * weight).tolist()
    assert src.grad.flatten().tolist() == weight[kept == 0].tolist()


@pytest.mark.parametrize("name", ["select_scatter", "slice_scatter"])
def test_complex_histories_are_refused(name):
    x = torch.ones(2, 4, dtype=torch.complex64)
    assert replaced(name, x).sum().real.item() > 8
    words = f"{name} does not support automatic differentiation for outputs with complex dtype"
    with pytest.raises(RuntimeError, match=words):
        replaced(name, x.requires_grad_())


def test_rotations_are_no_views():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    for turns in (1, 3, -1):
        made = x.rot90(turns, (0, 1))
        assert made._base is None and x.detach().rot90(turns, (0, 1))._base is None
        assert made.grad_fn.name() == "Rot90Backward0"
        weight = torch.arange(6.0).reshape(3, 2)
        (grad,) = torch.autograd.grad((made * weight).sum(), x)
        assert grad.tolist() == weight.rot90(-turns, (0, 1)).tolist()
