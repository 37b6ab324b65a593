"""Programs compiled ahead of time: their graphs, what is done around these, and errors."""

import pytest

import rushlight as torch
from rushlight._functorch import config
from rushlight._functorch.aot_autograd import (
    aot_export_joint_simple,
    aot_export_module,
    run_functionalized_fw_and_collect_metadata,
)
from rushlight._functorch.max_flow import Network
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.functorch.compile import (
    aot_function,
    aot_module,
    aot_module_simplified,
    debug_compile,
    default_partition,
    draw_graph,
    get_graph_being_compiled,
    make_boxed_compiler,
    make_boxed_func,
    memory_efficient_fusion,
    min_cut_rematerialization_partition,
    nop,
    print_compile,
    ts_compile,
)
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv
from tests.functorch.two_tensors import TwoTensor


class Graphs:
    """Compilers that keep the code of graphs."""

    def __init__(self):
        self.code = {}

    def compiler(self, name):
        def compile(graph, inputs):
            self.code[name] = graph.code.strip()
            return make_boxed_func(graph)

        return compile

    def of(self, function, *args, **options):
        compiled = aot_function(
            function, self.compiler("forward"), self.compiler("backward"),
            inference_compiler=self.compiler("inference"), **options,
        )  # fmt: skip
        outs = compiled(*args)
        outs = [outs] if isinstance(outs, torch.Tensor) else outs
        wanted = [x.sum() for x in outs if x.requires_grad]
        if wanted:
            sum(wanted).backward()
        return self.code


def leaf(*size):
    return torch.ones(*size, requires_grad=True)


def test_graphs_of_a_product():
    found = Graphs().of(lambda x, w: (x @ w) * 3, leaf(2, 3), leaf(3, 4))
    assert found["forward"] == (
        "def forward(self, primals_1, primals_2):\n"
        "    mm = torch.ops.aten.mm.default(primals_1, primals_2)\n"
        "    mul = torch.ops.aten.mul.Tensor(mm, 3);  mm = None\n"
        "    return (mul, primals_1, primals_2)"
    )
    assert "(self, primals_1, primals_2, tangents_1)" in found["backward"]


def test_changes_of_arguments_are_results_of_graphs():
    def program(x, y):
        x.mul_(2)
        return x + y

    found = Graphs().of(program, leaf(2).clone(), leaf(2))
    assert found["forward"] == (
        "def forward(self, primals_1, primals_2):\n"
        "    clone = torch.ops.aten.clone.default(primals_1);  primals_1 = None\n"
        "    mul = torch.ops.aten.mul.Tensor(clone, 2);  clone = None\n"
        "    add = torch.ops.aten.add.Tensor(mul, primals_2);  primals_2 = None\n"
        "    return (mul, add)"
    )
    plain = torch.ones(2), torch.ones(2)
    found = Graphs().of(program, *plain, keep_inference_input_mutations=True)
    assert found["inference"] == (
        "def forward(self, arg0_1, arg1_1):\n"
        "    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)\n"
        "    add = torch.ops.aten.add.Tensor(mul, arg1_1);  arg1_1 = None\n"
        "    copy_ = torch.ops.aten.copy_.default(arg0_1, mul);  arg0_1 = mul = copy_ = None\n"
        "    return (add,)"
    )
    assert plain[0].tolist() == [2, 2]


def test_what_is_cheap_is_computed_again():
    def program(x):
        return x.sin().cos().exp()

    kept = Graphs().of(program, leaf(4), partition_fn=default_partition)["backward"]
    again = Graphs().of(program, leaf(4), partition_fn=min_cut_rematerialization_partition)
    assert "primals_1, sin, exp" in kept.partition("\n")[0].replace("cos, ", "")
    assert again["backward"].startswith("def forward(self, primals_1, tangents_1):")
    assert again["forward"].endswith("return (exp, primals_1)")


def test_random_numbers_are_drawn_once_and_as_without():
    def program(x):
        return torch.nn.functional.dropout(x, 0.5) * torch.rand(3)

    for partition in default_partition, min_cut_rematerialization_partition:
        compiled = aot_function(program, nop, partition_fn=partition)
        compiled(leaf(3))
        x, y = leaf(3), leaf(3)
        torch.manual_seed(1)
        found = compiled(x)
        found.sum().backward()
        after = torch.rand(2)
        torch.manual_seed(1)
        expected = program(y)
        assert torch.equal(found, expected)
        expected.sum().backward()
        assert torch.equal(x.grad, y.grad)
        assert torch.equal(after, torch.rand(2))


