"""Pickles in PyTorch's format: the names in them are PyTorch's, the objects are ours.

Reading has two ways. `Unpickler` trusts the file. `RestrictedUnpickler` does not: it knows the few
instructions that data needs, finds only names on a list, and calls nothing else.
"""

from __future__ import annotations

import importlib
import pickle
import pickletools
import pkgutil
from collections import Counter, OrderedDict
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from rushlight import _utils
from rushlight._names.class_files import homes
from rushlight._tensor_members import copies
from rushlight.engine.autograd.node import Hooks, RemovableHandle
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import quantized, sparse
from rushlight.engine.core.device import device
from rushlight.engine.core.layout import layout, memory_format
from rushlight.engine.core.size import Size
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import Binding
from rushlight.engine.dispatch.public_names import public_name
from rushlight.nn.parameter import Parameter
from rushlight.storage import STORAGE_CLASSES, TypedStorage

UnpicklingError = pickle.UnpicklingError
# Types whose storages have a class of their own in files; the others name their type beside.
NAMED_STORAGES = {kind.dtype: kind for kind in STORAGE_CLASSES.values()}


# -- names --
def _get_layout(name: str) -> layout:
    """A layout from its name."""
    import rushlight

    found = getattr(rushlight, name.removeprefix("torch."), None)
    if not isinstance(found, layout):
        raise UnpicklingError(f"{name} is not a layout")
    return found


# Objects whose name in files is not that of the module they are defined in.
_NAMES: dict[Any, tuple[str, str]] = {
    Tensor: ("torch", "Tensor"),
    Size: ("torch", "Size"),
    device: ("torch", "device"),
    layout: ("torch", "layout"),
    memory_format: ("torch", "memory_format"),
    UntypedStorage: ("torch.storage", "UntypedStorage"),
    TypedStorage: ("torch.storage", "TypedStorage"),
    Parameter: ("torch.nn.parameter", "Parameter"),
    _utils._rebuild_from_type_v2: ("torch._tensor", "_rebuild_from_type_v2"),
    RemovableHandle: ("torch.utils.hooks", "RemovableHandle"),
    _get_layout: ("torch.serialization", "_get_layout"),
    **{kind: ("torch", name) for name, kind in STORAGE_CLASSES.items()},
    **{kind: ("torch", kind._name) for kind in dtypes.BY_NAME.values()},
    **{scheme: ("torch", scheme._name) for scheme in layouts.SCHEMES},
}
_BY_NAME = {name: found for found, name in _NAMES.items()}
# Python 2's names, which protocol 2 uses.
_RENAMED_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg"}
# Where PyTorch's compiled functions say that they live: classes, and modules with the part of
# their functions' names that ours leave out.
_COMPILED_CLASSES = {
    ("torch._C", "_VariableFunctionsClass"): "rushlight",
    ("torch._C", "TensorBase"): "rushlight:Tensor",
}
_COMPILED_MODULES = {
    "torch._C._nn": ("torch.nn.functional", ""),
    "torch._C._linalg": ("torch.linalg", "linalg_"),
    "torch._C._special": ("torch.special", "special_"),
    "torch._C._fft": ("torch.fft", "fft_"),
}


def is_operator(obj: Any) -> bool:
    """Whether an object is a generated function, which its module's name says nothing about."""
    if isinstance(obj, BuiltinFunctionType):
        return isinstance(obj.__self__, Binding)
    module = obj.__module__ if isinstance(obj, FunctionType) else None
    return isinstance(module, str) and module.startswith("rushlight.engine.generated")


def name_in_files(obj: Any) -> tuple[str, str] | None:
    """The module and name that stand for one of our objects; None for everybody else's."""
    try:
        known = _NAMES.get(obj)
    except TypeError:
        known = None
    if known is not None:
        return known
    if is_operator(obj):
        path, name = public_name(obj)
        return "torch" + path.removeprefix("rushlight"), name
    module = homes.get(obj) if isinstance(obj, type) else None
    module, name = module or getattr(obj, "__module__", None), getattr(obj, "__qualname__", ".")
    if not isinstance(module, str) or "." in name:
        return None
    if module.partition(".")[0] in ("rushlight", "torch"):
        # Classes say that they are torch's where that means rushlight.
        return "torch" + module.removeprefix("rushlight").removeprefix("torch"), name
    return None


