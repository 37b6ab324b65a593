"""An operator on a nested tensor is the operator on each of its elements."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

LAYOUTS = [torch.jagged, torch.strided]
SIZES = [2, 4, 0, 1]


def parts(width=(3,), sizes=SIZES):
    torch.manual_seed(0)
    return [torch.randn(n, *width) for n in sizes]


def nested(layout, *width, sizes=SIZES):
    return torch.nested.nested_tensor(parts(width or (3,), sizes), layout=layout)


def check(found, wanted):
    wanted = list(wanted)
    assert found.is_nested and found.size(0) == len(wanted)
    for x, y in zip(found.unbind(), wanted):
        assert x.shape == y.shape and x.dtype is y.dtype
        torch.testing.assert_close(x, y)


def inferred(x):
    with torch.inference_mode():
        return x * 2


ELEMENTWISE = {
    "sin": lambda x: x.sin(),
    "number": lambda x: x * 2 - 1,
    "reflected": lambda x: 1 - x,
    "itself": lambda x: x + x * 0.5,
    "row": lambda x: x * torch.arange(3.0),
    "gelu": lambda x: F.gelu(x),
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "comparison": lambda x: x > 0,
    "where": lambda x: torch.where(x > 0, x, x * 2),
    "masked_fill": lambda x: x.masked_fill(x > 0, 7.0),
    "addcmul": lambda x: torch.addcmul(x, x, x),
    "type": lambda x: x.to(torch.float64),
    "half": lambda x: x.half(),
    "zeros": lambda x: torch.zeros_like(x),
    "full": lambda x: torch.full_like(x, 3, dtype=torch.int64),
    "clone": lambda x: x.clone(),
    "detach": lambda x: x.detach(),
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "cumsum": lambda x: x.cumsum(-1),
    "flip": lambda x: x.flip(-1),
    "layer_norm": lambda x: F.layer_norm(x, (3,), torch.arange(3.0), torch.ones(3)),
    "rms_norm": lambda x: F.rms_norm(x, (3,)),
    "linear": lambda x: F.linear(x, torch.arange(6.0).reshape(2, 3), torch.ones(2)),
    "matmul": lambda x: x @ torch.arange(6.0).reshape(3, 2),
    "sum": lambda x: x.sum(-1, keepdim=True),
    "count": lambda x: x.count_nonzero(-1),
    "normalized": lambda x: F.normalize(x, dim=-1),
    "inference": inferred,
    "amax": lambda x: x.amax(-1),
    "var": lambda x: x.var(-1),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=-1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "squeeze": lambda x: x.unsqueeze(-1).squeeze(-1),
    "last": lambda x: x[..., 1],
    "transposed": lambda x: x.transpose(-1, -2),
    "contiguous": lambda x: x.transpose(-1, -2).contiguous(),
    "dropout": lambda x: F.dropout(x, 0.5, training=False),
    "cat": lambda x: torch.cat([x, x * 2], -1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_along_what_all_elements_share(name, layout):
    function = ELEMENTWISE[name]
    x = nested(layout)
    check(function(x), map(function, x.unbind()))


@pytest.mark.parametrize("name", ["sin", "itself", "softmax", "linear", "cat", "transposed"])
def test_holes_between_elements(name):
    rows = torch.arange(30.0).reshape(3, 5, 2) / 7
    x = torch.nested.narrow(
        rows, 1, torch.tensor([0, 1, 2]), torch.tensor([2, 3, 1]), layout=torch.jagged
    )
    assert not x.is_contiguous() and x.numel() == 12
    function = {
        "linear": lambda x: F.linear(x, torch.arange(6.0).reshape(3, 2)),
    }.get(name, ELEMENTWISE[name])
    check(function(x), map(function, x.unbind()))
    check(x.contiguous(), x.unbind())
    assert x.sum().item() == pytest.approx(sum(e.sum().item() for e in x.unbind()))


RAGGED = {
    "sum": lambda x, d: x.sum(d),
    "mean": lambda x, d: x.mean(d, keepdim=True),
    "prod": lambda x, d: x.prod(d),
    "any": lambda x, d: (x > 0).any(d),
    "logsumexp": lambda x, d: x.logsumexp(d),
}


@pytest.mark.parametrize("name", RAGGED)
def test_reductions_of_the_ragged_dimension_are_dense(name):
    x = nested(torch.jagged)
    found = RAGGED[name](x, 1)
    wanted = torch.stack([RAGGED[name](e, 0) for e in x.unbind()])
    assert not found.is_nested
    torch.testing.assert_close(found, wanted, equal_nan=True)


def test_softmax_and_scans_of_the_ragged_dimension():
    x = nested(torch.jagged, sizes=[2, 4, 1])
    check(x.softmax(1), [e.softmax(0) for e in x.unbind()])
    check(x.cumsum(1), [e.cumsum(0) for e in x.unbind()])
    values, places = x.max(1)
    assert values.shape == (3, 3) and places.tolist() == [e.max(0)[1].tolist() for e in x.unbind()]


def test_layers_over_the_ragged_dimension():
    x = nested(torch.jagged, sizes=[2, 4, 1])
    check(F.layer_norm(x, x.shape[1:]), [F.layer_norm(e, e.shape) for e in x.unbind()])


def test_whole_reductions():
    for layout in LAYOUTS:
        x = nested(layout)
        whole = torch.cat([e.reshape(-1) for e in x.unbind()])
        torch.testing.assert_close(x.sum(), whole.sum())
        torch.testing.assert_close(x.mean(), whole.mean())
        assert x.max() == whole.max() and (x > -9).all()
    x = nested(torch.jagged)
    torch.testing.assert_close(x.sum((0, 1)), x.values().sum(0))
    assert x.sum((0, 1), keepdim=True).shape == (1, 1, 3)


def test_a_dense_row_for_each_element():
    rows = torch.arange(12.0).reshape(4, 1, 3)
    for layout in LAYOUTS:
        x = nested(layout)
        check(x * rows, [e * r for e, r in zip(x.unbind(), rows)])
    x = nested(torch.jagged, 2, 3).transpose(1, 2)
    rows = torch.arange(8.0).reshape(4, 2, 1, 1)
    check(x + rows, [e + r for e, r in zip(x.unbind(), rows)])


def test_products():
    x = nested(torch.jagged)
    batch = torch.arange(24.0).reshape(4, 3, 2)
    check(x @ batch, [e @ m for e, m in zip(x.unbind(), batch)])
    inner = x.transpose(1, 2) @ x
    torch.testing.assert_close(inner, torch.stack([e.t() @ e for e in x.unbind()]))
    with pytest.raises(RuntimeError, match="not supported between inputs of shapes"):
        x @ x.transpose(1, 2)
    y = nested(torch.strided)
    check(y @ y.transpose(1, 2), [e @ e.t() for e in y.unbind()])
    check(torch.bmm(y, y.transpose(1, 2)), [e @ e.t() for e in y.unbind()])


def test_embedding_and_masked_select():
    index = torch.nested.nested_tensor(
        [torch.tensor([0, 2]), torch.tensor([1, 1, 0])], layout=torch.jagged
    )
    weight = torch.arange(8.0).reshape(4, 2)
    check(F.embedding(index, weight), [weight[i] for i in index.unbind()])
    check(torch.masked_select(index, index > 0), [e[e > 0] for e in index.unbind()])
    check(F.one_hot(index, 3), [F.one_hot(e, 3) for e in index.unbind()])


def test_changes_in_place():
    for layout in LAYOUTS:
        x = nested(layout)
        before, version = [e.clone() for e in x.unbind()], x._version
        assert x.mul_(2).add_(x).sin_() is x and x._version > version
        check(x, [(e * 4).sin() for e in before])
        x.copy_(nested(layout))
        check(x, before)
        x.fill_(3)
        assert x.unbind()[0].eq(3).all()
        x[1].zero_()
        assert x.unbind()[1].eq(0).all()


def test_padding():
    x = nested(torch.jagged, sizes=[2, 4, 1])
    dense = x.to_padded_tensor(9.0)
    assert dense.shape == (3, 4, 3) and dense[0, 2:].eq(9).all()
    assert torch.equal(dense[1], x[1])
    assert torch.nested.to_padded_tensor(x, 0.0, (3, 6, 3)).shape == (3, 6, 3)
    y = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 1)])
    assert y.to_padded_tensor(0.0).shape == (2, 3, 4)
    with pytest.raises(RuntimeError, match="Truncation is not supported"):
        y.to_padded_tensor(0.0, (2, 2, 4))


def test_attention():
    torch.manual_seed(0)
    x = [torch.randn(n, 2, 8) for n in (3, 5, 1)]
    dense = [e.transpose(0, 1)[None] for e in x]
    for layout in LAYOUTS:
        q = torch.nested.nested_tensor(x, layout=layout).transpose(1, 2)
        for options in ({}, {"is_causal": True}, {"scale": 0.2}):
            found = F.scaled_dot_product_attention(q, q, q, **options)
            wanted = [F.scaled_dot_product_attention(e, e, e, **options)[0] for e in dense]
            check(found, wanted)
    with pytest.raises(ValueError, match="Masks are not yet supported"):
        q = torch.nested.nested_tensor(x, layout=torch.jagged).transpose(1, 2)
        F.scaled_dot_product_attention(q, q, q, torch.ones(3, 3))


def test_several_heads():
    torch.manual_seed(0)
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    for layout in LAYOUTS:
        x = nested(layout, 8, sizes=[3, 5])
        made, _ = attention(x, x, x, need_weights=False)
        check(made, [attention(e, e, e, need_weights=False)[0] for e in x.unbind()])
    with pytest.raises(AssertionError, match="need_weights was True"):
        attention(x, x, x)


def test_encoders_leave_padding_out():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2).eval()
    x, kept = torch.randn(2, 5, 8), [5, 3]
    padding = torch.arange(5)[None] >= torch.tensor(kept)[:, None]
    with torch.no_grad():
        made = encoder(x, src_key_padding_mask=padding)
        for k, n in enumerate(kept):
            torch.testing.assert_close(made[k, :n], encoder(x[k : k + 1, :n])[0])
        assert made[1, 3:].eq(0).all()
    # With gradients, padded places are computed like the others.
    assert encoder(x, src_key_padding_mask=padding)[1, 3:].ne(0).any()


def test_an_encoder_says_why_it_pads():
    layer = torch.nn.TransformerEncoderLayer(8, 2)
    with pytest.warns(UserWarning, match="batch_first was not True"):
        assert not torch.nn.TransformerEncoder(layer, 1).use_nested_tensor


REFUSED = {
    "ragged": (lambda x: x.chunk(2, 1), "chunk.*: not supported for NestedTensor on ragged dim"),
    "batch": (lambda x: x.split(1, 0), "split.*: not supported for NestedTensor on dim=0"),
    "transposed": (lambda x: x.transpose(0, 1), "not supported on the batch dimension"),
    "reduced": (lambda x: x.sum(0), "along the batch dimension but not the ragged"),
    "both": (lambda x: x.sum((1, 2)), "along a ragged and non-batch dimension"),
    "view": (lambda x: x.view(-1), "cannot view shape"),
    "shapes": (
        lambda x: x + torch.ones(2, 1, 3),
        "cannot call binary pointwise function add.Tensor",
    ),
    "lengths": (lambda x: x + nested(torch.jagged), "cannot call binary pointwise function"),
    "numpy": (lambda x: x.numpy(), "not supported for tensor subclasses"),
    "other": (lambda x: x.nonzero(), "aten.nonzero"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    function, message = REFUSED[name]
    with pytest.raises((RuntimeError, ValueError, NotImplementedError), match=message):
        function(nested(torch.jagged))


REFUSED_STRIDED = {
    "unbind": (lambda x: x.unbind(1), "can only be unbound along dimension 0 got dimension 1"),
    "sum": (lambda x: x.sum(0), "can only be reduced across the last dimension"),
    "view": (lambda x: x.view(-1), "cannot change or infer the implicit batch dimension"),
    "sizes": (lambda x: x.view(4, 2, 2), r"shape '\[4, 2, 2\]' is invalid for input of size"),
    "unsqueeze": (lambda x: x.unsqueeze(0), "unsqueezing dimension 0 is not supported"),
    "squeeze": (lambda x: x.squeeze(), "squeeze without the dim argument"),
    "chunk": (lambda x: x.chunk(2, -1), "trailing dimension divisible by chunks, got: 3 % 2 != 0"),
    "select": (lambda x: x[9], "index 9 is out of bounds for dimension 0 with size 4"),
    "linear": (lambda x: F.linear(x, torch.ones(2, 2)), "Shape mismatch for NestedTensor Linear"),
    "norm": (lambda x: F.layer_norm(x, (2, 3)), "extends into irregular dimensions"),
    "cat": (lambda x: torch.cat([x, torch.ones(4, 2, 3)]), "Expected each tensor"),
    "product": (lambda x: x @ x, "0-th nested matrices in batch cannot be multiplied"),
    "add": (
        lambda x: x + nested(torch.strided, sizes=[1, 2, 3, 4]),
        "add does not support broadcasting when given a NestedTensor",
    ),
    "softmax": (lambda x: x.softmax(0), "Cannot apply softmax across nested dimension 0"),
}


@pytest.mark.parametrize("name", REFUSED_STRIDED)
def test_refused_for_strided_ones(name):
    function, message = REFUSED_STRIDED[name]
    with pytest.raises((RuntimeError, IndexError), match=message):
        function(nested(torch.strided, sizes=[2, 4, 3, 1]))


def test_changes_in_place_leave_what_lies_between_alone():
    rows = torch.arange(30.0).reshape(3, 5, 2)
    before = rows.clone()
    x = torch.nested.narrow(
        rows, 1, torch.tensor([0, 1, 2]), torch.tensor([2, 3, 1]), layout=torch.jagged
    )
    x.mul_(0)
    assert rows[0, :2].eq(0).all() and torch.equal(rows[0, 2:], before[0, 2:])
    y = nested(torch.strided)
    whole = [e.clone() for e in y.unbind()]
    y.chunk(3, -1)[1].zero_()
    for e, w in zip(y.unbind(), whole):
        assert e[:, 1].eq(0).all() and torch.equal(e[:, ::2], w[:, ::2])


def test_operands_of_other_ranks_do_not_fit():
    x = nested(torch.jagged, 2, 3)
    with pytest.raises(RuntimeError, match="cannot call binary pointwise function"):
        x + x.sum(-1)
    check(x + x.sum(-1, keepdim=True), [e + e.sum(-1, keepdim=True) for e in x.unbind()])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_vmap_goes_through_the_elements(layout):
    x, rows = nested(layout, sizes=[2, 4]), torch.arange(6.0).reshape(2, 3)
    found = torch.vmap(lambda e, row: e * row)(x, rows)
    assert found.layout is torch.strided
    check(found, [e * r for e, r in zip(x.unbind(), rows)])
    with pytest.raises(RuntimeError, match="can only be vmapped over dim=0"):
        torch.vmap(torch.sin, in_dims=2)(x)