def test_tracing_draws_nothing():
    torch.manual_seed(2)
    expected = torch.rand(2)
    torch.manual_seed(2)
    aot_function(torch.rand_like, lambda g, i: lambda *a: [a[0]])(torch.ones(2))
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize("partition", [default_partition, min_cut_rematerialization_partition])
def test_symbolic_sizes(partition):
    def program(x, w):
        return torch.sin(x @ w).reshape(-1) * x.shape[0]

    graphs = []
    compiled = aot_function(
        program, lambda g, _: graphs.append(g) or g, partition_fn=partition, dynamic=True
    )
    for rows in 2, 5, 7:
        x, w = torch.rand(rows, 3, requires_grad=True), torch.rand(3, 4, requires_grad=True)
        found, expected = compiled(x, w), program(x, w)
        assert torch.allclose(found, expected)
        grads = [torch.autograd.grad(y.cos().sum(), (x, w)) for y in (found, expected)]
        assert all(map(torch.allclose, *grads))
    assert len(graphs) == 2


def test_results_are_views_as_without():
    def program(x):
        y = x * 2
        return y.view(-1), y.t(), x.view(-1), x

    for run in program, aot_function(program, nop):
        x = leaf(2, 3).clone()
        flat, turned, of_input, same = run(x)
        flat.mul_(3)
        assert torch.equal(turned.t().reshape(-1), flat) and same is x
        of_input.add_(1)
        assert torch.equal(x.view(-1), of_input)
        assert [type(y.grad_fn).__name__ for y in (of_input, turned)] == [
            "AddBackward0",
            "TBackward0",
        ] or (of_input._base is x)


def test_sizes_that_change():
    def program(x):
        x.t_()
        return x * 2

    for run in program, aot_function(program, nop):
        x = leaf(2, 3).clone()
        assert run(x).shape == (3, 2) and x.shape == (3, 2) and x.stride() == (1, 3)


def test_arguments_that_share_elements():
    def program(a, b):
        a.mul_(2)
        return a.sum() + b

    for run in program, aot_function(program, nop):
        base = leaf(4)
        whole = base.clone()
        found = run(whole.view(2, 2), whole[:2])
        assert found.tolist() == [10, 10] and whole.tolist() == [2, 2, 2, 2]
        found.sum().backward()
        assert base.grad.tolist() == [6, 6, 4, 4]


def test_a_program_of_duplicates_takes_only_these():
    compiled = aot_function(lambda a, b: (a.mul_(2), a * b)[1], nop)
    x = torch.ones(2)
    assert compiled(x, x).tolist() == [4, 4]
    with pytest.raises(AssertionError, match="input 1 would be a duplicate of input 0"):
        compiled(torch.ones(2), torch.ones(2))


def test_gradients_that_were_not_traced_are_noticed():
    with config.patch(debug_assert=True):
        compiled = aot_function(torch.mul, nop)
        compiled(leaf(2), torch.ones(2))
        with pytest.raises(AssertionError, match="input 1 would not require grad"):
            compiled(leaf(2), leaf(2))


