"""Assembling the namespaces: generated bindings become public functions and tensor methods."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from rushlight.engine.core import generator
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache, operator
from rushlight.engine.dispatch.call_cache import READS_LISTS, TAKES_ARRAYS, Numbers
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument


def _overloads(resolver: Any) -> Iterator[tuple[Operator, list[Argument]]]:
    """The overloads behind a public function, each with its positional arguments as a call has them."""
    for spec in resolver.specs:
        op = operator.operator(spec.lstrip("-").partition("|")[0])
        arguments = list(op.schema.positional)
        if resolver.is_method:
            # A method is called on `self`, wherever the schema has it.
            arguments = sorted(arguments, key=lambda a: a.name != "self")
        yield op, arguments


def free_numbers(resolver: Any) -> Callable[[], Numbers]:
    """A function that gives the arguments that may be operands or plain numbers."""
    if resolver is None:
        return lambda: Numbers.at([1])

    def find() -> Numbers:
        places: set[int | str] = set()
        others: set[int | str] = set()
        checked = False
        for op, arguments in _overloads(resolver):
            # Such as `fill_`: the number must fit the tensor's elements.
            is_pointwise = op.kind == "pointwise"
            checked |= not is_pointwise
            for argument in op.schema.arguments:
                kind = argument.type.required.plain
                # What others than kernels for elements do may depend on a number's value.
                is_free = kind == "Scalar" and is_pointwise
                if kind != "Tensor":
                    (places if is_free else others).add(argument.name)
            for position, argument in enumerate(arguments):
                kind = argument.type.required.plain
                if kind != "Tensor":
                    (places if kind == "Scalar" else others).add(position)
        free = places - others
        return Numbers.at(
            (k for k in free if isinstance(k, int)),
            sorted(k for k in free if isinstance(k, str)),
            checked,
        )

    return find


def size_positions(resolver: Any) -> Callable[[], int]:
    """A function that gives a bit for every argument whose integers are sizes, or shape a result."""
    if resolver is None:
        return call_cache.no_sizes

    def find() -> int:
        sizes = others = 0
        for _, arguments in _overloads(resolver):
            for position, argument in enumerate(arguments):
                kind = argument.type.required.plain
                if kind.startswith("SymInt") or kind == "Scalar":
                    sizes |= 1 << position
                elif kind.startswith("int"):
                    others |= 1 << position
            if arguments and arguments[-1].type.required.plain.startswith("SymInt["):
                # Such a list may be given as one argument after the other.
                sizes |= -1 << len(arguments) - 1 & (1 << 62) - 1
        return sizes & ~others

    return find


@functools.cache
def bindings(module: ModuleType) -> dict[str, tuple[FunctionType, Any]]:
    """The functions that a generated module defines, each with its resolver (or None)."""
    members = vars(module)
    return {
        name: (value, members.get(f"r_{name}"))
        for name, value in list(members.items())
        if type(value) is FunctionType and value.__module__ == module.__name__
    }


# The public form of every generated function that has one.
_public: dict[FunctionType, Any] = {}


def _public_form(name: str, function: FunctionType, resolver: Any) -> Any:
    """What programs call for a generated function: the same object in every namespace."""
    made = _public.get(function)
    if made is None:
        made = _public[function] = call_cache.public_function(
            name, function, free_numbers(resolver), sizes=size_positions(resolver)
        )
        if resolver is not None:
            resolver.public = made
    return made


def fill_namespace(target: dict[str, Any], module: ModuleType) -> None:
    """Add the public functions of a generated module to a namespace.

    The module has them too from now on: what the package itself calls there is remembered as well.
    """
    made = {name: _public_form(name, *found) for name, found in bindings(module).items()}
    target.update(made)
    vars(module).update(made)


def make_public(target: dict[str, Any], module: ModuleType) -> None:
    """Put public functions in the place of those of a generated module that a namespace has."""
    known = bindings(module)
    for name, value in target.items():
        if name in known and known[name][0] is value:
            target[name] = _public_form(name, *known[name])


def fill_constructors(target: dict[str, Any]) -> None:
    """Add constructors whose calls with plain numbers are worth remembering."""
    from rushlight._tensor_members import construction

    made = call_cache.public_function(
        "tensor",
        construction.tensor,
        lambda: Numbers.at([0], checked=True),
        READS_LISTS | TAKES_ARRAYS,
    )
    target["tensor"] = call_cache.let_overrides_answer(made)
    target["from_numpy"] = call_cache.public_function(
        "from_numpy", construction.from_numpy, habits=TAKES_ARRAYS
    )
    for name in ("as_tensor", "asarray"):
        found = call_cache.public_function(name, getattr(construction, name), habits=TAKES_ARRAYS)
        target[name] = call_cache.let_overrides_answer(found)


def fill_methods(module: ModuleType) -> None:
    """Attach generated methods to the tensor class."""
    for name, (function, resolver) in bindings(module).items():
        made = call_cache.public_method(
            name, function, free_numbers(resolver), sizes=size_positions(resolver)
        )
        setattr(Tensor, name, made)
        if resolver is not None:
            resolver.public = getattr(Tensor, name)


_LATER_MODULES = (
    "__config__", "__future__", "_C", "_dynamo", "_prims", "_refs", "_utils", "ao", "accelerator", "amp", "backends", "compiler", "cpu", "cuda",
    "distributed", "distributions", "func", "futures", "fx", "hub", "jit", "masked", "mps", "mtia", "multiprocessing", "onnx",
    "optim", "overrides", "profiler", "quasirandom", "return_types", "serialization", "sparse", "storage", "testing", "torch_version", "types",
    "utils", "version", "xpu",
)  # fmt: skip
_ELSEWHERE = {
    "DisableTorchFunction": ("rushlight.overrides", "DisableTorchFunction"),
    "DisableTorchFunctionSubclass": ("rushlight.overrides", "DisableTorchFunctionSubclass"),
    "Future": ("rushlight.jit", "Future"),
    "PyTorchFileReader": ("rushlight._files.reader", "PyTorchFileReader"),
    "GradScaler": ("rushlight.amp", "GradScaler"),
    "ScriptFunction": ("rushlight.jit", "ScriptFunction"),
    "ScriptModule": ("rushlight.jit", "ScriptModule"),
    "autocast": ("rushlight.amp", "autocast"),
    "compile": ("rushlight.compiler", "compile"),
    "install_as_torch": ("rushlight.alias", "install"),
    "load": ("rushlight.serialization", "load"),
    "save": ("rushlight.serialization", "save"),
    "dsmm": ("rushlight", "mm"),
    "hsmm": ("rushlight", "hspmm"),
    "spmm": ("rushlight", "mm"),
    "sparse_coo_tensor": ("rushlight.sparse.construct", "sparse_coo_tensor"),
    **{
        name: ("rushlight.sparse.construct_compressed", name)
        for name in ("sparse_compressed_tensor", "sparse_csc_tensor", "sparse_csr_tensor")
    },
    "to_dlpack": ("rushlight.utils.dlpack", "to_dlpack"),
    "explain": ("rushlight._command.explain", "explain"),
    **{
        name: ("rushlight.nn._functional.recurrent", name)
        for kind in ("gru", "lstm", "rnn_relu", "rnn_tanh")
        for name in (kind, f"{kind}_cell")
    },
}
_IN_STORAGE = ("TypedStorage", "UntypedStorage")


def names_found_later() -> list[str]:
    """The names that `found_later` finds, but for classes of tensors and storages."""
    return [*_LATER_MODULES, *_IN_STORAGE, *_ELSEWHERE, *_over_lists(), "default_generator"]


def _over_lists() -> dict[str, Any]:
    """The operators over lists of tensors."""
    functions: dict[str, Any] = importlib.import_module("rushlight._functions.foreach").functions
    return functions


def found_later(name: str) -> Any:
    """A name of the namespace whose module is not imported with the package."""
    if name in _LATER_MODULES:
        return importlib.import_module(f"rushlight.{name}")
    if name.startswith("_foreach_") and name in _over_lists():
        return _over_lists()[name]
    if name == "torch":
        return importlib.import_module("rushlight")
    if name == "default_generator":
        return generator.default_generator()
    if name in _IN_STORAGE or name.endswith(("Storage", "Tensor")):
        storage = importlib.import_module("rushlight.storage")
        classes = {**storage.TENSOR_CLASSES, **storage.STORAGE_CLASSES}
        found = getattr(storage, name, None) if name in _IN_STORAGE else classes.get(name)
        if found is not None:
            return found
    if name in _ELSEWHERE:
        module = importlib.import_module(_ELSEWHERE[name][0])
        return getattr(module, _ELSEWHERE[name][1])
    raise AttributeError(f"module 'rushlight' has no attribute '{name}'")
