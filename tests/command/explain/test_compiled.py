"""`rushlight explain --compile`: graphs, what is kept, loops, memory, times, code."""

import re
import xml.etree.ElementTree as etree

import pytest

import rushlight as torch
from rushlight._command.explain.compiled import Compilation, explain_compiled, memory_text
from rushlight._command.explain.picture import layers_of, svg
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
    depth = {node: k for k, layer in enumerate(layers) for node in layer}
    assert len(depth) == len(graph.nodes)
    assert all(depth[x] < depth[node] for node in depth for x in node.all_input_nodes)
    picture = etree.fromstring(svg(graph))
    space = "{http://www.w3.org/2000/svg}"
    assert {t.text for t in picture.iter(f"{space}text")} == {n.name for n in graph.nodes}
    edges = sum(len(n.all_input_nodes) for n in graph.nodes)
    assert len(list(picture.iter(f"{space}path"))) == edges


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
    assert page.count("<svg") == 2 and "fused_sin_add" in page
    assert main(["explain", "--compile", "shown_program:nothing"]) == 2
    assert "nothing" in capsys.readouterr().err
