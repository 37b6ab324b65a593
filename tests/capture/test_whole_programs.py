"""What is one graph where a program asks for one: elements as symbols, constants of numpy, Python's own iterators."""

from __future__ import annotations

import collections
import inspect
import itertools
import os

import numpy as np
import pytest

import rushlight as torch
from rushlight._dynamo.exc import Unsupported

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)
X = torch.arange(12.0).reshape(3, 4) / 7 - 0.5
NUMBER = np.float32(3)
TABLE = np.arange(4.0, dtype=np.float32)
SEEN: list[object] = []


def _same(a, b):
    if isinstance(a, torch.Tensor):
        return a.dtype is b.dtype and torch.allclose(a, b, equal_nan=True)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, (np.ndarray, np.generic)):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


def _check(function, *inputs, backend="eager", whole=True):
    """The same for each input as without `compile`, in results and in what is seen."""
    torch._dynamo.reset()
    made = torch.compile(function, backend=backend, fullgraph=whole)
    for x in inputs:
        SEEN.clear()
        wanted, seen = function(x), [*SEEN]
        SEEN.clear()
        assert _same(made(x), wanted) and seen == SEEN


# -- elements --


def item(x):
    return x * x.sum().item()


def places(x):
    found = x.nonzero()
    return found + found.shape[0]


def chosen(x):
    return torch.cat([x[x > 0], x[x < 0]]).exp().sum()


def distinct(x):
    return torch.unique(x).sum()


def listed(x):
    first, second = x[0].tolist()[:2]
    return x * first + second


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("function", [item, places, chosen, distinct, listed])
def test_elements_are_symbols(function, backend):
    _check(function, X, X + 1, X - 1, backend=backend)
    _check(function, X, X + 1, X - 1, backend=backend, whole=False)


def test_a_branch_on_an_element_is_none():
    with pytest.raises(Unsupported, match="Could not guard on data-dependent expression"):
        torch.compile(lambda x: x if x.sum().item() > 3 else x + 1, fullgraph=True)(X)


# -- numpy --


def numpy_of_constants(x):
    return x * float(np.sqrt(2.0)) + np.pi, x.view(int(np.prod(x.shape))) * np.int64(3)


def numpy_of_numbers_of_the_program(x):
    return x / np.log(NUMBER) + NUMBER.item()


def numbers_as_results(x):
    return np.float32(x.shape[0]), np.array([1, 2]), np.sqrt(np.arange(3.0))


def tensors_of_arrays(x):
    given = torch.tensor(np.linspace(0, 1, 4), dtype=torch.float32)
    return x + given + torch.as_tensor(np.eye(4)[0]) + torch.from_numpy(np.arange(4.0))


def arrays_that_change(x):
    array = np.arange(4.0)
    array[1] = 7
    array *= 2
    return x + torch.from_numpy(array.astype(np.float32)) + float(array.sum()) + array.shape[0]


def table_of_the_program(x):
    return x + torch.from_numpy(TABLE)


def a_tensor_that_changes(x):
    tensor = torch.from_numpy(np.arange(4.0))
    tensor.add_(1)
    return x + tensor


@pytest.mark.parametrize(
    "function",
    [
        numpy_of_constants, numpy_of_numbers_of_the_program, numbers_as_results, tensors_of_arrays,
        arrays_that_change, a_tensor_that_changes, table_of_the_program,
    ],
)  # fmt: skip
def test_numpy_of_constants(function):
    _check(function, X, torch.cat([X, X]), X)


def array_shared_with_a_tensor(x):
    array = np.arange(4.0)
    tensor = torch.from_numpy(array)
    array[0] = 9
    return x + tensor, array


def tensor_shared_with_an_array(x):
    array = np.arange(4.0)
    torch.from_numpy(array).add_(1)
    return x + float(array[0])


def array_behind_a_graph(x):
    array, twice = np.arange(4.0), x * 2
    torch._dynamo.graph_break()
    array[0] = 5
    return twice + torch.from_numpy(array), array


def random_numbers(x):
    return x + 0 * np.random.rand()


@pytest.mark.parametrize(
    "function",
    [
        array_shared_with_a_tensor, tensor_shared_with_an_array, array_behind_a_graph, random_numbers,
    ],
)  # fmt: skip
def test_arrays_that_end_graphs(function):
    with pytest.raises(Unsupported):
        torch.compile(function, backend="eager", fullgraph=True)(X)
    _check(function, X, torch.cat([X, X]), X, whole=False)


# -- iterators, generators, classes --


def groups(x):
    found = itertools.groupby([1, 1, 2], lambda n: n > 1)
    return x * sum(len(list(group)) * (1 + key) for key, group in found)


def longest(x):
    return sum(a * b for a, b in itertools.zip_longest([x, x], [1, 2, 3], fillvalue=3))


def neighbours(x):
    return sum(a * b for a, b in itertools.pairwise([x, x + 1, x + 2]))


def tees(x):
    a, b = itertools.tee(n for n in (x, x + 1))
    return next(a) + next(a) * 2 + next(b) * 4


def endless_tees(x):
    a, b = itertools.tee(itertools.count())
    return x * next(a) + next(a) + next(b)


def compressed(x):
    return sum(itertools.compress([x, x + 1], [0, 1]))


def named_tuples(x):
    kind = collections.namedtuple("Pair", ["a", "b"], defaults=[2])
    pair = kind(x)
    return pair._replace(b=3).b * pair.a + len(kind._fields)


