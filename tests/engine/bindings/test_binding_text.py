import ast

import pytest

yaml = pytest.importorskip("yaml")

from rushlight.engine.bindings.text import binding_source  # noqa: E402
from rushlight.engine.codegen.forms import bindings  # noqa: E402
from rushlight.engine.codegen.model import read_entry  # noqa: E402


def entry(text, **fields):
    return read_entry({"func": text, "line": 1, **fields}, "family", "file:1")


def source(*entries, is_method=False):
    """The words of a binding in a generated file, and the text of its Python function."""
    (binding,) = bindings(entries, is_method)
    text = binding_source(binding)
    ast.parse(text)
    return binding.text, text


def test_a_unary_function_with_out():
    words, text = source(
        entry("neg(Tensor self) -> Tensor"),
        entry("neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    )
    assert "def neg(input=MISSING, *extra, out=None, **others):" in text
    assert words == "neg|neg.out"
    assert "if type(input) in plain:\n            return c_family.neg(input)" in text


def test_numbers_come_in_where_the_entry_says_so():
    words, text = source(
        entry(
            "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", numbers="tensors"
        ),
        entry("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binding="none"),
    )
    assert words == "+ add.Tensor -add.Scalar"
    assert "return c_family.add_Scalar(input, other, alpha)" in text


def test_overloads_with_other_names_branch_on_the_number_of_arguments():
    _, text = source(
        entry("max(Tensor self) -> Tensor"),
        entry("max.other(Tensor self, Tensor other) -> Tensor"),
        entry("max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)"),
    )
    assert "if n == 2 and type(args[0]) in plain and type(args[1]) is int:" in text


def test_integers_one_by_one():
    _, text = source(
        entry("view(Tensor(a) self, SymInt[] size) -> Tensor(a)", variants="method"),
        is_method=True,
    )
    assert "def view(self, *args, **others):" in text
