"""Sparse tensors on a GPU: what they give is what they give on the host."""

from __future__ import annotations

import pytest

import rushlight as torch

INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
VALUES = torch.tensor([3.0, 4.0, 5.0, 0.5])
DENSE = torch.arange(12.0).view(3, 4) / 4 - 1


def coordinates(where):
    return torch.sparse_coo_tensor(INDICES.to(where), VALUES.to(where), (2, 3))


def rows(where):
    return coordinates(where).coalesce().to_sparse_csr()


CALLS = {
    "to_dense": lambda s, d: s.to_dense(),
    "coalesce": lambda s, d: s.to_sparse().coalesce(),
    "transposed": lambda s, d: s.t().to_dense(),
    "sum": lambda s, d: (s + s).to_dense(),
    "times a number": lambda s, d: (s * 2).to_dense(),
    "product of elements": lambda s, d: (s * s).to_dense(),
    "relu": lambda s, d: torch.relu(s).to_dense(),
    "mm": lambda s, d: s @ d,
    "sparse.mm": lambda s, d: torch.sparse.mm(s, d),
    "addmm": lambda s, d: torch.sparse.addmm(d[:2], s, d),
    "mv": lambda s, d: s @ d[:, 0],
    "sparse times sparse": lambda s, d: (s @ s.t()).to_dense(),
    "mask": lambda s, d: d[:2, :3].sparse_mask(s.to_sparse().coalesce()).to_dense(),
    "softmax": lambda s, d: torch.sparse.softmax(s.to_sparse().coalesce(), 1).to_dense(),
    "chosen rows": lambda s, d: s.to_sparse().index_select(0, d.new_tensor([1]).long()).to_dense(),
    "by columns": lambda s, d: s.to_sparse_csc().to_dense(),
    "blocks": lambda s, d: (s.to_dense() @ d).to_sparse_bsr((2, 2)).to_dense(),
    "sampled": lambda s, d: torch.sparse.sampled_addmm(s.to_sparse_csr(), d[:2], d.t()).to_dense(),
}


@pytest.mark.parametrize("make", [coordinates, rows])
@pytest.mark.parametrize("title", CALLS)
def test_calls(cuda, title, make):
    call = CALLS[title]
    if title == "softmax":
        torch.testing.assert_close(
            call(coordinates("cuda"), DENSE.cuda()).cpu(), call(coordinates("cpu"), DENSE)
        )
        return
    found = call(make("cuda"), DENSE.cuda())
    assert found.device == torch.device("cuda:0")
    torch.testing.assert_close(found.cpu().to_dense(), call(make("cpu"), DENSE).to_dense())


@pytest.mark.parametrize("make", [coordinates, rows])
def test_there_and_back(cuda, make):
    here = make("cpu")
    there = here.cuda()
    assert there.device == torch.device("cuda:0") and there.layout is here.layout
    assert there.values().is_cuda if make is rows else there._indices().is_cuda
    torch.testing.assert_close(there.cpu().to_dense(), here.to_dense())
    half = there.to(torch.float16)
    assert half.is_cuda and half.dtype is torch.float16
    assert torch.zeros(2, 3, layout=here.layout, device="cuda")._nnz() == 0


def test_gradients(cuda):
    found = []
    for where in ("cpu", "cuda"):
        s, d = coordinates(where).requires_grad_(), DENSE.to(where).clone().requires_grad_()
        (torch.sparse.mm(s, d) ** 2).sum().backward()
        w = torch.ones(3, 2, device=where, requires_grad=True)
        index = torch.tensor([0, 1, 0], device=where)
        torch.nn.functional.embedding(index, w, sparse=True).sum().backward()
        found.append([x.grad.cpu().to_dense() for x in (s, d, w)])
        assert w.grad.is_sparse
        torch.optim.SGD([w], lr=0.5).step()
        found[-1].append(w.detach().cpu())
    torch.testing.assert_close(*found)


def test_indices_that_lead_outside_are_refused(cuda):
    with pytest.raises(RuntimeError, match="for dim 1, size is 2 but found index 2"):
        torch.sparse_coo_tensor(INDICES.cuda(), VALUES.cuda(), (2, 2))
