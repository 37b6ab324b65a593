"""`rushlight explain --compile`: graphs, what is kept, loops, memory, times, code."""

import re
import xml.etree.ElementTree as etree

import pytest
from drawings import SVG, boxes_of

import rushlight as torch
from rushlight._command.explain.compiled import Compilation, explain_compiled, sections
from rushlight._command.explain.memory import memory_of, memory_picture, memory_text
from rushlight._command.explain.picture import Bend, drawn, layers_of
from rushlight._command.main import main


def norm(x, w):
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
    return torch.relu((y * 2) @ w)


def inputs():
    return torch.ones(4, 8, requires_grad=True), torch.ones(8, 8, requires_grad=True)


def titles(text):
    return re.findall(r"^== (.*) ==$", text, re.MULTILINE)


def test_the_parts_of_a_program_with_gradients():
    text = explain_compiled(norm, *inputs(), times=False)
    assert titles(text) == [
        "captured graph", "forward: operators", "forward: kept for gradients", "forward: loops", "forward: memory",
        "backward: operators", "backward: loops", "backward: memory",
    ]  # fmt: skip
    assert "Rows of aten::pow.Tensor_Scalar, aten::mean.dim" in text
    kept = text.partition("kept for gradients ==\n")[2].partition("\n\n")[0].splitlines()
    assert "primals_1  float32[4, 8]  128 B" in kept and kept[-1].endswith("in all")


def test_without_gradients_there_is_one_graph():
    text = explain_compiled(lambda x: x.sin() + 1, torch.ones(3), times=False)
    assert titles(text) == [
        "captured graph",
        "forward: operators",
        "forward: loops",
        "forward: memory",
    ]
    assert text.endswith("12 B allocated, 12 B at once")


