import ast
import subprocess
import sys

import pytest

yaml = pytest.importorskip("yaml")

from rushlight.engine.codegen import outputs  # noqa: E402
from rushlight.engine.codegen.__main__ import PACKAGE, stale, write  # noqa: E402
from rushlight.engine.codegen.bindings import binding_source  # noqa: E402
from rushlight.engine.codegen.forms import bindings  # noqa: E402
from rushlight.engine.codegen.model import YamlError, load, read_entry  # noqa: E402


def entry(text, **fields):
    return read_entry({"func": text, "line": 1, **fields}, "family", "file:1")


@pytest.fixture(scope="module")
def entries():
    return load()


def test_the_generated_files_are_up_to_date(entries):
    assert stale(outputs.everything(entries)) == []


def test_writing_makes_and_removes_files(tmp_path):
    (tmp_path / "engine/generated").mkdir(parents=True)
    (tmp_path / "engine/generated/old.py").write_text("")
    files = {"engine/generated/new.py": "x = 1\n"}
    assert write(files, tmp_path) == ["engine/generated/new.py", "engine/generated/old.py"]
    assert stale(files, tmp_path) == []


def test_every_entry_prints_back(entries):
    assert [e.text for e in entries if str(e.schema) != e.text] == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"func": "f(Tensor x) -> Tensor", "sort": 1}, "family/file:1: unknown field sort"),
        ({"func": "f(Tensor x) -> "}, "family/file:1: expected a type"),
        ({"func": "f() -> ()", "kind": "odd"}, "the kind 'odd'"),
        ({"func": "f() -> ()", "variants": "macro"}, "variants are"),
        ({"kind": "view"}, "no `func`"),
    ],
)
def test_errors_name_the_place(fields, message):
    with pytest.raises(YamlError, match=message):
        read_entry({"line": 1, **fields}, "family", "file:1")


def source(*entries, is_method=False):
    (binding,) = bindings(entries, is_method)
    text = binding_source(binding)
    ast.parse(text)
    return text


def test_a_unary_function_with_out():
    text = source(
        entry("neg(Tensor self) -> Tensor"),
        entry("neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    )
    assert "def neg(input=MISSING, *extra, out=None, **others):" in text
    assert "Resolver('neg', ('neg|neg.out',), False)" in text
    assert "if type(input) in plain:\n            return c_neg(input)" in text


def test_a_hidden_scalar_overload_lets_numbers_in():
    text = source(
        entry("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
        entry("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binding="none"),
    )
    assert "'-add.Scalar',), False, True)" in text
    assert "return c_add_Scalar(input, other, alpha)" in text


def test_overloads_with_other_names_branch_on_the_number_of_arguments():
    text = source(
        entry("max(Tensor self) -> Tensor"),
        entry("max.other(Tensor self, Tensor other) -> Tensor"),
        entry("max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)"),
    )
    assert "if n == 2 and type(args[0]) in plain and type(args[1]) is int:" in text


def test_integers_one_by_one():
    text = source(
        entry("view(Tensor(a) self, SymInt[] size) -> Tensor(a)", variants="method"),
        is_method=True,
    )
    assert "def view(self, *args, **others):" in text


def test_checking_from_the_command_line():
    command = [sys.executable, "-m", "rushlight.engine.codegen", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent)
    assert (done.returncode, done.stdout.strip()) == (0, "up to date")


def test_files_of_kernels_are_told_by_what_they_put_off():
    from rushlight.engine.codegen.kernel_files import kernel_files_source
    from rushlight.engine.dispatch import registry

    before = {packet: len(steps) for packet, steps in registry.put_off.items()}
    names: dict = {}
    exec(kernel_files_source(["pointwise"]), names)
    files = names["PACKETS"]["pointwise"]
    assert "aten::add" in files["arithmetic"] and "aten::mse_loss" in files["losses"]
    assert "kernels" not in files and "rules" not in files
    # running a file to hear what it says registers nothing
    for packet in before:
        assert len(registry.put_off.get(packet, ())) == before[packet]
