"""Tensors with a mask: what counts is computed with, and nothing else."""

import pytest

import rushlight as torch
from rushlight.masked import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

pytestmark = pytest.mark.filterwarnings("ignore:.*MaskedTensor")

DATA = torch.arange(12.0).reshape(3, 4) / 5 - 1
MASK = torch.tensor(
    [[True, False, True, True], [False, False, False, False], [True, True, False, True]]
)


def example(**options):
    return masked_tensor(DATA, MASK, **options)


def check(found, data, mask):
    assert is_masked_tensor(found)
    assert torch.equal(found.get_mask(), mask)
    torch.testing.assert_close(found.to_tensor(0), data.masked_fill(~mask, 0))


def test_parts():
    x = example()
    assert isinstance(x, MaskedTensor) and not is_masked_tensor(DATA)
    assert torch.equal(x.get_data(), DATA) and torch.equal(x.get_mask(), MASK)
    assert x.shape == (3, 4) and x.dtype is torch.float32 and x.layout is torch.strided
    assert torch.equal(x.to_tensor(7), torch.where(MASK, DATA, 7.0))
    x.get_data().add_(1)
    assert torch.equal(DATA, torch.arange(12.0).reshape(3, 4) / 5 - 1)


def test_a_prototype_says_so():
    with pytest.warns(UserWarning, match="MaskedTensors is in prototype stage"):
        example()
    with pytest.warns(UserWarning, match="with a tensor that requires_grad"):
        masked_tensor(DATA.clone().requires_grad_(), MASK)


def test_text():
    assert repr(example()[:1]) == (
        "MaskedTensor(\n  [\n    [ -1.0000,       --,  -0.6000,  -0.4000]\n  ]\n)"
    )
    assert repr(example().sum()) == "MaskedTensor(  0.6000, True)"
    assert repr(example()[1].sum()) == "MaskedTensor(--, False)"
    numbers = masked_tensor(torch.arange(3), torch.tensor([True, False, True]))
    assert repr(numbers) == "MaskedTensor(\n  [0,       --, 2]\n)"


ELEMENTWISE = {
    "sin": lambda x: x.sin(),
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "number": lambda x: 1 - x * 2,
    "itself": lambda x: x * x + x,
    "power": lambda x: x**2,
    "dense": lambda x: x * torch.arange(4.0),
    "comparison": lambda x: (x > 0).to(torch.float32),
    "relu": lambda x: torch.relu(x),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    function = ELEMENTWISE[name]
    check(function(example()), function(DATA), MASK)
    sparse = example().to_sparse()
    if name != "dense":
        assert function(sparse).layout is torch.sparse_coo
        check(function(sparse).to_dense(), function(DATA), MASK)
        rows = example().to_sparse_csr()
        assert function(rows).layout is torch.sparse_csr
        check(function(rows).to_dense(), function(DATA), MASK)


MOVED = {
    "transpose": lambda x: x.t(),
    "part": lambda x: x[1:, ::2],
    "index": lambda x: x[torch.tensor([0, 2])],
    "view": lambda x: x.view(-1),
    "moved view": lambda x: x.t().reshape(-1),
    "unsqueeze": lambda x: x.unsqueeze(0).expand(2, 3, 4),
    "cat": lambda x: torch.cat([x, x]),
    "stack": lambda x: torch.stack([x, x], 1),
    "windows": lambda x: x.unfold(1, 2, 1),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_moves_elements_moves_the_mask(name):
    check(MOVED[name](example()), MOVED[name](DATA), MOVED[name](MASK))


REDUCED = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "prod": lambda x: x.prod(),
    "amax": lambda x: x.amax(0),
    "amin": lambda x: x.amin(0),
    "var": lambda x: x.var(0),
    "norm": lambda x: x.norm(),
}


@pytest.mark.parametrize("name", REDUCED)
def test_reductions(name):
    row = masked_tensor(DATA[2], MASK[2])
    torch.testing.assert_close(REDUCED[name](row).get_data(), REDUCED[name](DATA[2][MASK[2]]))


def test_reductions_along_dimensions():
    found = example().sum(1)
    assert found.get_mask().tolist() == [True, False, True]
    check(found, DATA.masked_fill(~MASK, 0).sum(1), MASK.any(1))
    check(
        example().amax(0, keepdim=True),
        DATA.masked_fill(~MASK, -9).amax(0, True),
        MASK.any(0, True),
    )
    assert example().argmax(1).get_data()[2] == 3
    truth = masked_tensor(DATA > 0, MASK)
    assert truth.all(1).get_data().tolist() == [False, True, True]
    sparse = example().to_sparse()
    torch.testing.assert_close(sparse.sum().get_data(), DATA[MASK].sum())
    assert sparse.argmax().get_data() == 11


def test_functions_of_torch_masked_take_them():
    torch.testing.assert_close(torch.masked.sum(example(), 1), torch.masked.sum(DATA, 1, mask=MASK))
    torch.testing.assert_close(torch.masked.mean(example()), DATA[MASK].mean())


def test_softmax_and_where():
    found = example().softmax(1)
    torch.testing.assert_close(found.to_tensor(0)[[0, 2]].sum(1), torch.ones(2))
    found = torch.where(MASK, example(), torch.ones(3, 4))
    check(found, DATA.masked_fill(~MASK, 1), torch.ones_like(MASK))


def test_changes_in_place():
    x = example()
    assert x.add_(1).mul_(x) is x
    check(x, (DATA + 1) ** 2, MASK)


def test_gradients():
    x = example(requires_grad=True)
    (x * x).sin().sum().backward()
    check(x.grad, 2 * DATA * (DATA**2).cos(), MASK)
    x = example(requires_grad=True)
    x.t()[1:].exp().mean(0).sum().backward()
    plain = DATA.clone().requires_grad_()
    torch.masked.mean(plain.t()[1:].exp(), 0, mask=MASK.t()[1:]).nan_to_num(0).sum().backward()
    torch.testing.assert_close(x.grad.to_tensor(0), plain.grad.nan_to_num(0))
    x = example(requires_grad=True)
    x.to_tensor(5.0).sum().backward()
    check(x.grad, torch.ones(3, 4), MASK)
    x = example(requires_grad=True)
    x.to_sparse().sum().backward()
    check(x.grad, torch.ones(3, 4), MASK)


def test_history_of_what_one_is_made_of():
    plain = DATA.clone().requires_grad_()
    as_masked_tensor(plain, MASK).sum().backward()
    check(plain.grad, torch.ones(3, 4), MASK)
    assert not masked_tensor(plain, MASK).requires_grad


WRONG = {
    "mask": (lambda: masked_tensor(DATA, MASK.int()), TypeError, "mask must have dtype bool"),
    "shape": (lambda: masked_tensor(DATA, MASK[:2]), ValueError, "size"),
    "rank": (lambda: masked_tensor(DATA, MASK[0]), ValueError, "dim"),
    "type": (lambda: masked_tensor(3, MASK), TypeError, "data must be a Tensor"),
    "twice": (lambda: masked_tensor(example(), MASK), TypeError, "data must be a Tensor"),
    "layout": (lambda: masked_tensor(DATA.to_sparse(), MASK), TypeError, "same layout"),
    "element": (lambda: masked_tensor(DATA.bfloat16(), MASK), TypeError, "is not supported"),
    "masks": (lambda: example() + masked_tensor(DATA, ~MASK), ValueError, "masks must match"),
    "sort": (lambda: example().sort(), TypeError, "sort"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    function, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        function()