def test_second_derivatives_are_refused():
    x = leaf(2)
    (grad,) = torch.autograd.grad(aot_function(torch.sin, nop)(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        grad.sum().backward()


def test_what_is_kept_survives_a_change_of_the_argument():
    def program(x, w):
        y = (x * 2).sin() * w
        x.add_(1)
        return y

    graphs = Graphs().of(
        program, torch.ones(2), leaf(2), partition_fn=min_cut_rematerialization_partition
    )
    # Less is kept than without: the argument, which is changed afterwards.
    assert graphs["backward"].startswith("def forward(self, primals_1, tangents_1):")
    compiled = aot_function(program, nop, partition_fn=min_cut_rematerialization_partition)
    x, w = torch.full((2,), 3.0), leaf(2)
    compiled(x, w).sum().backward()
    assert torch.allclose(w.grad, torch.full((2,), 6.0).sin()) and x.tolist() == [4, 4]


def test_changes_of_what_is_kept_are_noticed():
    def program(x, w):
        y = x * w
        x.add_(1)
        return y

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        aot_function(program, nop)(torch.ones(2), leaf(2))


def test_backward_graphs_are_compiled_when_they_are_called():
    names = []

    def compiler(graph, inputs):
        names.append(get_graph_being_compiled().rpartition("_")[2])
        return graph

    found = aot_function(torch.sin, compiler)(leaf(2))
    assert names == ["forward"]
    found.sum().backward()
    assert names == ["forward", "backward"]
    aot_function(torch.sin, compiler)(torch.ones(2))
    assert names[-1] == "inference"


def test_results_that_are_no_nests_of_tensors_are_refused():
    with pytest.raises(RuntimeError, match="which is not a known type"):
        aot_function(lambda x: object(), nop)(torch.ones(2))


def test_nested_arguments_and_results():
    def program(x, *, y):
        return {"sum": x["a"] + y[0], "rest": [None, 3, y[1]]}

    found = aot_function(program, nop)({"a": leaf(2)}, y=(torch.ones(2), torch.zeros(1)))
    assert found["sum"].tolist() == [2, 2] and found["rest"][:2] == [None, 3]


# -- modules --


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return (self.norm(self.linear(x)).relu(),)


@pytest.mark.parametrize("compile", ["module", "simplified", "fusion"])
def test_modules(compile):
    torch.manual_seed(0)
    one, other = Net(), Net()
    other.load_state_dict(one.state_dict())
    x = torch.randn(5, 3)
    if compile == "module":
        run = aot_module(one, nop)
    elif compile == "fusion":
        run = memory_efficient_fusion(one)
    else:
        run = aot_module_simplified(one, (x,), nop)
    for _ in range(2):
        found, expected = run(x)[0], other(x)[0]
        assert torch.allclose(found, expected, atol=1e-6)
        found.cos().sum().backward()
        expected.cos().sum().backward()
    for a, b in zip(one.parameters(), other.parameters()):
        assert torch.allclose(a.grad, b.grad, atol=1e-5)
    for a, b in zip(one.buffers(), other.buffers()):
        assert torch.allclose(a, b)
    assert one.norm.num_batches_tracked == 2


def test_modules_give_tuples():
    with pytest.raises(RuntimeError, match=r"Graph output must be a \(\)"):
        aot_module_simplified(torch.nn.Linear(2, 2), (torch.ones(1, 2),), nop)


def test_compiled_from_fakes():
    mode = FakeTensorMode(shape_env=ShapeEnv())
    run = aot_module_simplified(Net(), (mode.from_tensor(torch.ones(5, 3)),), nop)
    for rows in 5, 6:
        assert run(torch.ones(rows, 3))[0].shape == (rows, 4)


def test_tracing_assumes_little_of_sizes():
    mode = FakeTensorMode(shape_env=ShapeEnv())
    x = mode.from_tensor(torch.ones(5, 4))
    aot_function(lambda x: torch.relu(x).reshape(-1).cos() + x.numel(), nop)(x)
    part = mode.from_tensor(torch.ones(5, 4))
    assert (TwoTensor(part, part) * 2 + 1).shape == part.shape
    assert mode.shape_env.format_guards() == ""


def test_sizes_that_elements_decide():
    compiled = aot_function(lambda x: torch.nonzero(x) * 2, nop, dynamic=True)
    assert compiled(torch.tensor([0.0, 1, 2])).tolist() == [[2], [4]]
    assert compiled(torch.tensor([3.0, 0, 2])).tolist() == [[0], [4]]


def test_numbers_that_vary():
    graphs = []
    compiled = aot_function(
        lambda x, n: x * n + n, lambda g, _: graphs.append(g) or g, dynamic=True
    )
    for n in 3, 5:
        x = leaf(n + 1)
        found = compiled(x, n)
        assert found.tolist() == [2 * n] * (n + 1)
        found.sum().backward()
        assert x.grad.tolist() == [n] * (n + 1)
    assert "mul.Tensor(primals_1, primals_2)" in graphs[0].code


# -- graphs for others --


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count.add_(1)
        return ((x * self.weight).sum(), x.sin())


def test_exported_modules():
    graph, signature = aot_export_module(Counting(), [torch.ones(2)], trace_joint=False)
    assert signature.parameters == ["weight"] and signature.buffers == ["count"]
    assert signature.user_inputs == ["arg2_1"]
    assert list(signature.buffers_to_mutate.values()) == ["count"]
    found = graph(torch.ones(2), torch.zeros(()), torch.ones(2))
    assert [x.tolist() for x in found[:2]] == [1.0, 2.0]


def test_exported_modules_with_gradients():
    graph, signature = aot_export_module(
        Counting(), [torch.ones(2)], trace_joint=True, output_loss_index=0
    )
    backward = signature.backward_signature
    assert list(backward.gradients_to_parameters.values()) == ["weight"]
    assert backward.loss_output == signature.user_outputs[0]
    found = graph(torch.ones(2), torch.zeros(()), torch.full((2,), 3.0))
    assert [3.0, 3.0] in [x.tolist() for x in found if x is not None]
    with pytest.raises(RuntimeError, match="must be a scalar loss"):
        aot_export_module(Counting(), [torch.ones(2)], trace_joint=True)


def test_exported_joint_graphs():
    graph = aot_export_joint_simple(lambda x: (x.sin(),), [leaf(2)], trace_joint=True)
    outs, grads = graph([torch.zeros(2)], [torch.full((2,), 5.0)])
    assert outs[0].tolist() == [0, 0] and grads[0].tolist() == [5, 5]
    with pytest.raises(RuntimeError, match="does not support input mutations"):
        aot_export_joint_simple(lambda x: (x.add_(1).sin(),), [torch.ones(2)], trace_joint=False)
    with pytest.raises(RuntimeError, match="does not support outputs that alias inputs"):
        aot_export_joint_simple(lambda x: (x.view(-1),), [torch.ones(2)], trace_joint=False)


# -- tensors of classes --


def two(wants):
    return TwoTensor(torch.ones(3, requires_grad=wants), torch.full((3,), 2.0, requires_grad=wants))


def test_tensors_of_classes_are_their_parts_in_graphs():
    def program(a, b):
        a = a * 1
        a.add_(1)
        return a * b, a.view(3, 1)

    found = Graphs().of(program, two(True), leaf(3))
    assert "(self, primals_1, primals_2, primals_3)" in found["forward"]
    results = []
    for run in program, aot_function(program, nop):
        a, b = two(True), leaf(3)
        outs = run(a, b)
        sum(x.sum() for x in outs).backward()
        assert all(isinstance(x, TwoTensor) for x in (*outs, a.grad, b.grad))
        results.append([part for x in (*outs, a.grad, b.grad) for part in (x.a, x.b)])
    assert all(map(torch.equal, *results))


def test_changes_of_tensors_of_classes():
    compiled = aot_function(lambda a, b: (a.mul_(2), a + b)[1], nop)
    a = two(False)
    made = compiled(a, torch.ones(3))
    assert a.a.tolist() == [2, 2, 2] and a.b.tolist() == [4, 4, 4] and made.b.tolist() == [5, 5, 5]


def test_what_a_program_does_is_told():
    mode = FakeTensorMode()
    arg = TwoTensor(mode.from_tensor(torch.ones(2)), mode.from_tensor(torch.ones(2)))
    for keeps, expected in (True, []), (False, [0]):
        collect = run_functionalized_fw_and_collect_metadata(
            lambda x: [torch.sin(x.add_(1))], keep_input_mutations=keeps
        )
        found = collect(arg)
        assert found.mutated_inp_runtime_indices == expected
        assert len(found.subclass_fw_graph_out_meta) == 1 + len(expected)


# -- around graphs --


def test_compilers_that_show(capsys, tmp_path):
    aot_function(torch.sin, print_compile)(torch.ones(2))
    aot_function(torch.sin, debug_compile)(torch.ones(2))
    assert capsys.readouterr().out.count("torch.ops.aten.sin.default") == 2
    with pytest.raises(NotImplementedError, match="no TorchScript compiler"):
        aot_function(torch.sin, ts_compile)(torch.ones(2))
    made = []
    aot_function(torch.sin, make_boxed_compiler(lambda g, _: made.append(g) or g))(torch.ones(2))
    draw_graph(made[0], str(tmp_path / "graph.dot"))
    assert "sin" in (tmp_path / "graph.dot").read_text()


def test_operators_that_write():
    with torch.library._scoped_library("joint_graph_tests", "DEF") as library:
        library.define("bump(Tensor(a!) x, Tensor y) -> Tensor")
        library.impl("bump", lambda x, y: (x.add_(y), y * 2)[1], "CompositeExplicitAutograd")
        library.impl("bump", lambda x, y: y * 2, "Meta")

        def program(x, y):
            z = x * 2
            made = torch.ops.joint_graph_tests.bump(z[:1], y)
            return z, made

        found = Graphs().of(program, torch.ones(2), torch.ones(1))["inference"]
        assert "torch.ops.higher_order.auto_functionalized(" in found
        for run in program, aot_function(program, nop):
            assert [x.tolist() for x in run(torch.ones(2), torch.ones(1))] == [[3, 2], [2]]


def test_cheapest_cut():
    network = Network()
    for edge in ("s", "a", 3), ("s", "b", 2), ("a", "b", 1), ("a", "t", 2), ("b", "t", 3):
        network.add_edge(*edge)
    assert network.minimum_cut("s", "t") == (5, {"t"})
    network = Network()
    for edge in ("s", "a", float("inf")), ("a", "b", 1), ("b", "t", float("inf")):
        network.add_edge(*edge)
    assert network.minimum_cut("s", "t") == (1, {"b", "t"})
    network = Network()
    network.add_edge("s", "t", float("inf"))
    with pytest.raises(ValueError, match="no finite cut"):
        network.minimum_cut("s", "t")


def turned_in_place(turn):
    def program(x):
        base = x * 2
        row = base[0]
        turn(base)
        row.mul_(3)
        return (base.sin() * torch.arange(1.0, 10.0).view(base.shape)).sum() + (row * row).sum()

    return program


@pytest.mark.parametrize(
    "turn",
    [
        lambda base: base.t_(),
        lambda base: base.transpose_(0, 1),
        lambda base: base.swapaxes_(0, 1),
        lambda base: base.unsqueeze_(1),
        lambda base: base.unsqueeze_(0).squeeze_(0).t_(),
        lambda base: base.as_strided_((3, 3), (1, 3)),
    ],
)
def test_view_is_changed_after_its_base_has_been_turned_in_place(turn):
    program = turned_in_place(turn)
    gradients = []
    for run in (program, aot_function(program, nop)):
        x = (torch.arange(9.0).view(3, 3) / 7).requires_grad_()
        run(x).backward()
        gradients.append(x.grad)
    torch.testing.assert_close(*gradients)


def put_over(x):
    base, y = torch.zeros(3, 3), x * 2
    base.set_(y.detach())
    base.add_(1)
    return (y * base).sum()


def assigned_data(x):
    base = x * 2
    row = base[0]
    row.data = torch.full((3,), 7.0)
    row.mul_(x[1])
    base.data = base.data * 3
    return base.mul_(2).sum() + row.sum()


@pytest.mark.parametrize("program", [put_over, assigned_data])
def test_tensor_is_put_over_other_memory(program):
    found = []
    for run in (program, aot_function(program, nop)):
        x = (torch.arange(9.0).view(3, 3) / 7).requires_grad_()
        result = run(x)
        result.backward()
        found.append((result.detach(), x.grad))
    torch.testing.assert_close(*found)


def test_argument_that_is_put_over_other_memory_is_refused():
    def program(x):
        x.data = x.data * 3
        return x.sum()

    with pytest.raises(AssertionError, match="put over other memory"):
        aot_function(program, nop)(torch.ones(2))


def test_programs_that_end_with_gradients_off():
    def program(x, y):
        torch._C._set_grad_enabled(False)
        z = x * 3
        torch._C._set_grad_enabled(True)
        x.add_(1)
        torch._C._set_grad_enabled(False)
        return z + y

    def outcome(run):
        x, y = torch.ones(3, requires_grad=True), torch.arange(3.0)
        changed = x * 2
        with torch.enable_grad():
            result = run(changed, y)
        changed.sum().backward()
        return changed.tolist(), changed.requires_grad, result.tolist(), x.grad.tolist()

    assert outcome(aot_function(program, nop)) == outcome(program)


def test_who_has_no_gradient_is_not_asked_for_its_history():
    def program(a, b):
        return a.detach() * b

    x, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a = x.exp()
    made = aot_function(program, nop)(a, b)
    a.sum().backward()
    # The history of `a` is gone by now.
    made.sum().backward()
    assert torch.equal(b.grad, a.detach())
