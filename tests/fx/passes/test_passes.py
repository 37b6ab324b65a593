"""Passes: shapes, parts, sizes, order, groups, common subexpressions, pictures."""

import operator

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv, statically_known_true
from rushlight.fx.passes.annotate_getitem_nodes import annotate_getitem_nodes
from rushlight.fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from rushlight.fx.passes.fake_tensor_prop import FakeTensorProp
from rushlight.fx.passes.graph_drawer import FxGraphDrawer
from rushlight.fx.passes.graph_manipulation import (
    get_size_of_all_nodes,
    replace_target_nodes_with,
)
from rushlight.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from rushlight.fx.passes.infra.pass_base import PassBase, PassResult
from rushlight.fx.passes.infra.pass_manager import (
    PassManager,
    pass_result_wrapper,
    this_before_that_pass_constraint,
)
from rushlight.fx.passes.net_min_base import _MinimizerBase, _MinimizerSettingBase
from rushlight.fx.passes.operator_support import (
    OperatorSupport,
    OpSupports,
    any_chain,
    chain,
    create_op_support,
)
from rushlight.fx.passes.param_fetch import lift_lowering_attrs_to_nodes
from rushlight.fx.passes.pass_manager import loop_pass
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.fx.passes.split_module import split_module
from rushlight.fx.passes.split_utils import split_by_tags
from rushlight.fx.passes.splitter_base import _SplitterBase, _SplitterSettingBase
from rushlight.fx.passes.tools_common import (
    get_node_target,
    legalize_graph,
    stable_topological_sort,
)
from rushlight.fx.passes.utils.common import compare_graphs
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x, y=2):
        a = self.first(x)
        b = a * self.scale
        c = self.second(b) + y
        return c.relu() + a, b


def nodes(module):
    return {node.name: node for node in module.graph.nodes}


def test_shapes():
    module = fx.symbolic_trace(Net())
    ShapeProp(module).propagate(torch.ones(2, 3))
    meta = nodes(module)["first"].meta
    assert meta["type"] is torch.Tensor and meta["tensor_meta"].shape == (2, 3)
    assert meta["tensor_meta"].stride == (3, 1) and meta["tensor_meta"].requires_grad
    assert 'first: "f32[2, 3]" = self.first(x)' in module.print_readable(print_output=False)
    with pytest.raises(RuntimeError, match="ShapeProp error for: node=%first"):
        ShapeProp(module).propagate(torch.ones(2, 4))


def test_fakes_of_all_values():
    module, x = fx.symbolic_trace(Net()), torch.ones(1, 3)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    made = FakeTensorProp(module, mode).propagate(x)
    assert [x.shape for x in made] == [x.shape for x in module(x)]
    assert all(isinstance(x, FakeTensor) for x in made)
    known = [node.meta["val"] for node in module.graph.nodes if node.op == "call_module"]
    assert known and all(isinstance(x, FakeTensor) for x in known)


def test_sizes_that_elements_decide_stay_the_same():
    mode = FakeTensorMode(shape_env=ShapeEnv())
    with mode:
        x = torch.ones(5)
        module = make_fx(lambda x: x.nonzero())(x)
    (node,) = module.graph.find_nodes(op="call_function", target=torch.ops.aten.nonzero.default)
    before = node.meta["val"].shape[0]
    FakeTensorProp(module, mode).propagate(x)
    after = node.meta["val"].shape[0]
    assert before is not after and statically_known_true(before == after)


@pytest.mark.parametrize("keep", [False, True])
def test_parts_by_a_function(keep):
    net, x = Net(), torch.ones(1, 3)
    module = fx.symbolic_trace(net)
    parts = {"first": 0, "mul": 0, "second": 1, "add": 1}
    moved: dict[str, str] = {}
    split = split_module(
        module, net, lambda n: parts.get(n.name, 2), moved, keep_original_order=keep
    )
    assert [name for name, _ in split.named_children()] == ["submod_0", "submod_1", "submod_2"]
    assert moved == {"submod_0.first": "first", "submod_1.second": "second"}
    assert all(torch.equal(a, b) for a, b in zip(split(x), net(x)))
    with pytest.raises(RuntimeError, match="cycle exists between partitions"):
        split_module(module, net, lambda n: int(n.name in ("mul", "add_1")))


def test_parts_by_tags():
    module, x = fx.symbolic_trace(lambda x, y: ((x + 1) * (y * 2)).relu()), torch.ones(2)
    for node in module.graph.nodes:
        if node.op.startswith("call"):
            node.tag = "first" if node.name in ("add", "mul") else "second"
    split, moved = split_by_tags(module, ["first", "second"], return_fqn_mapping=True)
    assert split.first.code.strip().endswith("return (add, mul)") and moved == {}
    assert torch.equal(split(x, x), module(x, x))


