import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.engine.bindings import public, signatures
from rushlight.engine.dispatch.resolver import Resolver
from rushlight.engine.generated import functions, linalg_functions, methods, nn_functions


def files_of(function, *args):
    """The files of the Python functions that a call enters."""
    files = []
    sys.setprofile(lambda frame, event, _: files.append(frame.f_code.co_filename))
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return files


def runs_text(function):
    return any(f.startswith("<rushlight neg function") for f in files_of(function, torch.ones(2)))


def test_a_function_gets_a_text_when_its_calls_keep_coming():
    function = public.python_function(Resolver("neg", "neg|neg.out", False))
    assert not runs_text(function)
    results = [function(torch.ones(2)).tolist() for _ in range(public.PATIENCE)]
    assert results == [[-1, -1]] * len(results)
    assert runs_text(function)


def test_a_text_can_be_wanted_at_once():
    function = public.python_function(Resolver("neg", "neg|neg.out", False))
    with public.written_at_once():
        assert runs_text(function)
    assert runs_text(function)


@pytest.mark.parametrize("patience", [0, public.PATIENCE])
def test_overrides_and_errors_are_told_the_call_as_it_was(patience, monkeypatch):
    monkeypatch.setattr(public, "patience", patience)

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return args, kwargs

    function = public.python_function(next(r for r in public.resolvers if r.name == "sum"))
    duck, x = Duck(), torch.ones(2)
    assert function(duck, dim=0) == ((duck,), {"dim": 0})
    assert function(duck, 0) == ((duck, 0), {})
    with pytest.raises(TypeError, match=r"got \(Tensor, dim=str\)"):
        function(x, dim="x")
    assert function(x, dim=0).item() == 2


def test_functions_and_methods_share_what_they_know_of_overloads():
    function = next(r for r in public.resolvers if r.name == "add" and not r.is_method)
    method = methods.RESOLVERS["add"]
    assert function.text == method.text
    first, second = function.forms[0], method.forms[0]
    assert [p.name for p in first.parameters] == ["input", "other", "alpha", "out"]
    assert [p.name for p in second.parameters] == ["other", "alpha"]
    assert all(any(p is q for q in first.parameters) for p in second.parameters)


def test_every_name_has_words_that_can_be_read():
    for resolver in public.resolvers:
        binding = signatures.read(resolver)
        assert binding.name == resolver.name and binding.signatures
        assert resolver.is_method or binding.text.split() == [
            word for word in resolver.words if "(" not in word
        ]


def test_a_function_is_the_same_object_in_every_namespace():
    assert torch.add is functions.add
    assert torch.nn.functional.linear is nn_functions.linear
    assert torch.linalg.svd is linalg_functions.linalg_svd


def test_signs_leave_to_the_other_operand_what_they_do_not_take():
    x = torch.ones(2)
    for sign in ("__add__", "__and__", "__rpow__", "__rsub__", "__eq__"):
        assert getattr(torch.Tensor, sign)(x, object()) is NotImplemented
    with pytest.raises(TypeError, match="descriptor '__add__'"):
        torch.Tensor.__add__(1, x)
    with pytest.raises(TypeError, match="only implemented on integer and Boolean"):
        torch.Tensor.__invert__(x)


def test_functions_have_their_names_where_no_machine_code_is_in_front():
    program = (
        "import pickle, rushlight as torch\n"
        "found = (torch.add, torch.Tensor.add, torch.linalg.svd, torch.nn.functional.linear)\n"
        "assert all(pickle.loads(pickle.dumps(f)) is f for f in found)\n"
        "assert [f.__name__ for f in found] == ['add', 'add', 'linalg_svd', 'linear']\n"
        "x = torch.ones(2)\n"
        "assert all((x + x).tolist() == [2, 2] == x.add(x).tolist() for _ in range(40))\n"
    )
    surroundings = {**os.environ, "RUSHLIGHT_PLAIN_OBJECTS": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=surroundings)
