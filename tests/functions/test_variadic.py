"""Functions with call forms of their own, and the default device."""

import inspect

import pytest

import rushlight as torch


def test_varargs():
    a, b = torch.ones(2, 1), torch.ones(3)
    for result in (torch.broadcast_tensors(a, b), torch.broadcast_tensors([a, b])):
        assert [t.shape for t in result] == [(2, 3), (2, 3)]
    x, y = torch.arange(2), torch.arange(3)
    assert [t.tolist() for t in torch.meshgrid(x, y, indexing="ij")] == [
        [[0, 0, 0], [1, 1, 1]],
        [[0, 1, 2], [0, 1, 2]],
    ]
    assert torch.meshgrid([x, y], indexing="xy")[0].tolist() == [[0, 1], [0, 1], [0, 1]]
    assert torch.cartesian_prod(x, x).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert torch.block_diag(x, y).tolist() == [[0, 1, 0, 0, 0], [0, 0, 0, 1, 2]]
    assert torch.atleast_1d(torch.tensor(1)).shape == (1,)
    assert [t.shape for t in torch.atleast_2d(torch.tensor(1), x)] == [(1, 1), (1, 2)]
    with pytest.raises(TypeError, match="element 1"):
        torch.broadcast_tensors(a, 3)


def test_nonzero():
    x = torch.tensor([[0, 1], [2, 0]])
    assert torch.nonzero(x).tolist() == [[0, 1], [1, 0]]
    assert [t.tolist() for t in x.nonzero(as_tuple=True)] == [[0, 1], [1, 0]]
    assert [t.tolist() for t in torch.nonzero(x, as_tuple=True)] == [[0, 1], [1, 0]]


def test_norm():
    x = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
    assert torch.norm(x, dim=1).tolist() == [5.0, 10.0]
    assert x.norm(1).item() == 21.0
    assert x.norm(p="fro", dim=0, keepdim=True).shape == (1, 2)
    assert torch.norm(x, float("inf")).item() == 8.0


def test_small_ones():
    x = torch.arange(6).reshape(2, 3)
    assert torch.numel(x) == 6
    assert torch.typename(x) == "torch.LongTensor" and torch.typename(3) == "int"
    assert [t.tolist() for t in torch.unravel_index(torch.tensor([5, 3]), (2, 3))] == [
        [1, 1],
        [2, 0],
    ]
    small = torch.tensor([5, 3], dtype=torch.int16)
    assert [t.dtype for t in torch.unravel_index(small, (2, 3))] == [torch.int64] * 2
    assert torch.tril_indices(2, 2).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert torch.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]
    assert torch.real(x) is x
    assert torch.imag(torch.tensor([2j])).tolist() == [2.0]
    assert list(reversed(torch.arange(3))) == [2, 1, 0]
    assert [t.tolist() for t in torch.arange(5).split([1, 4])] == [[0], [1, 2, 3, 4]]
    assert torch.ones(2).requires_grad_(False).requires_grad is False


def test_the_default_device_is_honoured():
    for _ in range(3):
        assert torch.ones(2).is_cpu and torch.empty(2).is_cpu and torch.tensor([1]).is_cpu
    with torch.device("meta"):
        for _ in range(3):
            for made in (torch.ones(2), torch.empty(2), torch.tensor([1]), torch.arange(3)):
                assert made.is_meta
        assert torch.ones(2, device="cpu").is_cpu
        assert torch.get_default_device().type == "meta"
    assert torch.ones(2).is_cpu
    torch.set_default_device("meta")
    try:
        assert torch.ones(2).is_meta and torch.full((2,), 1.0).is_meta
    finally:
        torch.set_default_device(None)
    assert torch.ones(2).is_cpu


def test_numbers_that_shape_results_are_not_confused():
    for n in (4, 8, 5):
        assert torch.arange(n).tolist() == list(range(n))
        assert torch.arange(2, n).tolist() == list(range(2, n))
        assert torch.linspace(0, n, 2).tolist() == [0.0, n]
    x = torch.ones(2)
    for a in (1, 2, 3):
        for b in (1, 2, 3):
            assert torch.add(x, a, alpha=b).tolist() == [1 + a * b] * 2
            assert x.clamp(a, b).tolist() == [float(min(max(1, a), b))] * 2


def test_set_default_tensor_type():
    torch.set_default_tensor_type(torch.DoubleTensor)
    try:
        assert torch.ones(1).dtype is torch.float64
        torch.set_default_tensor_type("torch.FloatTensor")
        assert torch.ones(1).dtype is torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("sign", ["__add__", "__radd__", "__rmul__", "__rand__", "__and__"])
def test_methods_behind_signs_belong_to_tensors(sign):
    with pytest.raises(TypeError, match=f"descriptor '{sign}' .* doesn't apply to a 'int'"):
        getattr(torch.Tensor, sign)(1, torch.ones(2, dtype=torch.int64))


def test_a_step_that_is_no_whole_number_may_vanish():
    with pytest.raises(ValueError, match="step must be nonzero"):
        torch.arange(0, 64, 0.5, dtype=torch.int64)
    with pytest.raises(ValueError, match="step must be nonzero"):
        torch.arange(0, 64, 0.5, out=torch.empty(0, dtype=torch.int64))


def test_outputs_of_complex_numbers_have_their_type():
    parts = torch.ones(2, dtype=torch.float64)
    for make in (torch.complex, torch.polar):
        with pytest.raises(RuntimeError, match="type ComplexDouble but got scalar type ComplexF"):
            make(parts, parts, out=torch.empty(2, dtype=torch.complex64))
        out = torch.empty(0, dtype=torch.complex128)
        assert make(parts, parts, out=out) is out


def test_an_output_that_grows_over_the_index():
    index = torch.tensor([0, 1, 2])
    words = "refer to a single memory location"
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError, match=words):
        torch.gather(index.clone(), 0, index[1:], out=index[:1])


def test_remembered_functions_written_in_python_have_signatures():
    cross_entropy = inspect.signature(torch.nn.functional.cross_entropy)
    assert list(cross_entropy.parameters)[:3] == ["input", "target", "weight"]
    assert cross_entropy.parameters["ignore_index"].default == -100
    relu = inspect.signature(torch.nn.functional.relu)
    assert str(relu) == "(input, inplace=False)"
    assert torch.nn.functional.relu.__doc__.startswith("`relu` of every element")