def test_sizes_in_bytes():
    module = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    get_size_of_all_nodes(module, [torch.ones(1, 2)])
    assert nodes(module)["_0"].size_bytes == (8, 32)


def test_other_targets():
    module = fx.symbolic_trace(lambda x: x + 1)
    replace_target_nodes_with(module, "call_function", operator.add, "call_function", operator.sub)
    assert module(5) == 4


def test_attributes_of_modules():
    module = fx.symbolic_trace(nn.Sequential(nn.Conv2d(1, 1, 1)))
    lift_lowering_attrs_to_nodes(module)
    attributes = nodes(module)["_0"].attrs_for_lowering
    assert attributes["name"] == "torch.nn.modules.conv.Conv2d" and attributes["stride"] == (1, 1)


@pytest.mark.parametrize("sort", [legalize_graph, stable_topological_sort])
def test_order(sort):
    module = fx.symbolic_trace(lambda x, y: (x + 1) * y)
    first = nodes(module)["add"]
    nodes(module)["output"].append(first)
    sort(module).graph.lint()
    assert [n.name for n in module.graph.nodes] == ["x", "y", "add", "mul", "output"]


def test_what_can_be_run():
    module = fx.symbolic_trace(lambda x: torch.relu(x + 1).sum())
    ShapeProp(module).propagate(torch.ones(2))
    known = OperatorSupport({"torch.relu": None, "_operator.add": (((torch.float16,),), {})})
    by_name = {n.name: known.is_node_supported({}, n) for n in module.graph.nodes}
    assert by_name["relu"] and not by_name["add"] and not by_name["sum_1"] and by_name["x"]
    no, yes = create_op_support(lambda m, n: False), create_op_support(lambda m, n: True)
    node = nodes(module)["relu"]
    assert any_chain(no, yes).is_node_supported({}, node)
    assert not chain(no, yes).is_node_supported({}, node)
    assert not OpSupports.decline_if_input_dtype(torch.float32).is_node_supported({}, node)
    assert not OpSupports.decline_if_node_in_names({"relu"}).is_node_supported({}, node)
    assert get_node_target({}, nodes(module)["sum_1"]) == "sum"


def additions(module, **options):
    supported = create_op_support(lambda modules, node: node.target is operator.add)
    return CapabilityBasedPartitioner(
        module, supported, allows_single_node_partition=True, **options
    )


def test_groups():
    def program(a, b, c):
        first = a + b + b + c
        second = torch.relu(first) + a
        return second.sum(), second + 1

    module = fx.symbolic_trace(program)
    partitioner = additions(module)
    groups = partitioner.propose_partitions()
    assert [{n.name for n in group.nodes} for group in groups] == [
        {"add_3", "add_4"},
        {"add", "add_1", "add_2"},
    ]
    x = torch.ones(2)
    fused = partitioner.fuse_partitions(groups)
    assert all(torch.equal(a, b) for a, b in zip(fused(x, x, x), program(x, x, x)))
    assert {name for name, _ in fused.named_children()} == {"fused_0", "fused_1"}


def test_groups_have_no_way_out_and_back():
    def program(a, b):
        first = a + b
        return first + torch.relu(first)

    groups = additions(fx.symbolic_trace(program)).propose_partitions()
    assert len(groups) == 2
    module = fx.symbolic_trace(program)
    chosen = [n for n in module.graph.nodes if n.target is operator.add]
    with pytest.raises(AssertionError, match="Invalid partition, found dependency cycles"):
        fuse_by_partitions(module, [chosen])


def test_the_same_is_computed_once():
    def program(x):
        return (
            x.sin() + x.cos(),
            torch.sum(x, 0) + torch.sum(x, 0),
            torch.rand_like(x) + torch.rand_like(x),
        )

    module = fx.symbolic_trace(program)
    result = CSEPass(banned_ops=get_CSE_banned_ops())(module)
    targets = [n.target for n in result.graph_module.graph.nodes]
    assert result.modified and targets.count(torch.sum) == 1 and targets.count(torch.rand_like) == 2
    again = CSEPass()(result.graph_module)
    assert not again.modified


class Renamed(PassBase):
    def call(self, graph_module):
        found = graph_module.graph.find_nodes(op="call_function", target=torch.add)
        for node in found:
            node.target = torch.mul
        return PassResult(graph_module, bool(found))


