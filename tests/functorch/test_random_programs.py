"""Random programs, run as they are and through `aot_function`: results, gradients, changes and aliases are the same."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.functorch.compile import (
    aot_function,
    default_partition,
    min_cut_rematerialization_partition,
    nop,
)

# Steps of programs. They take the values that there are and the random numbers, and give a new value or None.
Values = list[Any]


def computed(values: Values, choose: random.Random) -> Any:
    x = choose.choice(values)
    return choose.choice([
        lambda: x.sin(), lambda: x * 0.5, lambda: x.exp() * 0.1, lambda: torch.tanh(x), lambda: x.sum(-1, keepdim=True) + x,
        lambda: torch.softmax(x, 0), lambda: x.relu() + x, lambda: x + x.mean(), lambda: x.clone(),
        lambda: torch.where(x > 0, x, x.sin()), lambda: x.cumsum(0), lambda: x.flip(0), lambda: x.contiguous(),
        lambda: x.reshape(x.shape), lambda: torch.cat([x, x])[:x.shape[0]], lambda: x.max(1, keepdim=True)[0] + x,
    ])()  # fmt: skip


def combined(values: Values, choose: random.Random) -> Any:
    x = choose.choice(values)
    others = [y for y in values if y.shape == x.shape]
    y = choose.choice(others)
    return choose.choice([lambda: x * y, lambda: x + y, lambda: x - 2 * y, lambda: x @ y.t() @ y])()


def viewed(values: Values, choose: random.Random) -> Any:
    x = choose.choice(values)
    return choose.choice([
        lambda: x.t(), lambda: x[:1], lambda: x.view(x.shape), lambda: x.unsqueeze(0).squeeze(0), lambda: x[:, 1:],
        lambda: x.transpose(0, 1), lambda: x.narrow(0, 0, 1), lambda: x.split(1)[0], lambda: x.detach(),
        lambda: x.expand(x.shape), lambda: x.view_as(x),
        lambda: x.unbind(0)[0].unsqueeze(0), lambda: x.select(1, 0).unsqueeze(1), lambda: x.chunk(2)[-1],
        lambda: x.diagonal().unsqueeze(0), lambda: x[:1].expand(x.shape), lambda: x.movedim(0, 1).t(), lambda: x.mT,
        lambda: x.flatten().view(x.shape), lambda: x.squeeze(0) if x.shape[0] > 1 else x,
    ])()  # fmt: skip


def changed(values: Values, choose: random.Random) -> Any:
    # What shows elements several times may be filled, but traces refuse it.
    x = choose.choice([x for x in values if 0 not in x.stride()])
    y = choose.choice([y for y in values if y.shape == x.shape])
    choose.choice([
        lambda: x.mul_(0.5), lambda: x.add_(1), lambda: x.add_(y.clone()), lambda: x[:1].mul_(2), lambda: x.zero_(),
        lambda: x.copy_(y.clone()), lambda: x.t().sub_(1), lambda: x.__setitem__(0, 0.25), lambda: x.sigmoid_(),
        lambda: x.detach().add_(1) if not x.requires_grad else x.neg_(), lambda: without_history(x.mul_, 2),
        lambda: x.fill_(y.clone().sum()), lambda: x.masked_fill_(y.clone() > 0, 0.5), lambda: torch.add(x, 1, out=x)
        if not x.requires_grad else x.exp_(), lambda: turned_in_place(x, values),
        lambda: x.diagonal().add_(1), lambda: x.index_fill_(0, torch.tensor([0]), 0.5),
    ])()  # fmt: skip


def turned_in_place(x: Any, values: Values) -> None:
    """Turn a matrix in place, unless it has views: these would be found at other places of what is traced."""
    if x.shape[0] == x.shape[1] and x is values[-1] and all(x is not y for y in values[:-1]):
        x.t_()


def without_history(change: Callable[..., Any], *args: Any) -> None:
    with torch.no_grad():
        change(*args)


STEPS = [computed, computed, combined, viewed, viewed, changed]


def program_of(seed: int, length: int) -> Callable[..., Any]:
    """A program of two or more matrices."""

    def program(*args: Any) -> Any:
        choose = random.Random(seed)
        values: Values = list(args)
        for _ in range(length):
            made = choose.choice(STEPS)(values, choose)
            if made is not None:
                values.append(made)
        count = choose.randint(1, 4)
        return tuple(choose.choice(values) for _ in range(count))

    return program


# Where the elements of an argument lie: in a storage of their own, or among others.
PLACES = [
    lambda x: x,
    lambda x: torch.cat([x, x])[x.shape[0] :],
    lambda x: torch.cat([x, x], 1)[:, ::2],
    lambda x: torch.stack([x, x])[1],
]


def arguments(seed: int, aliased: bool) -> tuple[list[Any], list[Any]]:
    """Leaves, and arguments that are made of them."""
    choose = random.Random(seed)
    torch.manual_seed(seed)
    leaves = [torch.randn(3, 3, requires_grad=choose.random() < 0.6) for _ in range(3)]
    args = [x * 1.0 if x.requires_grad else x.clone() for x in leaves]
    if aliased:
        args.append(choose.choice([lambda x: x.t(), lambda x: x[:1], lambda x: x])(args[0]))
    args[1] = choose.choice(PLACES)(args[1])
    return leaves, args


def outcome(run: Callable[..., Any], seed: int, aliased: bool, changes: bool = False) -> Any:
    """All that can be seen of a run; the type of the error where it fails.

    Args:
        run: the program
        seed: what its arguments are made of
        aliased: whether some share elements
        changes: whether a result is changed before the backward pass
    """
    leaves, args = arguments(seed, aliased)
    try:
        outs = run(*args)
        seen = looked_at(outs, args)
        if changes and not any(shares(outs[0], x) for x in args):
            # What becomes of the others if a result is changed.
            outs[0].mul_(2)
            seen += [x.detach().clone() for x in (*outs, *args)]
        wanted = [x for x in (*outs, *args) if x.requires_grad]
        wants = [x for x in leaves if x.requires_grad]
        if wanted and wants:
            loss = sum((x.cos() * (k + 1)).sum() for k, x in enumerate(wanted))
            grads = torch.autograd.grad(loss, wants, allow_unused=True)
            seen += [torch.zeros(()) if g is None else g for g in grads]
    except RuntimeError as error:
        return type(error)
    return seen


def shares(x: Any, y: Any) -> bool:
    return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())


def looked_at(outs: Any, args: Any) -> list[Any]:
    """Results, what has become of arguments, and which of them show the same elements."""
    seen: list[Any] = []
    for x in (*outs, *args):
        steps = [step for size, step in zip(x.shape, x.stride()) if size > 1]
        seen += [x.detach().clone(), x.requires_grad, x.grad_fn is None, x.shape, steps]
    # Also of what lies beside arguments.
    seen += [x.detach() if x._base is None else x._base.detach().clone() for x in args]
    for k, x in enumerate(outs):
        seen.append([x.data_ptr() == y.data_ptr() for y in (*outs[:k], *args)])
    return seen


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        a, b = torch.broadcast_tensors(a, b)
        return torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
    return bool(a == b)


def working(seed: int, aliased: bool, changes: bool = False) -> tuple[Callable[..., Any], int, Any]:
    """A program that does not fail, what its arguments are made of, and what it does."""
    for attempt in range(seed, seed + 10_000, 100):
        program = program_of(attempt, 3 + seed % 10)
        expected = outcome(program, attempt, aliased, changes)
        if not isinstance(expected, type):
            return program, attempt, expected
    raise AssertionError(f"no program works from {seed} on")


def differs(seed: int, aliased: bool, partition: Any, changes: bool = False) -> str:
    """What a compiled program does otherwise; nothing if it does the same."""
    program, attempt, expected = working(seed, aliased, changes)
    found = outcome(aot_function(program, nop, partition_fn=partition), attempt, aliased, changes)
    if isinstance(found, type) or len(found) != len(expected):
        return f"{attempt}: {found}, not {expected}"
    pairs = zip(expected, found)
    return next((f"{attempt}: {b}, not {a}" for a, b in pairs if not same(a, b)), "")


@pytest.mark.parametrize("partition", [default_partition, min_cut_rematerialization_partition])
@pytest.mark.parametrize("aliased", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_same_as_eager(seed: int, aliased: bool, partition: Any) -> None:
    assert not differs(seed, aliased, partition)


@pytest.mark.parametrize("aliased", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_results_that_are_changed(seed: int, aliased: bool) -> None:
    """Not with values that are computed again in the backward pass: a result may be what they need."""
    assert not differs(seed, aliased, default_partition, changes=True)


def main(first: str, last: str) -> None:
    """Try more programs: python -m tests.functorch.test_random_programs FIRST LAST."""
    ways = [
        (default_partition, False),
        (min_cut_rematerialization_partition, False),
        (default_partition, True),
    ]
    count, wrong = 0, 0
    for seed in range(int(first), int(last)):
        for aliased in (False, True):
            for partition, changes in ways:
                why = differs(seed, aliased, partition, changes)
                count, wrong = count + 1, wrong + bool(why)
                if why:
                    print(seed, aliased, partition.__name__, changes, why[:200])
    print(f"{wrong} of {count} programs differ")


if __name__ == "__main__":
    main(*sys.argv[1:])
