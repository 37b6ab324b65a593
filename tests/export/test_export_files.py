"""Files of programs: what is written is read."""

import io
import json
import math
import zipfile
from collections import namedtuple

import pytest

import rushlight as torch
from rushlight.export import Dim, export, load, save

Point = namedtuple("Point", "x y")
torch.utils._pytree._register_namedtuple(
    Point, serialized_type_name="tests.test_export_files.Point"
)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.tied = self.linear.weight
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("passing", torch.ones(2)[1:], persistent=False)
        self.row = torch.arange(3, dtype=torch.bfloat16)

    def forward(self, x, *, scale, flag=True):
        self.calls.add_(1)
        y = self.linear(x) * self.passing
        a, b = y.split([1, 3], 1)
        values, places = y.max(1)
        with torch.no_grad():
            c = y.clamp(min=-math.inf, max=2)
        d = torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y.sin(), (y,))
        size = x.shape[0] * 2 + 1
        made = torch.zeros(size, dtype=torch.float16, device="cpu")
        return Point([a, b, d], {"c": c, "n": size}), values, places, made, self.row, 3, None, "s"


def leaves(value):
    return torch.utils._pytree.tree_leaves(value)


@pytest.fixture
def program():
    torch.manual_seed(0)
    n = Dim("n", max=10)
    return export(
        Model(), (torch.randn(5, 3),), {"scale": None, "flag": True},
        dynamic_shapes={"x": {0: n}, "scale": None, "flag": None},
    )  # fmt: skip


@pytest.mark.parametrize("functional", [False, True])
def test_programs_are_written_and_read(program, functional):
    if functional:
        program = program.run_decompositions()
    buffer = io.BytesIO()
    save(program, buffer, extra_files={"note.txt": "hello"})
    buffer.seek(0)
    extra = {"note.txt": ""}
    again = load(buffer, extra_files=extra)
    assert extra == {"note.txt": "hello"}
    assert again.graph_module.code == program.graph_module.code
    assert again.graph_signature == program.graph_signature
    assert str(again.range_constraints) == str(program.range_constraints)
    assert again.dialect == program.dialect
    x = torch.randn(7, 3)
    for a, b in zip(
        leaves(program.module()(x, scale=None, flag=True)),
        leaves(again.module()(x, scale=None, flag=True)),
        strict=True,
    ):
        if isinstance(a, torch.Tensor):
            torch.testing.assert_close(a, b)
            assert a.dtype is b.dtype
        else:
            assert a == b
    with pytest.raises(AssertionError, match="<= 10"):
        again.module()(torch.ones(11, 3), scale=None, flag=True)


def test_tensors_that_share_memory_are_written_once(program, tmp_path):
    path = tmp_path / "net.pt2"
    save(program, path)
    names = zipfile.ZipFile(path).namelist()
    weights = [n for n in names if "/weights/weight_" in n]
    assert len(weights) == 3  # weight, bias, calls
    assert "net/models/model.json" in names
    again = load(path)
    assert again.state_dict["tied"].data_ptr() == again.state_dict["linear.weight"].data_ptr()
    assert isinstance(again.state_dict["linear.bias"], torch.nn.Parameter)


def test_examples_come_with_the_file(program):
    buffer = io.BytesIO()
    save(program, buffer)
    buffer.seek(0)
    (x,), named = load(buffer).example_inputs
    assert x.shape == (5, 3) and named == {"scale": None, "flag": True}


def test_the_file_says_what_pytorch_reads(program):
    buffer = io.BytesIO()
    save(program, buffer)
    told = json.loads(zipfile.ZipFile(buffer).read("archive/models/model.json"))
    assert told["schema_version"]["major"] == 8
    assert list(told["range_constraints"].values()) == [{"min_val": 0, "max_val": 10}]
    nodes = told["graph_module"]["graph"]["nodes"]
    assert nodes[0]["target"] == "torch.ops.aten.add_.Tensor"
    sizes = told["graph_module"]["graph"]["tensor_values"]["linear"]["sizes"]
    assert sizes[0]["as_expr"]["expr_str"].startswith("Symbol('s")
    assert sizes[0]["as_expr"]["hint"] == {"as_int": 5} and sizes[1] == {"as_int": 4}


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "tensor.pt"
    torch.save(torch.ones(2), path)
    with pytest.raises(ValueError, match="no archive of the format pt2"):
        load(path)
    with pytest.raises(TypeError, match="must be an instance of 'ExportedProgram'"):
        save(torch.nn.ReLU(), io.BytesIO())


def test_versions_that_are_not_known_are_refused(program):
    from rushlight._export.serde.serialize import SerializeError, deserialize, serialize

    artifact = serialize(program)
    assert deserialize(artifact).graph_module.code == program.graph_module.code
    told = json.loads(artifact.exported_program)
    told["schema_version"]["major"] = 99
    artifact.exported_program = json.dumps(told).encode()
    with pytest.raises(SerializeError, match="schema version 99"):
        deserialize(artifact)


def test_expressions_of_sizes_are_read_again():
    class Net(torch.nn.Module):
        def forward(self, x, y):
            n, m = x.shape[0], y.shape[0]
            return torch.zeros(n * m - 1), torch.zeros(n // 2 + 3), torch.zeros(torch.sym_max(n, m))

    n, m = Dim("n", min=4), Dim("m", min=4)
    program = export(Net(), (torch.ones(5), torch.ones(6)), dynamic_shapes=({0: n}, {0: m}))
    buffer = io.BytesIO()
    save(program, buffer)
    buffer.seek(0)
    made = load(buffer).module()(torch.ones(8), torch.ones(7))
    assert [t.shape[0] for t in made] == [55, 7, 8]


def test_what_a_file_says_is_there_as_objects():
    from rushlight._export.serde.serialize import ExportedProgramSerializer

    class Summed(torch.nn.Module):
        def forward(self, x):
            return torch.ops.aten.sum.dim_IntList(x, [0])

    told = ExportedProgramSerializer().serialize(export(Summed(), (torch.ones(2, 3),)))
    graph = told.exported_program.graph_module.graph
    (node,) = graph.nodes
    assert node.target == "torch.ops.aten.sum.dim_IntList"
    assert node.inputs[1].arg.type == "as_ints" and node.inputs[1].arg.value == [0]
    assert graph.tensor_values[node.outputs[0].as_tensor.name].sizes[0].as_int == 3
