"""Calls of operators on distributed tensors, against the same calls on whole ones."""

import itertools
import random

import rushlight as torch
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from rushlight.engine.ops import samples
from rushlight.utils._pytree import tree_flatten, tree_map

# Results that are random or never written, that share memory in their own way, or are no plain tensors.
FAMILIES = {"sampling", "sparse", "quantized", "nested"}
UNWRITTEN = (
    "empty",
    "new_empty",
    "resize",
    "set_",
    "_resize",
    "_fused",
    "_test",
    "_foreach",
    "data",
)


def chosen(family):
    """The samples of a family."""
    for op in samples.every_operator():
        if op.family != family or op.packet_name.startswith(UNWRITTEN):
            continue
        for sample in samples.of_operator(op.base_name):
            yield op, sample


def placements(tensor, draw, size):
    """Placements that a tensor may have, by chance."""
    found = [Replicate(), *(Shard(d) for d in range(tensor.dim()) if tensor.shape[d] > 1)]
    if tensor.is_floating_point():
        found.append(Partial())
    return [draw.choice(found)]


def distributed(values, mesh, draw, size, gradients):
    """The same values with distributed tensors, and these."""
    made = []

    def one(value):
        if not isinstance(value, torch.Tensor):
            return value
        given = distribute_tensor(value.detach(), mesh, placements(value, draw, size))
        if gradients and given.is_floating_point():
            given.requires_grad_()
        made.append(given)
        return given

    return tree_map(one, values), made


def whole(result):
    return tree_map(lambda r: r.full_tensor() if isinstance(r, DTensor) else r, result)


def compare(op, sample, mesh, draw, size):
    """One call with some placements: its results, what it wrote, gradients."""
    call = sample.draw("float64")
    args, kwargs = call.arguments(*[t.clone() for t in call.tensors])
    differentiable = op.schema.kind == "functional"
    plain = tree_map(
        lambda v: (
            v.detach().clone().requires_grad_(differentiable and v.is_floating_point())
            if isinstance(v, torch.Tensor)
            else v
        ),
        (args, kwargs),
    )
    given, tensors = distributed((args, kwargs), mesh, draw, size, differentiable)
    where = [t.placements for t in tensors]
    seen = sample.seen or (lambda r: r)
    wanted = seen(op(*plain[0], **plain[1]))
    found = seen(op(*given[0], **given[1]))
    flat = [t for t in tree_flatten(plain)[0] if isinstance(t, torch.Tensor)]
    torch.testing.assert_close(whole(found), wanted, equal_nan=True, msg=lambda m: f"{where}: {m}")
    if op.schema.mutated:
        for a, b in zip(tensors, flat, strict=True):
            torch.testing.assert_close(a.full_tensor(), b)
    if not differentiable:
        return
    roots = [
        (a, b)
        for a, b in zip(tree_flatten(found)[0], tree_flatten(wanted)[0])
        if isinstance(b, torch.Tensor) and b.requires_grad
    ]
    if not roots:
        return
    try:
        sum(b.abs().sin().sum() for _, b in roots).backward()
    except (RuntimeError, NotImplementedError):
        return  # it has no gradient
    sum(a.full_tensor().abs().sin().sum() for a, _ in roots).backward()
    for a, b in zip(tensors, flat, strict=True):
        if b.grad is not None:
            torch.testing.assert_close(
                a.grad.full_tensor(), b.grad, equal_nan=True, msg=lambda m: f"grad {where}: {m}"
            )


def faults(family, mesh, size, times):
    """What went wrong with a family's operators: their names and the errors."""
    found = {}
    draw = random.Random(0)
    for op, sample in chosen(family):
        call = sample.draw("float64")
        try:
            call.run(*call.tensors)
        except Exception:
            continue
        for _ in range(times):
            try:
                compare(op, sample, mesh, draw, size)
            except Exception as error:
                found.setdefault(sample.title, f"{type(error).__name__}: {error}")
                if "another call" in str(error) or "group is broken" in str(error):
                    return found
    return found


def families():
    names = {op.family for op in samples.every_operator()} - FAMILIES
    return sorted(itertools.chain(names))
