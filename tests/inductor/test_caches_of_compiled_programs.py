"""Programs and graphs that were compiled in this process are found again by what decides them."""

import pytest

import rushlight as torch
from rushlight._dynamo.utils import counters
from rushlight._functorch import config as functorch_config
from rushlight._functorch._aot_autograd.autograd_cache import (
    AOTAutogradCache,
    BypassAOTAutogradCache,
)
from rushlight._inductor import config
from rushlight._inductor.codecache import FxGraphCache, compiled_fx_graph_hash
from rushlight._inductor.compile_fx import compile_fx
from rushlight.fx import symbolic_trace


@pytest.fixture(autouse=True)
def empty(monkeypatch, tmp_path):
    # Nor is anything on disk.
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    AOTAutogradCache.clear()
    FxGraphCache.clear()
    counters.clear()
    yield
    torch._dynamo.reset()


def counts():
    found = counters["aot_autograd"]
    return tuple(found[f"autograd_cache_{name}"] for name in ("hit", "miss", "bypass"))


def program(x, w):
    return (x @ w).sin().cos()


def check(compiled, function, *sizes, wants=True):
    x, w = torch.randn(*sizes), torch.randn(sizes[-1], 4, requires_grad=wants)
    found = compiled(x, w)
    torch.testing.assert_close(found, function(x, w))
    if wants:
        (grad,) = torch.autograd.grad(found.sum(), w)
        torch.testing.assert_close(grad, torch.autograd.grad(function(x, w).sum(), w)[0])


def test_a_program_that_is_captured_again():
    # Modules that are loaded on the way may register kernels.
    check(torch.compile(program), program, 2, 4)
    counters.clear()
    for _ in range(3):
        torch._dynamo.reset()
        check(torch.compile(program), program, 3, 4)
    assert counts() == (2, 1, 0)


def test_layers_that_are_compiled_one_by_one():
    class Layer(torch.nn.Module):
        def __init__(self, scale=1.0):
            super().__init__()
            self.linear, self.norm, self.scale = torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), scale

        def forward(self, x):
            return x + torch.relu(self.norm(self.linear(x))) * self.scale

    model = torch.nn.Sequential(Layer(), Layer(), Layer(), Layer(2.0))
    x = torch.randn(3, 8)
    wanted = model(x)
    for layer in model:
        layer.compile()
    torch.testing.assert_close(model(x), wanted)
    hit, miss, bypass = counts()
    assert hit >= 1 and bypass == 0 and hit + miss == 4
    model(x).sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def other_constant(x, w):
    return (x @ w).sin().cos() * 2


def other_constant_of_another_type(x, w):
    return (x @ w).sin().cos() * 2.0


def test_what_decides_is_in_the_key():
    check(torch.compile(program), program, 3, 4)
    changes = [
        lambda: check(torch.compile(program), program, 5, 4),
        lambda: check(torch.compile(program), program, 3, 4, wants=False),
        lambda: check(torch.compile(other_constant), other_constant, 3, 4),
        lambda: check(
            torch.compile(other_constant_of_another_type), other_constant_of_another_type, 3, 4
        ),
    ]
    for change in changes:
        torch._dynamo.reset()
        change()
    torch._dynamo.reset()
    with config.patch(max_fusion_size=1):
        check(torch.compile(program), program, 3, 4)
    torch._dynamo.reset()
    with torch.autocast("cpu"), torch.no_grad():
        found = torch.compile(program)(torch.ones(3, 4), torch.ones(4, 4))
    assert found.dtype is torch.bfloat16
    assert counts() == (0, 7, 0)


def test_arguments_that_share_elements():
    def changed(x, y):
        x.add_(1)
        return y * 2

    for _ in range(2):
        torch._dynamo.reset()
        base = torch.zeros(4)
        assert torch.compile(changed)(base[:3], base[1:]).tolist() == [2.0, 2.0, 0.0]
        torch._dynamo.reset()
        assert torch.compile(changed)(torch.zeros(3), torch.zeros(3)).tolist() == [0.0] * 3


def test_sizes_that_vary():
    for _ in range(2):
        torch._dynamo.reset()
        compiled = torch.compile(program, dynamic=True)
        for rows in (3, 5, 8):
            check(compiled, program, rows, 4)
    assert counts() == (1, 1, 0)


def test_guards_of_sizes_are_part_of_what_is_found():
    def branching(x, w):
        return x @ w if x.shape[0] > 6 else (x @ w).sin()

    for rows in (3, 9, 5, 10):
        torch._dynamo.reset()
        check(torch.compile(branching, dynamic=True), branching, rows, 4)
    assert counts() == (2, 2, 0)


