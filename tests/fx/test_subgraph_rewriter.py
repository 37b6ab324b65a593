"""Putting one graph in the place of another."""

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.passes.utils.matcher_utils import SubgraphMatcher
from rushlight.fx.subgraph_rewriter import replace_pattern_with_filters


def body(module):
    return [line.strip() for line in module.code.strip().split("\n")[1:]]


def test_every_match_is_replaced():
    module = fx.symbolic_trace(lambda x, y: torch.relu(x + y).sum() + torch.relu(y + x))
    matches = fx.replace_pattern(
        module, lambda a, b: torch.relu(a + b), lambda a, b: torch.sigmoid(a * b)
    )
    assert len(matches) == 2
    assert body(module)[:2] == ["mul = x * y", "sigmoid = torch.sigmoid(mul);  mul = None"]
    module.graph.lint()


def test_matches_one_behind_the_other():
    module = fx.symbolic_trace(lambda x: torch.add(torch.add(x, 1), 1))
    fx.replace_pattern(module, lambda a: torch.add(a, 1), lambda a: torch.mul(a, 3))
    assert module(torch.tensor(2)) == 18


def test_matches_do_not_overlap():
    module = fx.symbolic_trace(lambda x: x.relu().relu().relu())
    assert len(fx.replace_pattern(module, lambda a: a.relu().relu(), lambda a: a.neg())) == 1


def test_values_that_others_use_stay():
    def program(x):
        a = x + 1
        return a * 2, a

    module = fx.symbolic_trace(program)
    assert fx.replace_pattern(module, lambda x: (x + 1) * 2, lambda x: x) == []


def test_literals_count_unless_they_are_ignored():
    for ignored, count in ((False, 0), (True, 1)):
        module = fx.symbolic_trace(lambda x: torch.add(x, 5))
        found = replace_pattern_with_filters(
            module, lambda a: torch.add(a, 1), lambda a: a.neg(), ignore_literals=ignored
        )
        assert len(found) == count


def test_filters_decide():
    module = fx.symbolic_trace(lambda x: (x + 1).relu() + (x + 2).relu())

    def after_two(match, graph, pattern):
        return match.placeholder_nodes[0].args[1] == 2

    found = replace_pattern_with_filters(
        module, lambda a: a.relu(), lambda a: a.sigmoid(), [after_two]
    )
    assert len(found) == 1 and [n.name for n in found[0].replacements] == ["sigmoid"]


def test_modules_of_the_replacement_come_along():
    class Old(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.ReLU()

        def forward(self, x):
            return self.b(self.a(x))

    class New(nn.Module):
        def __init__(self):
            super().__init__()
            self.c = nn.Linear(2, 2)

        def forward(self, x):
            return self.c(x)

    module, new = fx.symbolic_trace(Old()), New()
    fx.replace_pattern(module, Old(), new)
    x = torch.ones(1, 2)
    assert torch.equal(module(x), new(x))
    assert [name for name, _ in module.named_children()] == ["c"]


def test_a_pattern_must_be_one():
    with pytest.raises(ValueError, match="empty pattern"):
        SubgraphMatcher(fx.Graph())
    dead = fx.symbolic_trace(lambda x: (x + 1, x)[1]).graph
    with pytest.raises(AssertionError, match="dead code"):
        SubgraphMatcher(dead)
