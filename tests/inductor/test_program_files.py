"""Compiled programs on disk: a second process finds what the first one has compiled."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rushlight as torch
from rushlight._inductor import program_files
from rushlight._inductor.lowering import lower
from rushlight.fx import GraphModule
from rushlight.fx.experimental.proxy_tensor import make_fx

ROOT = Path(__file__).parents[2]
PROGRAMS = """
import json, sys, warnings
import rushlight as torch
from rushlight._dynamo.utils import counters
import rushlight.nn.functional as F
nn = torch.nn
warnings.simplefilter("error")

def mlp():
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3), nn.Softplus())
    return model, (torch.randn(5, 4),)

def images():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.SiLU(), nn.Flatten(), nn.Linear(48, 2))
    return model, (torch.randn(2, 2, 6, 6),)

class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(7, 6), nn.Linear(6, 7)
    def forward(self, words, wanted):
        x = self.table(words)
        x = F.scaled_dot_product_attention(x, x, x, is_causal=True)
        return F.cross_entropy(self.out(x).flatten(0, 1), wanted.flatten())

def words():
    return Words(), (torch.randint(0, 7, (2, 5)), torch.randint(0, 7, (2, 5)))

class Long(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(3) * 0.5)
    def forward(self, x):
        for _ in range(90):
            x = x @ self.w + 1
        return x, x.softmax(-1), x.view(-1)

def long():
    return Long(), (torch.randn(2, 3),)

found = {}
for make in (mlp, images, words, long):
    torch.manual_seed(0)
    model, args = make()
    compiled = torch.compile(model)
    for _ in range(2):
        results = compiled(*args)
        results = results if isinstance(results, tuple) else (results,)
        sum(r.sum() for r in results).backward()
    with torch.no_grad():
        results = [*results, *(r for r in torch.compile(model.eval())(args[0], *args[1:]))] if make is mlp else results
    found[make.__name__] = [
        *(r.detach().double().sum().item() for r in results),
        *(p.grad.double().sum().item() for p in model.parameters()),
        *(b.double().sum().item() for b in model.buffers()),
    ]
print(json.dumps([found, counters["aot_autograd"]]))
"""


def run(folder: Path, program: str = PROGRAMS, *given: str) -> Any:
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *given], capture_output=True, text=True, timeout=300,
        env={**os.environ, "RUSHLIGHT_CACHE_DIR": str(folder)}, cwd=ROOT,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_a_second_process_finds_programs(tmp_path):
    first, counts = run(tmp_path)
    assert counts["autograd_cache_miss"] == 5 and "autograd_cache_hit_on_disk" not in counts
    again, counts = run(tmp_path)
    assert again == first
    assert counts["autograd_cache_hit_on_disk"] == 5 and "autograd_cache_miss" not in counts


OF_ANY_SIZE = """
import json, sys, warnings
import rushlight as torch
from rushlight._dynamo.utils import counters
import rushlight.nn.functional as F
nn = torch.nn
warnings.simplefilter("error")

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.q, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)
    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.q(self.norm(x)).view(n, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, d)
        return (x + self.out(y)) * t / (2 * n)

