"""What programs check of sizes when they run: what was deferred, and what kernels require of elements' sizes."""

import operator

import pytest

import rushlight as torch
from rushlight._dynamo import config
from rushlight.export import Dim, export

aten = torch.ops.aten


class Squares(torch.nn.Module):
    def forward(self, x, y):
        difference = x.shape[0] ** 2 - y.shape[0] ** 2
        if difference >= 4 and x.shape[0] ** 2 - y.shape[0] ** 2 != 15:
            return x * 2, y * 2
        return x, y


def _exported(module, *sizes):
    shapes = {name: (Dim(f"d{name}"),) for name, _ in zip("xy", sizes)}
    return export(
        module, tuple(map(torch.randn, sizes)), dynamic_shapes=shapes,
        prefer_deferred_runtime_asserts_over_guards=True,
    )  # fmt: skip


def _count(program, target):
    return [node.target for node in program.graph.nodes].count(target)


@pytest.mark.parametrize("without_writes", [False, True])
def test_deferred_guards_are_nodes_that_are_computed_once(without_writes):
    program = _exported(Squares(), 5, 3)
    if without_writes:
        program = program.run_decompositions()
    assert _count(program, operator.pow) == 2
    assert _count(program, aten.sym_size.int) == 2
    assert _count(program, aten._assert_scalar.default) == 2
    module = program.module()
    assert module(torch.ones(9), torch.ones(4))[0].sum() == 18
    message = r"Runtime assertion failed for expression -s17\*\*2 \+ s77\*\*2 >= 4 on node 'le'"
    with pytest.raises(RuntimeError, match=message):
        module(torch.ones(3), torch.ones(4))
    with pytest.raises(RuntimeError, match=r"expression Ne\(-s17\*\*2 \+ s77\*\*2, 15\)"):
        module(torch.ones(4), torch.ones(1))


def test_deferred_guards_can_be_left_out():
    with config.patch(do_not_emit_runtime_asserts=True):
        assert _count(_exported(Squares(), 5, 3), aten._assert_scalar.default) == 0


def test_checks_of_elements_stay_in_programs_that_are_taken_apart():
    class Counts(torch.nn.Module):
        def forward(self, x):
            n = x.sum().item()
            torch._check(n > 2)
            torch._check(n % 3 == 0)
            return torch.zeros(n)

    program = export(Counts(), (torch.ones(3, dtype=torch.int64),)).run_decompositions()
    module = program.module()
    assert module(torch.tensor([1, 2, 3])).shape == (6,)
    for elements, message in (([0, 0, 0], "u0 > 2"), ([1, 1, 2], r"Mod\(u0, 3\), 0\)")):
        with pytest.raises(RuntimeError, match=message):
            module(torch.tensor(elements))


class Rows(torch.nn.Module):
    def forward(self, x, mask):
        rows = x.masked_select(mask).view(-1, 3)
        return rows @ torch.ones(3, 2)


class Two(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x.nonzero().view(-1) * 1.0, y.nonzero().view(-1) * 1.0)


def test_a_size_that_elements_decide_is_a_multiple_where_a_view_needs_it():
    x, mask = torch.randn(4, 3), torch.ones(4, 3, dtype=torch.bool)
    module = export(Rows(), (x, mask)).module()
    torch.testing.assert_close(module(x, mask), Rows()(x, mask))
    mask[0, 0] = False
    with pytest.raises(RuntimeError):
        module(x, mask)
    mask[0] = False
    torch.testing.assert_close(module(x, mask), x[1:] @ torch.ones(3, 2))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b,
        lambda a, b: torch.stack([a, b]),
        lambda a, b: torch.cat([a.view(-1, 1), b.view(-1, 1)], 1),
        lambda a, b: a @ b,
    ],
    ids=["add", "stack", "cat", "dot"],
)
def test_sizes_that_elements_decide_are_equal_where_a_kernel_needs_it(function):
    x, y = torch.tensor([1, 0, 1, 1]), torch.tensor([0, 1, 1, 1])
    program = export(Two(function), (x, y))
    assert _count(program, aten._assert_scalar.default) == 1
    for one in (program, program.run_decompositions()):
        torch.testing.assert_close(one.module()(x, y), Two(function)(x, y))
        with pytest.raises(RuntimeError):
            one.module()(x, torch.tensor([0, 0, 1, 1]))


def test_what_is_checked_makes_other_sizes_equal():
    class Halves(torch.nn.Module):
        def forward(self, x):
            n = x.nonzero().size(0)
            torch._check(n % 4 == 0)
            assert n // 4 * 4 == n
            return torch.stack([torch.zeros(n // 2, 4), torch.zeros(n // 4 * 2, 4)])

    x = torch.ones(8)
    assert export(Halves(), (x,)).module()(x).shape == (2, 4, 4)


def test_a_module_is_known_by_the_path_it_was_reached_by():
    class Adds(torch.nn.Module):
        def forward(self, x):
            return x + 1

    class Many(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one = Adds()
            self.row = torch.nn.Sequential(*(self.one for _ in range(3)))
            self.items = torch.nn.ModuleList([self.one, self.one])
            self.named = torch.nn.ModuleDict({"a": self.one})

        def forward(self, x):
            x = self.one(x)
            for module in self.row[1:3]:
                x = module(x)
            for module in self.items[1:]:
                x = module(x)
            for module in self.named.values():
                x = module(x)
            x = self.row(x)
            return self.items[-1](x)

    model = Many()
    program = export(model, (torch.ones(2),))
    paths = [
        list(node.meta["nn_module_stack"].values())[-1][0]
        for node in program.graph.find_nodes(op="call_function", target=aten.add.Tensor)
    ]
    assert paths == [
        "one", "row.slice(1, 3, None).1", "row.slice(1, 3, None).2", "items.slice(1, None, None).0",
        "named.a", "row.0", "row.1", "row.2", "items.1",
    ]  # fmt: skip
    assert type(model._modules) is dict and type(model.row._modules) is dict
    assert torch.equal(program.module()(torch.zeros(2)), torch.full((2,), 9.0))