def find_named(module: str, name: str) -> Any:
    """Our object for a name in a file."""
    known = _BY_NAME.get((module, name))
    if known is not None:
        return known
    if (module, name) in _COMPILED_CLASSES:
        return pkgutil.resolve_name(_COMPILED_CLASSES[module, name])
    if module in _COMPILED_MODULES:
        module, prefix = _COMPILED_MODULES[module]
        name = name.removeprefix(prefix)
    if module == "torch" or module.startswith("torch."):
        module = "rushlight" + module.removeprefix("torch")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


# -- writing --
_STORAGES = (TypedStorage, UntypedStorage)
_BUILT_IN_KINDS = frozenset({str, int, bool, float, type(None), tuple, list, dict})
_PLAIN = _BUILT_IN_KINDS | {OrderedDict}


class _Writing:
    """What a pickler does differently for our objects: mixed into a pickler in Python."""

    proto: int
    write: Callable[[bytes], Any]
    memoize: Callable[[Any], None]
    storage_id: Callable[[Any], Any]
    memo: dict[int, tuple[int, Any]]
    dispatch: dict[type, Callable[[Any, Any], None]]
    get: Callable[[int], bytes]

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        """Write an object; most are plain ones, which are nobody's storages, and nobody else is asked about them."""
        kind = type(obj)
        if kind not in _BUILT_IN_KINDS or self.proto >= 4:
            super().save(obj, save_persistent_id)  # type: ignore[misc]
            return
        known = self.memo.get(id(obj))
        if known is not None:
            self.write(self.get(known[0]))
        else:
            self.dispatch[kind](self, obj)

    def persistent_id(self, obj: Any) -> Any:
        return self.storage_id(obj) if isinstance(obj, _STORAGES) else None

    def save_global(self, obj: Any, name: str | None = None) -> None:
        found = name_in_files(obj)
        if found is None:
            super().save_global(obj, name)  # type: ignore[misc]
            return
        self.write(pickle.GLOBAL + f"{found[0]}\n{found[1]}\n".encode())
        self.memoize(obj)

    def reducer_override(self, obj: Any) -> Any:
        # Asked for everything that is written.
        if type(obj) in _PLAIN:
            return NotImplemented
        if isinstance(obj, Tensor):
            return _reduced_tensor(obj, self.proto)
        if isinstance(obj, dtypes.dtype):
            return obj._name
        if isinstance(obj, Hooks):
            return OrderedDict, (), None, None, iter(obj.items())
        if isinstance(obj, layout):
            return _get_layout, (str(obj),)
        if is_operator(obj):
            return _reduced_function(obj)
        if hasattr(type(obj), "_reduced_for_files"):
            return obj._reduced_for_files(self.proto)
        return NotImplemented


def make_pickler(file: Any, protocol: int, storage_id: Any, pickle_module: Any = pickle) -> Any:
    """A pickler that writes our objects under PyTorch's names."""
    base = pickle._Pickler if pickle_module is pickle else pickle_module.Pickler  # type: ignore[attr-defined]
    if not issubclass(base, pickle._Pickler):  # type: ignore[attr-defined]
        raise NotImplementedError(
            f"save: the pickler of {pickle_module.__name__} is not written in Python, so it cannot "
            "write tensors under PyTorch's names"
        )
    members = {
        "storage_id": staticmethod(storage_id),
        # The pickler finds what to do with a function here, not by its method's name.
        "dispatch": {**base.dispatch, FunctionType: _Writing.save_global},
    }
    made = type("Pickler", (_Writing, base), members)
    return made(file, protocol=protocol)


def _reduced_function(function: Any) -> Any:
    """A name for a function of a module; a method is found at its class."""
    path, name = public_name(function)
    return (getattr, (pkgutil.resolve_name(path), name)) if ":" in path else name


def _reduced_tensor(source: Any, protocol: int) -> Any:
    if type(source).__reduce_ex__ not in (Tensor.__reduce_ex__, Parameter.__reduce_ex__):
        return source.__reduce_ex__(protocol)
    if type(source) is Parameter:
        return _reduced_parameter(source)
    copies.warn_of_hooks(source)
    made, arguments = _plain_parts(source)
    state = copies._state_of(source)
    if type(source) is Tensor and not state:
        return made, arguments
    return _utils._rebuild_from_type_v2, (made, type(source), arguments, state)


def _reduced_parameter(source: Any) -> Any:
    parts: tuple[Any, ...] = (source.data, bool(source.requires_grad), OrderedDict())
    state = copies._state_of(source)
    if state:
        return _utils._rebuild_parameter_with_state, (*parts, state)
    return _utils._rebuild_parameter, parts


