"""`vmap` of every operator, called as its samples say, against a loop over the batch."""

import warnings

import pytest

import rushlight as torch
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import samples
from rushlight.engine.transforms import loop
from rushlight.func import vmap

FAMILIES = sorted({op.family for op in samples.every_operator()})
SIZE = 3
# Results that are random, are never written, or are no tensors.
SKIPPED = {"sampling", "sparse"}
# The offset of `as_strided` is one of the storage.
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout", "as_strided")
# Operators whose results are as large as elements say.
DYNAMIC = (
    "_unique", "_unique2", "nonzero", "nonzero_numpy", "unique_consecutive", "unique_dim",
    "unique_dim_consecutive",
)  # fmt: skip
# What PyTorch refuses as well, or what changes what a tensor is: the beginnings of messages.
REFUSALS = (
    "vmap: It looks like you're",
    *(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap "
        f"over aten::{name}."
        for name in DYNAMIC
    ),
    "vmap over torch.",
    "vmap: Attempted to vmap over `mask` in torch.masked_select",
    "Batching rule not implemented",
    "accessing `data` under vmap",
    "When vmap-ing torch.nn.functional.one_hot",
)
# Operators that go through the batch without their family saying so, if none did so before. Only to become fewer.
MOST_LOOPS = 29


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family and not op.schema.mutated
        for sample in samples.of_operator(op.base_name)
        if not op.packet_name.startswith((*UNWRITTEN, "_test"))
    ]


def leaves(result):
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def batch_of(x, dim):
    """Several tensors like a given one, none of them the same."""
    scale = [1.0, 0.875, 0.75]
    parts = [x * s if x.dtype.category >= FLOATING else x for s in scale]
    return torch.stack(parts, dim)


def differences(sample, dims):
    """What `vmap` gives and what a loop gives; None where nothing can be compared."""
    call = sample.draw()
    given = call.tensors
    chosen = [place for place in range(len(given)) if dims == "all" or place in dims]
    if not given or not chosen or any(is_sparse(x) for x in given):
        return None
    at = [-1 if dims == "all" and place % 2 else 0 for place in range(len(given))]
    batches = [batch_of(x, at[p]) if p in chosen else x for p, x in enumerate(given)]
    in_dims = tuple(at[p] if p in chosen else None for p in range(len(given)))
    expected = []
    for place in range(SIZE):
        one = [x.select(d, place) if d is not None else x for x, d in zip(batches, in_dims)]
        expected.append([x for x in leaves(call.run(*one)) if isinstance(x, Tensor)])
    if not expected[0] or any(len(row) != len(expected[0]) for row in expected):
        return None
    if any(x.shape != y.shape for row in expected for x, y in zip(row, expected[0])):
        return None

    def run(*tensors):
        return tuple(x for x in leaves(call.run(*tensors)) if isinstance(x, Tensor))

    found = vmap(run, in_dims=in_dims)(*batches)
    return [
        (name, x, y)
        for name, (x, y) in enumerate(zip(found, (torch.stack(list(c)) for c in zip(*expected))))
        if x.shape != y.shape
        or x.dtype is not y.dtype
        or not torch.allclose(x.resolve_neg(), y.resolve_neg(), 1e-7, 1e-7, equal_nan=True)
    ]


@pytest.mark.parametrize("dims", ["all", (0,), (1,)], ids=["all", "first", "second"])
@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in SKIPPED])
def test_a_batch_equals_its_elements(family, dims):
    wrong = []
    for sample in samples_of(family):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                alone = sample.draw()
                alone.run(*alone.tensors)
            except NotImplementedError:
                continue
            try:
                if differences(sample, dims):
                    wrong.append(sample.title)
            except Exception as error:
                if not str(error).startswith(REFUSALS):
                    wrong.append(f"{sample.title}: {type(error).__name__}: {error}"[:300])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in SKIPPED])
def test_batches_of_none(family):
    """`vmap` over no element at all gives no element, of the size and type that one would have."""
    wrong = []
    for sample in samples_of(family):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fault = differences_of_none(sample)
            except NotImplementedError:
                continue
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"[:300]
                if fault.split(": ", 1)[1].startswith(REFUSALS):
                    continue
        if fault:
            wrong.append(f"{sample.title}: {fault}")
    assert not wrong, "\n".join(wrong)


def differences_of_none(sample):
    call = sample.draw()
    if not call.tensors or any(is_sparse(x) for x in call.tensors):
        return None
    alone = [x for x in leaves(call.run(*call.tensors)) if isinstance(x, Tensor)]

    def run(*tensors):
        return tuple(x for x in leaves(call.run(*tensors)) if isinstance(x, Tensor))

    found = vmap(run)(*(x.new_empty((0, *x.shape)) for x in call.tensors))
    have = [(tuple(x.shape), x.dtype) for x in found]
    wanted = [((0, *x.shape), x.dtype) for x in alone]
    return have != wanted and f"{have}, expected {wanted}"


def test_few_operators_go_through_the_batch(monkeypatch):
    looped = set()
    monkeypatch.setattr(loop, "note", lambda op: looped.add(op.base_name))
    for family in FAMILIES:
        for sample in samples_of(family) if family not in SKIPPED else ():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    differences(sample, "all")
                except Exception:
                    continue
    assert looped and len(looped) <= MOST_LOOPS, sorted(looped)


def test_operators_of_programs_warn():
    library = torch.library.Library("looped", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x.detach() * 2, "CPU")
    with pytest.warns(UserWarning, match="There is a performance drop"):
        made = vmap(torch.ops.looped.twice)(torch.ones(3))
    assert made.tolist() == [2.0] * 3
