"""`explain` shows every layer of a call."""

import rushlight as torch
from rushlight._command import main
from rushlight.engine.native import object_cache


def test_a_pointwise_call_shows_all_layers():
    a = torch.ones(4, 4)
    text = torch.explain(torch.add, a, a, alpha=2)
    for part in ("call", "keys", "generated Python", "plan", "expression", "LLVM IR", "assembly"):
        assert f"== {part} ==" in text
    assert "add(float32[4x4], float32[4x4], alpha=2) -> float32[4x4]" in text
    assert "def add_Tensor(self, other, alpha)" in text
    assert "mul.f32" in text or "fma.f32" in text
    assert "define void @KERNEL" in text
    assert "byte strides [4" in text
    assert text.rstrip().endswith("ns for the call once it is known")


def test_a_view_shows_its_geometry():
    text = torch.explain(torch.Tensor.t, torch.ones(2, 3))
    assert "view: sizes [3, 2] strides [1, 3] offset +0" in text
    assert "LLVM IR" not in text


def test_a_recorded_call_shows_its_gradient():
    x = torch.linspace(0.5, 2, 4).requires_grad_()
    text = torch.explain(torch.log, x)
    assert "LogBackward0, recorded as step" in text
    assert "d self = gradient_of_self(grad, self)" in text
    assert "keeps self" in text
    assert "goes to torch::autograd::AccumulateGrad" in text
    assert "div.f32" in text[text.index("== expression of the gradient ==") :]
    assert "== gradient ==" not in torch.explain(torch.log, x.detach())


def test_a_recorded_pass_shows_the_second_derivative():
    x = torch.linspace(0.5, 2, 4).requires_grad_()

    def slope():
        return torch.autograd.grad(torch.log(x).sum(), x, create_graph=True)

    text = torch.explain(slope)
    assert "GradLogOfSelfBackward0" in text
    assert "d self = gradient_of_self(grad, d_result, self)" in text


def test_calls_go_on_as_before():
    a = torch.ones(3)
    torch.explain(torch.exp, a)
    assert (a + a).tolist() == [2.0, 2.0, 2.0]


def test_the_command_explains(capsys):
    assert main.main(["explain", "torch.mul(a, b)"]) == 0
    assert "== expression ==" in capsys.readouterr().out
    assert main.main(["explain", "a + 2"]) == 0
    assert "add" in capsys.readouterr().out


def test_the_command_reports_what_is_wrong(capsys):
    assert main.main(["explain", "torch.nothing(a)"]) == 2
    assert "nothing" in capsys.readouterr().err
    assert main.main(["explain", "torch.add(a,"]) == 2


def test_the_cache_command(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    assert main.main(["cache", "info"]) == 0
    assert "0 kernels" in capsys.readouterr().out
    # The format of today, and one of yesterday.
    folders = tmp_path / object_cache.FORMAT, tmp_path / "v1"
    for folder in folders:
        folder.mkdir()
        (folder / "abc.o").write_bytes(b"x" * 10)
    assert main.main(["cache", "info"]) == 0
    assert "1 kernels" in capsys.readouterr().out
    assert main.main(["cache", "clear"]) == 0
    assert "2 kernels removed" in capsys.readouterr().out
    assert not any(list(folder.iterdir()) for folder in folders)


def test_a_function_that_is_written_meanwhile_is_shown_once():
    text = torch.explain(torch.softmax, torch.ones(4, 4), 1)
    assert text.count("def softmax(") == 1