def _sparse_parts(source: Any) -> Any:
    """The layout of a sparse tensor and what it is made of."""
    parts = sparse.parts_of(source)
    given = (*parts.named().values(), source._size_)
    return parts.layout, (*given, parts.coalesced) if sparse.is_coordinates(source) else given


def _plain_parts(source: Any) -> Any:
    """The function and arguments that give the tensor back, without class and attributes."""
    kind, size, stride = source._dtype_, tuple(source._size_), tuple(source._stride_)
    requires_grad = bool(source.requires_grad)
    if sparse.is_sparse(source):
        return _utils._rebuild_sparse_tensor, _sparse_parts(source)
    if copies.only_wraps(source):
        return copies.wrapper_parts(source)
    if source._storage_.device.type == "meta":
        return _utils._rebuild_meta_tensor_no_storage, (kind, size, stride, requires_grad)
    if quantized.is_quantized(source):
        held = TypedStorage(wrap_storage=source._storage_, dtype=kind, _internal=True)
        meaning = copies.meaning_of(source)
        given = held, source._offset_, size, stride, meaning, requires_grad
        return _utils._rebuild_qtensor, (*given, OrderedDict())
    geometry: tuple[Any, ...] = (source._offset_, size, stride, requires_grad, OrderedDict())
    metadata = _utils.tensor_metadata(source)
    marks = (metadata,) if metadata else ()
    if kind in NAMED_STORAGES:
        held = TypedStorage(wrap_storage=source._storage_, dtype=kind, _internal=True)
        return _utils._rebuild_tensor_v2, (held, *geometry, *marks)
    return _utils._rebuild_tensor_v3, (source._storage_, *geometry, kind, *marks)


# -- reading a file that is trusted --
def make_unpickler(file: Any, persistent_load: Any, pickle_module: Any, **options: Any) -> Any:
    """An unpickler that finds our objects under PyTorch's names."""

    class Unpickler(pickle_module.Unpickler):  # type: ignore[misc]
        def find_class(self, module: str, name: str) -> Any:
            if module == "torch" or module.startswith("torch."):
                return find_named(module, name)
            return super().find_class(module, name)

    made = Unpickler(file, **options)
    made.persistent_load = persistent_load
    return made


# -- reading a file that is not trusted --
_BLOCKED_MODULES = ("sys", "os", "posix", "nt")
_allowed_by_user: list[Any] = []


def _latin1(text: str, encoding: str) -> bytes:
    """What Python 3 writes for bytes in protocol 2."""
    if encoding != "latin1":
        raise UnpicklingError(f"bytes in the encoding {encoding} are not expected")
    return text.encode("latin1")


def _filled_bytearray(*content: Any) -> bytearray:
    """A bytearray of given bytes; not one of a given length, which could be any."""
    if any(isinstance(part, int) for part in content):
        raise UnpicklingError("a bytearray of a length is not expected")
    if content and isinstance(content[0], str):
        return bytearray(_latin1(content[0], *content[1:]))
    return bytearray(*content)


_BUILT_IN: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": _latin1,
    "builtins.bytearray": _filled_bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
    **{".".join(name): found for name, found in _BY_NAME.items()},
    **{
        f"torch._utils.{function.__name__}": function
        for function in (
            _utils._rebuild_tensor,
            _utils._rebuild_tensor_v2,
            _utils._rebuild_tensor_v3,
            _utils._rebuild_parameter,
            _utils._rebuild_parameter_with_state,
            _utils._rebuild_meta_tensor_no_storage,
            _utils._rebuild_wrapper_subclass,
            _utils._rebuild_sparse_tensor,
            _utils._rebuild_qtensor,
        )
    },
}
# What is not loaded before a file names it.
_FOUND_LATER = {
    "torch._utils._rebuild_nested_tensor": "rushlight._utils:_rebuild_nested_tensor",
    **{
        f"torch.nested._internal.nested_tensor.{name}": f"rushlight.nested._internal.nested_tensor:{name}"
        for name in ("NestedTensor", "_rebuild_njt")
    },
}
# Classes that are names in persistent ids only: nothing is made of them.
_NEVER_CALLED = (*STORAGE_CLASSES.values(), TypedStorage, UntypedStorage, layout, memory_format)
_ORDINARY_DICTS = (dict, OrderedDict, Counter)