def test_passes_run_until_nothing_changes():
    module = fx.symbolic_trace(lambda x: torch.add(x, x))
    checked = []
    manager = PassManager([Renamed()], steps=5, run_checks_after_each_pass=True)
    manager.add_checks(lambda m: checked.append(m.code))
    result = manager(module)
    assert result.modified and result.graph_module(3) == 9 and len(checked) == 3


def test_passes_come_in_order():
    def first(x):
        return x

    def second(x):
        return x

    manager = PassManager([pass_result_wrapper(second), pass_result_wrapper(first)])
    late, early = manager.passes
    manager.add_constraint(this_before_that_pass_constraint(early, late))
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager.validate_constraints()
    manager.solve_constraints()
    assert manager.passes == [early, late]
    manager.add_constraint(this_before_that_pass_constraint(late, early))
    with pytest.raises(RuntimeError, match="Circular dependency"):
        manager.solve_constraints()


def test_errors_name_the_pass():
    def failing(module):
        raise ValueError("no")

    with pytest.raises(Exception, match="'failing' pass after the following passes: \\['Renamed'"):
        PassManager([Renamed(), failing])(fx.symbolic_trace(lambda x: x))


def test_passes_in_a_loop():
    assert loop_pass(lambda x: x + 1, n_iter=3)(0) == 3
    assert loop_pass(lambda x: x + 1, predicate=lambda x: x < 5)(0) == 5
    with pytest.raises(AssertionError):
        loop_pass(lambda x: x)


def test_types_of_items():
    def program(x: tuple[int, torch.Tensor]):
        return x[1]

    traced = fx.symbolic_trace(program)
    annotate_getitem_nodes(traced.graph)
    assert nodes(traced)["getitem"].type is torch.Tensor


def test_graphs_are_compared():
    one, other = (fx.symbolic_trace(lambda x: (x + 1).relu()).graph for _ in range(2))
    assert compare_graphs(one, other)
    assert not compare_graphs(one, fx.symbolic_trace(lambda x: (x + 2).relu()).graph)


def test_pictures():
    text = FxGraphDrawer(fx.symbolic_trace(Net()), "net").get_dot_graph().to_string()
    assert text.startswith('digraph "net" {') and '"x" -> "first";' in text
    assert "op_code=call_module" in text and '"first.weight" -> "first";' in text


def splitter(module, supported, **settings):
    # Parts drop the defaults of parameters, as in PyTorch.
    sample = (torch.ones(1, 3), torch.tensor(2.0))
    support = create_op_support(lambda modules, node: node.name in supported)
    return _SplitterBase(module, sample, support, _SplitterSettingBase(**settings))


def test_parts_for_a_backend():
    net, x = Net(), torch.ones(1, 3)
    module = fx.symbolic_trace(net)
    split = splitter(module, {"first", "mul", "relu", "add_1"})()
    assert [name for name, _ in split.named_children()] == [
        "_run_on_acc_0",
        "_run_on_cpu_1",
        "_run_on_acc_2",
    ]
    assert all(torch.equal(a, b) for a, b in zip(split(x, 2), net(x)))


def test_small_parts_stay():
    module = fx.symbolic_trace(Net())
    one = splitter(module, {"first", "mul", "relu"}, min_acc_module_size=2)
    text = one.split_preview()
    assert "total 2 subgraphs are created: 1 acc subgraphs and 1 cpu subgraphs" in text
    assert "torch.nn.modules.linear.Linear" in one.node_support_preview()
    result = one.generate_split_results()
    assert set(result.submodule_inputs) == {"_run_on_acc_0", "_run_on_cpu_1"}
    with pytest.raises(ValueError, match="Cannot fulfill max_acc_splits"):
        splitter(fx.symbolic_trace(Net()), {"first", "relu", "mul"}, max_acc_splits=1)()


class Disagreeing(_MinimizerBase):
    """The second way adds something wherever `relu` is."""

    def run_a(self, mod, inputs, report_idx=-1):
        return mod(*inputs)

    def run_b(self, mod, inputs, report_idx=-1):
        result = mod(*inputs)
        wrong = any(n.target == "relu" for n in mod.graph.nodes)
        return result + 1 if wrong and isinstance(result, torch.Tensor) else result


@pytest.mark.parametrize("method", ["sequential", "binary", "accumulate"])
def test_the_node_that_two_ways_disagree_about(method, capsys):
    def program(x):
        return ((x + 1).relu() * 2).sum()

    def agree(a, b, names):
        return float((a - b).abs().max()), torch.equal(a, b)

    settings = _MinimizerSettingBase(traverse_method=method)
    module = fx.symbolic_trace(program)
    found = Disagreeing(module, (torch.ones(2),), agree, settings).minimize()
    assert {node.name for node in found} == {"relu"}
    assert "traverse_method" in capsys.readouterr().out