def test_guards_of_other_sizes_are_not_part_of_it():
    def bounded(x, w, limit):
        assert limit.shape[0] * 2 + x.shape[0] > 6
        return x @ w

    for rows in (3, 5):
        torch._dynamo.reset()
        x, w = torch.ones(rows, 4), torch.ones(4, 4)
        compiled = torch.compile(bounded, dynamic=True)
        assert torch.equal(compiled(x, w, torch.ones(9)), x @ w)
    assert counts() == (1, 1, 0)


def test_a_kernel_that_is_registered_later():
    def doubled(x):
        return torch.ops.caches_test.double(x)

    with torch.library._scoped_library("caches_test", "FRAGMENT") as lib:
        lib.define("double(Tensor x) -> Tensor")
        lib.impl("double", lambda x: x * 2, "CompositeImplicitAutograd")
        assert torch.compile(doubled)(torch.ones(2)).tolist() == [2.0, 2.0]
        lib.impl("double", lambda x: x * 3, "CompositeImplicitAutograd", allow_override=True)
        torch._dynamo.reset()
        assert torch.compile(doubled)(torch.ones(2)).tolist() == [3.0, 3.0]


def test_functions_of_programs_are_not_kept():
    factor = 2

    @torch.compiler.allow_in_graph
    def own(x):
        return x * factor

    def calls(x):
        return own(x)

    assert torch.compile(calls)(torch.ones(2)).tolist() == [2.0, 2.0]
    factor = 3
    torch._dynamo.reset()
    assert torch.compile(calls)(torch.ones(2)).tolist() == [3.0, 3.0]
    assert counts() == (0, 0, 2)
    torch._dynamo.reset()
    failed = torch._dynamo.exc.BackendCompilerFailed
    with functorch_config.patch(strict_autograd_cache=True), pytest.raises(failed) as error:
        torch.compile(calls)(torch.ones(2))
    assert isinstance(error.value.inner_exception, BypassAOTAutogradCache)


def test_caches_are_off_where_settings_say_so():
    for setting in ({"fx_graph_cache": False}, {"force_disable_caches": True}):
        with config.patch(setting):
            torch._dynamo.reset()
            check(torch.compile(program), program, 3, 4)
    with functorch_config.patch(enable_autograd_cache=False):
        torch._dynamo.reset()
        check(torch.compile(program), program, 3, 4)
    assert counts() == (0, 0, 0)


def test_hashes_of_graphs():
    one, same, other = (
        symbolic_trace(f) for f in (lambda x: x + 1, lambda y: y + 1, lambda x: x + 1.0)
    )
    x = torch.ones(3)
    key, lines = compiled_fx_graph_hash(one, [x], {}, [])
    assert key == compiled_fx_graph_hash(same, [torch.zeros(3)], {}, [])[0] and lines
    assert key != compiled_fx_graph_hash(other, [x], {}, [])[0]
    assert key != compiled_fx_graph_hash(one, [torch.ones(4)], {}, [])[0]
    assert key != compiled_fx_graph_hash(one, [x], {"cpp_wrapper": True}, [])[0]


def test_constants_tell_graphs_apart():
    """Each graph has the elements that its program has written down."""
    rows = ([2, 1, 3], [2, 1, 4], [2.0, 1.0, 4.0], [[2], [1], [4]])

    def adds(row):
        return lambda x: x + torch.tensor(row)

    def keeps(row):
        def program(x):
            made = torch.tensor(row)
            torch._dynamo.graph_break()
            return made, x

        return program

    x = torch.ones(3)
    for row in (*rows, *rows):
        assert torch.equal(torch.compile(adds(row))(x), x + torch.tensor(row))
        made, _ = torch.compile(keeps(row))(x)
        assert torch.equal(made, torch.tensor(row)) and made.dtype is torch.tensor(row).dtype


def overlapping(a, b):
    a.add_(1)
    return (a + b,)


@pytest.mark.parametrize("has_base", [True, False])
def test_arguments_that_share_elements_are_told_apart_by_all_of_their_memory(has_base):
    def views(memory):
        parts = memory[:4], memory[2:6]
        return parts if has_base else tuple(x.detach() for x in map(torch.Tensor.detach, parts))

    graph = symbolic_trace(overlapping)
    for n in (10, 20, 7):
        memory = torch.arange(float(n))
        expected = memory.clone()
        compiled = compile_fx(graph, list(views(memory)))
        torch.testing.assert_close(compiled(*views(memory)), list(overlapping(*views(expected))))
        torch.testing.assert_close(memory, expected)
    assert counts() == (0, 3, 0)


def test_views_of_other_tensors_are_the_same_program():
    compiled = torch.compile(lambda x: (x * 2).sum())
    for n in (6, 9, 300):
        assert compiled(torch.ones(n, 3)[:5]).item() == 30
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: (x * 2).sum())
    assert counts() == (2, 1, 0)