def closed(x):
    def inner():
        try:
            yield x
        finally:
            SEEN.append("inner")

    def outer():
        try:
            yield from inner()
            SEEN.append("never")
        finally:
            SEEN.append("outer")

    generator = outer()
    found = next(generator)
    generator.close()
    SEEN.append(next(generator, "done"))
    return found + 1


def not_closed(x):
    def stubborn():
        try:
            yield x
        except GeneratorExit:
            yield 5

    generator = stubborn()
    next(generator)
    try:
        generator.close()
    except RuntimeError as error:
        SEEN.append(str(error))
    return x * 2


@pytest.mark.parametrize(
    "function",
    [
        groups, longest, neighbours, tees, endless_tees, compressed, named_tuples, closed, not_closed,
    ],
)  # fmt: skip
def test_iterators_and_generators(function):
    _check(function, X, X + 1)


# -- distributions --


def normal(x):
    return torch.distributions.Normal(x, torch.ones_like(x)).log_prob(x + 1)


def categorical(x):
    found = torch.distributions.Categorical(logits=x)
    return found.log_prob(torch.tensor([0, 1, 2])) + found.entropy()


def divergence(x):
    return torch.distributions.kl_divergence(
        torch.distributions.Normal(x, 1.0), torch.distributions.Normal(0.0, 1.0)
    )


@pytest.mark.parametrize("function", [normal, categorical, divergence])
def test_distributions_are_not_checked_in_graphs(function):
    _check(function, X, X + 1)


def test_distributions_are_checked_where_a_program_asks_for_it():
    def asked(x):
        return torch.distributions.Normal(x, -x.exp(), validate_args=True).mean

    with pytest.raises(ValueError, match="scale"):
        torch.compile(asked, backend="eager")(X)


# -- what is told --


def test_reasons_have_the_lines_of_the_program():
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    told = torch._dynamo.explain(function)(X)
    (reason,) = told.break_reasons
    assert reason.reason.startswith("the program asks for it") and reason.graph_break
    (frame,) = reason.user_stack
    assert (frame.name, frame.line) == ("function", "torch._dynamo.graph_break()")
    lines = str(told).splitlines()
    assert lines[3:5] == ["Break Reasons:", "  Break Reason 1:"] and "Graph Break Count: 1" in lines


# -- blocks --


def within_inference_mode(x):
    with torch.inference_mode():
        y = x * 2
    return y + 1


@torch.inference_mode()
def doubled(x):
    return x * 2


def calls_a_decorated_function(x):
    return doubled(x) + 1


def chosen_attention(x):
    with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):
        SEEN.append(torch.backends.cuda.flash_sdp_enabled())
        return torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize(
    "function", [within_inference_mode, calls_a_decorated_function, chosen_attention]
)
def test_blocks(function, backend):
    _check(function, X, X + 1, backend=backend)
    assert torch.backends.cuda.flash_sdp_enabled()


def test_inference_mode_around_a_graphs_end():
    def function(x):
        with torch.inference_mode():
            y = x * 2
            SEEN.append(torch.is_inference_mode_enabled())
            torch._dynamo.graph_break()
            SEEN.append((y.is_inference(), torch.is_grad_enabled()))
            y = y + 1
        SEEN.append(torch.is_inference_mode_enabled())
        return y + x.sum()

    _check(function, X, X + 1, whole=False)
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_gradients_behind_inference_mode():
    def function(x):
        with torch.inference_mode():
            scale = x.abs().amax() + 1
        return (x / scale.clone()).sum()

    for backend in ("eager", "inductor"):
        plain, compiled = X.clone().requires_grad_(), X.clone().requires_grad_()
        function(plain).backward()
        torch.compile(function, backend=backend, fullgraph=True)(compiled).backward()
        assert torch.allclose(plain.grad, compiled.grad)


# -- functions of Python's library --


def lists_of_rows(x):
    found = []
    found.extend(x)
    return torch.stack(list(x)) + sum(tuple(x)) + found[1]


def _any_arguments(first, *rest, factor=2, **others):
    pass


SIGNATURE = inspect.signature(_any_arguments)


def bound_arguments(x):
    bound = SIGNATURE.bind(1, x, 3, z=4)
    bound.apply_defaults()
    bound.arguments["factor"] += 1
    return bound.args[1] * bound.kwargs["factor"] * bound.kwargs["z"] + bound.arguments["first"]


def arguments_that_do_not_fit(x):
    try:
        SIGNATURE.bind()
    except TypeError as error:
        return x * len(str(error))


class Scaled:
    factor = property(lambda self: 3)


def properties_by_hand(x):
    return x * Scaled.factor.__get__(Scaled())


def environment(x):
    return x * len(os.getenv("OF_NO_PROGRAM", "none")) * (os.getenv("OF_NO_PROGRAM") is None)


@pytest.mark.parametrize(
    "function",
    [
        lists_of_rows,
        bound_arguments,
        arguments_that_do_not_fit,
        properties_by_hand,
        environment,
    ],
)
def test_functions_of_the_library(function):
    _check(function, X, X + 1)


def test_bound_arguments_behind_a_graphs_end():
    def function(x):
        bound = SIGNATURE.bind(1, x, 3, z=4)
        torch._dynamo.graph_break()
        bound.apply_defaults()
        return bound.arguments["rest"][0] * bound.kwargs["factor"]

    _check(function, X, X + 1, whole=False)


def test_the_environment_is_guarded(monkeypatch):
    made = torch.compile(environment, backend="eager")
    assert torch.equal(made(X), X * 4)
    monkeypatch.setenv("OF_NO_PROGRAM", "123")
    assert torch.equal(made(X), X * 0)