def allow(found: list[Any]) -> None:
    """Let files that are not trusted name these classes and functions."""
    _allowed_by_user.extend(item for item in found if item not in _allowed_by_user)


def disallow(found: list[Any]) -> None:
    """Take `allow` back."""
    _allowed_by_user[:] = [item for item in _allowed_by_user if item not in found]


def allowed_by_user() -> list[Any]:
    """What `allow` was given."""
    return list(_allowed_by_user)


def _names_of_user() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for item in _allowed_by_user:
        if not isinstance(item, tuple):
            made[f"{item.__module__}.{item.__qualname__}"] = item
            known = name_in_files(item)
            if known is not None:
                made[".".join(known)] = item
            continue
        if len(item) != 2:
            raise ValueError(
                "Expected tuple of length 2 (global, str of callable full path), but got tuple of "
                f"length: {len(item)}"
            )
        if not isinstance(item[1], str):
            raise TypeError(
                "Expected second item in tuple to be str of callable full path, but got: "
                f"{type(item[1])}"
            )
        made[item[1]] = item[0]
    return made


def _refusal(path: str) -> UnpicklingError:
    shown = path.removeprefix("builtins.")
    return UnpicklingError(
        f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{shown}])` or the "
        f"`torch.serialization.safe_globals([{shown}])` context manager to allowlist this global "
        "if you trust this class/function."
    )


def _global_path(argument: str) -> tuple[str, str]:
    module, _, name = argument.partition(" ")
    return _RENAMED_MODULES.get(module, module), name


class RestrictedUnpickler:
    """Reads a pickle that may be hostile.

    Args:
        file: where it is read from; the file's position is after the pickle then
        persistent_load: gives the storage for an id
    """

    def __init__(self, file: Any, persistent_load: Callable[[Any], Any]) -> None:
        self.file = file
        self.persistent_load = persistent_load
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.names = {**_names_of_user(), **_BUILT_IN}
        self.from_user = {id(item) for item in _names_of_user().values()}
        refused = {id(item) for item in _NEVER_CALLED}
        self.callable = {id(item) for item in self.names.values()} - refused | self.from_user

    def load(self) -> Any:
        """The object."""
        try:
            return self._run()
        except (ValueError, IndexError, KeyError, EOFError, TypeError, AttributeError) as error:
            raise UnpicklingError(f"the pickle is damaged: {error!r}") from error

    def _run(self) -> Any:
        for opcode, argument, _ in pickletools.genops(self.file):
            if opcode.name == "STOP":
                return self.stack.pop()
            action = _ACTIONS.get(opcode.name)
            if action is None:
                raise UnpicklingError(f"Unsupported operand {ord(opcode.code)} ({opcode.name})")
            action(self, argument)
        raise UnpicklingError("the pickle has no end")

    # -- the stack --
    def push(self, value: Any) -> None:
        self.stack.append(value)

    def mark(self, _: Any) -> None:
        self.marked.append(self.stack)
        self.stack = []

    def pop_mark(self) -> list[Any]:
        items, self.stack = self.stack, self.marked.pop()
        return items

    def pop(self, count: int) -> list[Any]:
        """The last items."""
        if len(self.stack) < count:
            raise IndexError("the stack is empty")
        items = self.stack[-count:]
        del self.stack[-count:]
        return items

    def remember(self, index: int | None) -> None:
        self.memo[len(self.memo) if index is None else index] = self.stack[-1]

    # -- containers --
    def extend(self, items: list[Any]) -> None:
        if type(self.stack[-1]) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(self.stack[-1])}")
        self.stack[-1].extend(items)

    def add(self, items: list[Any]) -> None:
        if type(self.stack[-1]) is not set:
            raise UnpicklingError(f"Can only add to sets, but got {type(self.stack[-1])}")
        self.stack[-1].update(items)

    def set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) not in _ORDINARY_DICTS:
            raise UnpicklingError(
                "Can only SETITEM for dict, collections.OrderedDict, collections.Counter, but got "
                f"{type(target)}"
            )
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key] = value

    # -- names and calls --
    def find(self, module: str, name: str) -> Any:
        path = f"{module}.{name}"
        if module in _BLOCKED_MODULES:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        if path in _FOUND_LATER and path not in self.names:
            self.names[path] = pkgutil.resolve_name(_FOUND_LATER[path])
            self.callable |= {id(self.names[path])}
        if path not in self.names:
            raise _refusal(path)
        return self.names[path]

    def stack_global(self, _: Any) -> None:
        module, name = self.pop(2)
        self.push(self.find(module, name))

    def reduce(self, _: Any) -> None:
        function, arguments = self.pop(2)
        if id(function) not in self.callable:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {function}")
        self.push(function(*arguments))

    def make(self, _: Any) -> None:
        cls, arguments = self.pop(2)
        if cls is Parameter:
            self.push(Parameter(*arguments))
        elif isinstance(cls, type) and id(cls) in self.callable:
            self.push(cls.__new__(cls, *arguments))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via "
                f"`add_safe_globals` but got {cls}"
            )

    def build(self, _: Any) -> None:
        state = self.pop(1)[0]
        target = self.stack[-1]
        if type(target) is OrderedDict:
            target.__dict__.update(state)
        elif type(target) in (Tensor, Parameter):
            _utils.set_attributes(target, state)
        elif id(type(target)) in self.from_user:
            _set_state(target, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {type(target)}"
            )

    def persistent(self, _: Any) -> None:
        (key,) = self.pop(1)
        if not (isinstance(key, tuple) and key and key[0] == "storage"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {key!r}")
        self.push(self.persistent_load(key))


def _set_state(target: Any, state: Any) -> None:
    """What pickle does with an object's state."""
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    target.__dict__.update(attributes or {})
    for name, value in (slots or {}).items():
        setattr(target, name, value)


_Action = Callable[[RestrictedUnpickler, Any], Any]
_VALUES = (
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "SHORT_BINSTRING", "BINSTRING",
)  # fmt: skip
_ACTIONS: dict[str, _Action] = {
    "PROTO": lambda self, _: None,
    "FRAME": lambda self, _: None,
    "MARK": RestrictedUnpickler.mark,
    "NONE": lambda self, _: self.push(None),
    "NEWFALSE": lambda self, _: self.push(False),
    "NEWTRUE": lambda self, _: self.push(True),
    **{name: lambda self, value: self.push(value) for name in _VALUES},
    "EMPTY_TUPLE": lambda self, _: self.push(()),
    "EMPTY_LIST": lambda self, _: self.push([]),
    "EMPTY_DICT": lambda self, _: self.push({}),
    "EMPTY_SET": lambda self, _: self.push(set()),
    "TUPLE": lambda self, _: self.push(tuple(self.pop_mark())),
    "TUPLE1": lambda self, _: self.push(tuple(self.pop(1))),
    "TUPLE2": lambda self, _: self.push(tuple(self.pop(2))),
    "TUPLE3": lambda self, _: self.push(tuple(self.pop(3))),
    "FROZENSET": lambda self, _: self.push(frozenset(self.pop_mark())),
    "APPEND": lambda self, _: self.extend(self.pop(1)),
    "APPENDS": lambda self, _: self.extend(self.pop_mark()),
    "ADDITEMS": lambda self, _: self.add(self.pop_mark()),
    "SETITEM": lambda self, _: self.set_items(self.pop(2)),
    "SETITEMS": lambda self, _: self.set_items(self.pop_mark()),
    "BINPUT": RestrictedUnpickler.remember,
    "LONG_BINPUT": RestrictedUnpickler.remember,
    "MEMOIZE": lambda self, _: self.remember(None),
    "BINGET": lambda self, index: self.push(self.memo[index]),
    "LONG_BINGET": lambda self, index: self.push(self.memo[index]),
    "GLOBAL": lambda self, argument: self.push(self.find(*_global_path(argument))),
    "STACK_GLOBAL": RestrictedUnpickler.stack_global,
    "REDUCE": RestrictedUnpickler.reduce,
    "NEWOBJ": RestrictedUnpickler.make,
    "BUILD": RestrictedUnpickler.build,
    "BINPERSID": RestrictedUnpickler.persistent,
}


def names_in(file: Any) -> set[str]:
    """The names that a pickle asks for, found without running it."""
    found = set()
    texts: list[Any] = []
    for opcode, argument, _ in pickletools.genops(file):
        if opcode.name == "GLOBAL":
            found.add(".".join(_global_path(str(argument))))
        elif opcode.name == "STACK_GLOBAL":
            found.add(".".join(texts[-2:]))
        elif isinstance(argument, str):
            texts.append(argument)
    return found


def unsafe_names_in(file: Any) -> list[str]:
    """Those of the names that a restricted reading would refuse."""
    return sorted(names_in(file) - set(_BUILT_IN) - set(_names_of_user()))
