"""Sparse tensors beside PyTorch's: texts, files both ways, the same numbers from the same calls."""

import io
import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

CALLS = [
    "s + s.t()", "s.t() @ d", "s @ d", "d @ s", "s @ s", "s * d", "s * 3", "s / 2", "d + s", "d - s",
    "s.sum()", "s.sum(0)", "m.sparse.sum(s, 1)", "s.coalesce().abs()", "s.sqrt()", "s ** 2",
    "m.sparse.softmax(s, 0)", "m.sparse.log_softmax(s, 1)", "m.cat([s, s], 1)", "m.stack([s, s])",
    "s.index_select(0, m.tensor([2, 0, 2]))", "s.select(1, 2)", "s[1]", "s.narrow_copy(0, 1, 2)",
    "s.unsqueeze(1)", "s.transpose(0, 1)", "d.sparse_mask(s.coalesce())", "d.to_sparse(1)",
    "s.to_sparse_csr()", "s.to_sparse_csr() @ d", "s.to_sparse_csr().to_sparse_csc()",
    "s.to_sparse_csr().t()", "s.to_sparse_csr() * 2", "s.norm()", "s.to(m.float64)",
    "m.sparse.sampled_addmm(s.to_sparse_csr(), d, d)", "m.hspmm(s, d)", "m.spmm(s, d)",
    "m.sparse.mm(s.to_sparse_csr(), d, 'amax')", "m.addmm(d, s, d, beta=2, alpha=3)",
]  # fmt: skip


def both():
    """The same matrices in both libraries."""
    generator = np.random.default_rng(7)
    indices = generator.integers(0, 4, (2, 9))
    values = generator.random(9).astype(np.float32) + 0.5
    dense = generator.random((4, 4)).astype(np.float32)
    for module in (rushlight, torch):
        sparse = module.sparse_coo_tensor(
            module.from_numpy(indices), module.from_numpy(values), (4, 4)
        )
        yield {"m": module, "s": sparse, "d": module.from_numpy(dense)}


@pytest.mark.parametrize("call", CALLS)
def test_the_same_numbers(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, theirs = (eval(call, names) for names in both())
    assert str(mine.layout) == str(theirs.layout) and tuple(mine.shape) == tuple(theirs.shape)
    np.testing.assert_allclose(
        mine.to_dense().numpy(), theirs.to_dense().numpy(), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    "text", ["s", "s.coalesce()", "s.double()", "s.to_sparse_csr()", "d.to_sparse(1)"]
)
def test_the_same_text(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, theirs = (repr(eval(text, names)) for names in both())
    assert mine == theirs


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc"])
@pytest.mark.parametrize("archive", [True, False])
def test_files_both_ways(layout, archive):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, theirs = (n["s"].to_sparse(layout=getattr(n["m"], layout)) for n in both())
        for writer, reader, made in ((rushlight, torch, mine), (torch, rushlight, theirs)):
            file = io.BytesIO()
            parameter = writer.nn.Parameter(made)
            writer.save([made, parameter], file, _use_new_zipfile_serialization=archive)
            file.seek(0)
            for found in reader.load(file, weights_only=True):
                assert str(found.layout) == f"torch.{layout}"
                np.testing.assert_array_equal(
                    found.detach().to_dense().numpy(), made.to_dense().numpy()
                )


@pytest.mark.parametrize("name", ["SparseAdam", "Adagrad", "SGD"])
def test_the_same_steps(name):
    names = [[1, 2, 1], [0, 1, 1], [3, 1, 3]]
    found = []
    for module in (rushlight, torch):
        weight = module.nn.Parameter(module.arange(10.0).reshape(5, 2))
        optimizer = getattr(module.optim, name)([weight], lr=0.1)
        for step in range(6):
            optimizer.zero_grad()
            rows = module.nn.functional.embedding(
                module.tensor(names[step % 3]), weight, sparse=True
            )
            (rows**2).sum().backward()
            optimizer.step()
        found.append(weight.detach().numpy())
    np.testing.assert_allclose(*found, rtol=1e-6)