def plain(x):
    n = x.shape[0]
    y = torch.cat([x, x[: n // 2]]).softmax(-1)
    return (y * n).sum(0), y.view(-1)[1 : n - 1], y.new_zeros(n + 1, 2), y.size(0) * 2

def halves(x):
    # What a view needs of a size is found out while it is traced.
    return x.view(2, -1, x.shape[1]).sum(0) + x.shape[0]

def long(x):
    return x.mean(0) if x.shape[0] > 40 else x.amax(0)

def changes(x):
    y = x * x.shape[0]
    y[1:].add_(y[:-1].clone())
    return y, y.t()

torch.manual_seed(0)
found = {}
for name, program, inputs in (
    ("attention", Attention(), lambda n: torch.linspace(-1, 1, 3 * n * 8).view(3, n, 8)),
    *((f.__name__, f, lambda n: torch.linspace(-1, 1, n * 4).view(n, 4)) for f in (plain, halves, long, changes)),
):
    compiled = torch.compile(program, dynamic=True)
    for n in map(int, sys.argv[1:]):
        for gradients in (True, False):
            told = []
            for run in (program, compiled):
                x = inputs(n).requires_grad_(gradients)
                try:
                    results = run(x)
                except Exception as error:
                    told.append({"error": len(type(error).__name__)})
                    continue
                results = results if isinstance(results, tuple) else (results,)
                tensors = [r for r in results if isinstance(r, torch.Tensor)]
                if gradients:
                    sum(r.sum() for r in tensors if r.requires_grad).backward()
                    tensors.append(x.grad)
                told.append([*(r for r in results if isinstance(r, int)), *tensors])
            torch.testing.assert_close(told[1], told[0])
    found[name] = {k: v for k, v in counters["aot_autograd"].items() if k.endswith(("disk", "miss"))}
    counters.clear()
print(json.dumps(found))
"""


def test_programs_of_any_size_are_found_for_other_sizes(tmp_path):
    first = run(tmp_path, OF_ANY_SIZE, "12", "50")
    assert all(set(counts) == {"autograd_cache_miss"} for counts in first.values())
    again = run(tmp_path, OF_ANY_SIZE, "12", "50")
    hits = {
        name: {"autograd_cache_hit_on_disk": c["autograd_cache_miss"]} for name, c in first.items()
    }
    assert again == hits
    # One size is on each side of the branch; an odd one has no halves.
    assert run(tmp_path, OF_ANY_SIZE, "6", "64") == hits
    assert run(tmp_path, OF_ANY_SIZE, "64", "6") == hits
    run(tmp_path, OF_ANY_SIZE, "7", "2")


def test_of_programs_that_differ_in_what_they_need_the_latest_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(
        program_files.object_cache, "store", lambda name, content: kept.update({name: content})
    )
    monkeypatch.setattr(program_files.object_cache, "load", lambda name: kept.get(name))
    kept: dict[str, bytes] = {}
    needed = iter([*(f"n > {k}" for k in range(10)), "n > 9"])
    monkeypatch.setattr(program_files, "guards_on", lambda symbols: next(needed))
    lowered = lower(make_fx(lambda x: x.sin() + 1, tracing_mode="fake")(torch.ones(2)))
    facts = SimpleNamespace(are_plain=True)
    for _ in range(11):
        program_files.save("program", [], facts, program_files.boxed(lowered), None)
    found = [variant.guards for variant in program_files._variants("program")]
    assert found == [f"n > {k}" for k in range(2, 10)]


def test_a_program_of_which_a_file_says_nonsense_is_compiled_again(tmp_path):
    program = """
        import json, warnings
        import rushlight as torch
        from rushlight._inductor import program_files
        if {breaks}:
            program_files.graph_of = lambda steps: 1 / 0
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x = torch.ones(3, requires_grad=True)
            torch.compile(lambda x: (x.sin() * 2).sum())(x).backward()
        print(json.dumps([x.grad.tolist(), [str(w.message) for w in seen]]))
    """
    found, told = run(tmp_path, program.format(breaks=False))
    assert not told
    again, told = run(tmp_path, program.format(breaks=True))
    assert again == found and len(told) == 1 and "ZeroDivisionError" in told[0]


def test_a_file_that_is_no_program_is_written_anew(monkeypatch):
    kept = {"program": b"nonsense"}
    monkeypatch.setattr(
        program_files.object_cache, "store", lambda name, content: kept.update({name: content})
    )
    monkeypatch.setattr(program_files.object_cache, "load", lambda name: kept.get(name))
    lowered = lower(make_fx(lambda x: x.sin() + 1, tracing_mode="fake")(torch.ones(2)))
    facts = SimpleNamespace(are_plain=True)
    with pytest.warns(
        RuntimeWarning, match="cannot be read, and is compiled again: UnpicklingError"
    ):
        assert program_files.load("program", [], None) is None
    with pytest.warns(RuntimeWarning, match="cannot be read"):
        program_files.save("program", [], facts, program_files.boxed(lowered), None)
    assert [variant.guards for variant in program_files._variants("program")] == [None]


def test_graphs_come_back_from_their_steps():
    def program(x, w):
        y = torch.softmax(x * 0.5 + 1, -1) @ w
        return y.square().mean(0, keepdim=True), torch.cat([y, y[1:]]), y.topk(2)[1]

    args = torch.randn(3, 4), torch.randn(4, 4)
    lowered = lower(make_fx(program, tracing_mode="fake")(*args))
    stream = io.BytesIO()
    program_files._Pickler(stream).dump(program_files.steps_of(lowered))
    made = program_files.graph_of(pickle.loads(stream.getvalue()))
    assert made.code == lowered.code
    for one, other in zip(made(*args), program(*args)):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    "x",
    [
        torch.tensor(0.5), torch.arange(6).view(2, 3).t(), torch.ones(0, 2), torch.tensor([True, False]),
        torch.randn(3, dtype=torch.complex64), torch.ones(2, dtype=torch.bfloat16),
    ],
    ids=str,
)  # fmt: skip
def test_small_tensors_of_graphs_are_kept(x):
    held = make_fx(lambda y: (y + x, x))(torch.ones(()))
    steps = pickle.loads(pickle.dumps(program_files.steps_of(held)))
    made, constant = program_files.graph_of(steps)(torch.tensor(2.0))
    torch.testing.assert_close(made, torch.tensor(2.0) + x)
    assert constant.stride() == x.stride() and constant.dtype == x.dtype


def test_what_is_not_kept():
    x = torch.ones(program_files.MOST_BYTES // 4 + 1)
    conjugated = torch.ones(2, dtype=torch.complex64).conj()
    for value in (
        x,
        conjugated,
        x[:2].clone().requires_grad_(),
        torch.nn.Parameter(x[:2]),
        x[:2].to("meta"),
    ):
        graph = torch.fx.Graph()
        graph.output(graph.get_attr("x"))
        held = GraphModule({"x": value}, graph)
        with pytest.raises(program_files.NotKept):
            program_files.steps_of(held)


def test_names_are_those_of_another_process():
    told = program_files.StableDetails(
        make_fx(lambda x: x.sin() + 1)(torch.ones(2)), [torch.ones(2)]
    )
    assert any("aten::sin" in line for line in told.lines)
    assert not any("@" in line for line in told.lines)


def test_operators_of_programs_are_not_kept():
    with torch.library._scoped_library("program_files_test", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        packet = torch.ops.program_files_test.twice
        for called in (packet, packet.default):
            with pytest.raises(program_files.BypassFxGraphCache, match="a program's own operator"):
                program_files._name_of_ours(called)
        assert torch.compile(lambda x: packet(x) + 1)(torch.ones(2)).tolist() == [3.0, 3.0]
    assert program_files._name_of_ours(torch.ops.aten.add) == "aten::add"


def test_programs_of_the_alias_are_its_own(tmp_path):
    program = """
import sys, warnings
warnings.simplefilter("error")
import rushlight
if sys.argv[1] == "alias":
    rushlight.install_as_torch()
    import torch
else:
    torch = rushlight
x = torch.ones(3, requires_grad=True)
torch.compile(lambda x: (x.sin() * 2).sum())(x).backward()
print(torch._dynamo.utils.counters["aot_autograd"]["autograd_cache_hit"])
"""
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    for which, hits in (("alias", 0), ("own", 0), ("alias", 1), ("own", 1)):
        told = subprocess.check_output([sys.executable, "-c", program, which], env=surroundings)
        assert int(told) == hits, which
