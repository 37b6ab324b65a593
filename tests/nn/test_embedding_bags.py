"""Bags of a table's vectors: what they leave out, who gets gradients, what is refused."""

import pytest

import rushlight as torch

F = torch.nn.functional
BAGS = torch.tensor([3, 1, 1, 1, 4, 0]), torch.tensor([0, 0, 3, 3, 6])


def table(kind=torch.float32):
    return torch.arange(10, dtype=kind).view(5, 2).requires_grad_()


def test_bags_of_given_vectors():
    bags = torch.nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="sum", padding_idx=2)
    assert not bags.weight.requires_grad
    assert bags(torch.tensor([[0, 1, 2], [0, 0, 1]])).tolist() == [[1, 1, 0], [2, 1, 0]]
    trained = torch.nn.EmbeddingBag.from_pretrained(torch.eye(3), freeze=False)
    assert trained.weight.requires_grad
    with pytest.raises(AssertionError, match="expected to be 2-dimensional"):
        torch.nn.EmbeddingBag.from_pretrained(torch.ones(3))


def test_what_lies_behind_the_last_bag_is_in_none():
    inside = torch.tensor([3, 1, 1, 4, 0]), torch.tensor([0, 2, 4])
    made = F.embedding_bag(inside[0], table(), inside[1], mode="sum", include_last_offset=True)
    assert made.tolist() == [[8, 10], [10, 12]]
    made = F.embedding_bag(inside[0], table(), inside[1], mode="max", include_last_offset=True)
    assert made.tolist() == [[6, 7], [8, 9]]


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_sparse_gradients_leave_out_what_pads(mode):
    weight = table()
    F.embedding_bag(
        BAGS[0], weight, BAGS[1], mode=mode, padding_idx=1, sparse=True
    ).sum().backward()
    assert weight.grad._indices().tolist() == [[3, 4, 0]]
    other = table()
    F.embedding_bag(BAGS[0], other, BAGS[1], mode=mode, padding_idx=1).sum().backward()
    assert torch.equal(weight.grad.to_dense(), other.grad)


def test_the_first_of_the_largest_gets_the_gradient():
    weight = torch.tensor([[1.0, 5.0], [1.0, 2.0], [0.0, 5.0]]).requires_grad_()
    made = F.embedding_bag(torch.tensor([2, 1, 0]), weight, torch.tensor([0, 3]), mode="max")
    assert made.tolist() == [[1, 5], [0, 0]]
    made.sum().backward()
    assert weight.grad.tolist() == [[0, 0], [1, 0], [0, 1]]
    nan = torch.tensor([[float("nan")], [1.0]])
    assert F.embedding_bag(torch.tensor([[1, 0]]), nan, mode="max").isnan().all()


def test_sums_of_short_numbers_are_rounded_once():
    weight = torch.full((1, 1), 0.1, dtype=torch.float16)
    many = torch.zeros(1, 3000, dtype=torch.int64)
    made = F.embedding_bag(many, weight, mode="mean")
    assert made.dtype is torch.float16 and made.item() == weight.item()


def test_refused_bags():
    weight = table()
    for row in (5, -6):
        with pytest.raises(RuntimeError, match="within the number of embeddings, -5 through 4"):
            F.embedding_bag(BAGS[0], weight, BAGS[1], padding_idx=row)
        with pytest.raises(AssertionError, match="within num_embeddings"):
            torch.nn.EmbeddingBag(5, 2, padding_idx=row)
    weights = torch.ones(6, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="to have the same type as tensor for argument"):
        F.embedding_bag(BAGS[0], weight, BAGS[1], mode="sum", per_sample_weights=weights)
    with pytest.raises(RuntimeError, match=r"but got torch\.IntTensor instead"):
        F.embedding_bag(BAGS[0], weight.detach().int(), BAGS[1])