def test_graphs_that_end_in_between_are_numbered():
    def program(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    found = titles(explain_compiled(program, torch.ones(3), times=False))
    assert "captured graph 1" in found and "captured graph 2" in found


def test_memory_is_used_again():
    def program(x, w):
        for _ in range(4):
            x = x @ w
        return x

    part = Compilation(program, torch.ones(4, 4), torch.ones(4, 4)).parts[0]
    lines = memory_text(part.loops).splitlines()
    assert lines[2].endswith("where mm was") and lines[3].endswith("a result")
    assert lines[-1] == "256 B allocated, 128 B at once"


def test_a_view_keeps_what_it_is_of():
    def program(x, w):
        y = (x @ w).t()
        return (x @ x) @ w, y @ w

    part = Compilation(program, torch.ones(4, 4), torch.ones(4, 4)).parts[0]
    assert "mm_1  float32[4, 4]  64 B\n" in memory_text(part.loops)


def test_times_and_code():
    text = explain_compiled(norm, torch.ones(4, 8), torch.ones(8, 8), code=True)
    times = text.partition("forward: times ==\n")[2].partition("\n\n")[0]
    assert re.search(
        r"^mm  \S+ us  512 B  \d+% of \S+ GB/s  \d+% of \S+ GFLOP/s$", times, re.MULTILINE
    )
    assert times.splitlines()[-1].endswith("us in all")
    assert "body of loop 1" in text and "define" in text.partition("LLVM IR of loop 1 ==")[2]


def test_pictures_have_each_node_below_what_it_reads():
    graph = Compilation(norm, *inputs()).parts[0].graph.graph
    layers = layers_of(graph)
    depth = {item: k for k, layer in enumerate(layers) for item in layer}
    assert {x for x in depth if not isinstance(x, Bend)} == set(graph.nodes)
    assert all(depth[x] < depth[node] for node in graph.nodes for x in node.all_input_nodes)
    assert all(
        Bend(x, k) in depth
        for node in graph.nodes for x in node.all_input_nodes for k in range(depth[x] + 1, depth[node])
    )  # fmt: skip
    picture = etree.fromstring(str(drawn(graph)))
    assert {t.text for t in picture.iter(f"{SVG}text")} == {n.name for n in graph.nodes}
    edges = sum(len(n.all_input_nodes) for n in graph.nodes)
    assert len(list(picture.iter(f"{SVG}path"))) == edges


def test_operators_have_the_colour_of_their_loop():
    told = sections(Compilation(norm, torch.ones(4, 8), torch.ones(8, 8)), code=False, times=False)
    pictures = {part.title: boxes_of(part.picture) for part in told if part.picture is not None}
    operators, loops = pictures["forward: operators"], pictures["forward: loops"]
    fused = loops["fused_pow_mean_add_rsqrt_mul"]
    assert {name for name, colour in operators.items() if colour == fused} == {
        "pow_1", "mean", "add", "rsqrt", "mul", "mul_1",
    }  # fmt: skip
    assert operators["mm"] == loops["mm"] != fused


def test_the_joint_graph_tells_what_is_kept():
    compilation = Compilation(norm, *inputs())
    told = sections(compilation, code=False, times=False)
    (joint,) = [part for part in told if part.title == "joint graph"]
    boxes = boxes_of(joint.picture)
    kept = {node.name for node in compilation.graphs[0].saved if node.op == "call_function"}
    assert kept and {boxes[name] for name in kept} == {boxes["kept"]}
    of_backward = {name for name, colour in boxes.items() if colour == boxes["backward"]}
    backward = {n.name for n in compilation.parts[1].graph.graph.nodes if n.op == "call_function"}
    assert of_backward - {"backward"} == backward - kept


def test_the_picture_of_memory_has_a_row_for_each_place():
    def program(x, w):
        for _ in range(4):
            x = x @ w
        return x

    loops = Compilation(program, torch.ones(4, 4), torch.ones(4, 4)).parts[0].loops
    places = {life.node.name: life.place for life in memory_of(loops).values}
    assert places == {"mm": 0, "mm_1": 1, "mm_2": 0, "mm_3": 2}
    picture = etree.fromstring(str(memory_picture(loops)))
    rows = {t.text.split()[0]: float(t.get("y")) for t in picture.iter(f"{SVG}text")}
    assert rows["mm"] == rows["mm_2"] < rows["mm_1"] < rows["mm_3"]


def test_what_is_written_over_ends_there_in_the_picture():
    def program(x, w):
        return torch.relu(x @ w)

    loops = Compilation(program, torch.ones(512, 128), torch.ones(128, 128)).parts[0].loops
    assert "relu  float32[512, 128]  written over mm" in memory_text(loops)
    first, second = etree.fromstring(str(memory_picture(loops))).findall(f"{SVG}rect")
    assert first.get("y") == second.get("y")
    assert float(first.get("x")) + float(first.get("width")) < float(second.get("x"))


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "shown_program.py").write_text(
        "import rushlight as torch\n\ndef program(x, y, times=2):\n    return (x @ y).relu() * times\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("rushlight.alias.install", lambda: None)
    return tmp_path


def test_the_command_takes_functions_of_modules_and_calls(module, capsys):
    assert main(["explain", "--compile", "shown_program:program"]) == 0
    assert "fused_relu_mul" in capsys.readouterr().out
    assert main(["explain", "--compile", "--grad", "shown_program:program(a, b, times=2)"]) == 0
    assert "backward: loops" in capsys.readouterr().out
    assert main(["explain", "--compile", "torch.sin(a) + b", "--html", "page.html"]) == 0
    page = (module / "page.html").read_text()
    assert main(["explain", "--compile", "shown_program:program", "--picture", "graphs.svg"]) == 0
    picture = (module / "graphs.svg").read_text()
    assert etree.fromstring(picture).tag == f"{SVG}svg" and "forward: memory" in picture
    assert page.count("<svg") == 4 and "fused_sin_add" in page
    assert main(["explain", "--compile", "shown_program:nothing"]) == 2
    assert "nothing" in capsys.readouterr().err
