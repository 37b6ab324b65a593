"""Tracing: a program is run with proxies for its arguments, and what it does becomes a graph."""

from __future__ import annotations

import builtins
import collections
import contextlib
import functools
import inspect
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.fx.codegen import _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import base_types
from rushlight.fx.proxy import (
    _PLAIN_ARGUMENTS,
    ParameterProxy,
    Proxy,
    Scope,
    ScopeContextManager,
    TracerBase,
)
from rushlight.nn.modules.module import Module
from rushlight.utils import _pytree as pytree

__all__ = [
    "PH",
    "PHBase",
    "PHWithMeta",
    "ProxyableClassMeta",
    "Tracer",
    "is_fx_symbolic_tracing",
    "is_fx_tracing",
    "symbolic_trace",
    "wrap",
]

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class _Local(threading.local):
    """Whether this thread traces."""

    is_tracing = False


_local = _Local()


def is_fx_tracing() -> bool:
    """Whether a program is traced now, by this thread."""
    return _local.is_tracing


def is_fx_symbolic_tracing() -> bool:
    """Whether a program is traced now by proxies."""
    return _local.is_tracing


def __getattr__(name: str) -> Any:
    if name == "_is_fx_tracing_flag":
        return _local.is_tracing
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def is_fx_tracing_warning() -> None:
    """Warn that it matters now that a program is traced."""
    warnings.warn(
        "is_fx_tracing will return true for both fx.symbolic_trace and torch.export. Please use "
        "is_fx_symbolic_tracing() for specifically fx.symbolic_trace",
        stacklevel=2,
    )


_proxyable_classes: dict[type, None] = {}


class ProxyableClassMeta(type):
    """The class of classes whose making from proxies is a node."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if is_fx_tracing():
            proxy = _find_proxy(*args, *kwargs.values())
            if proxy is not None:
                return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


def _with_plain_parameters(function: FunctionType, count: int) -> FunctionType:
    """A function that takes all its parameters by position, starred ones as one value each."""
    code: CodeType = function.__code__
    plain = code.replace(
        co_flags=code.co_flags & ~HAS_VARSTUFF,
        co_argcount=count,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
    )
    return FunctionType(
        plain, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


class PHBase:
    """Marks, in `concrete_args`, a place where an argument comes."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A place with something to note of its node."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


def _transfer_attrs(fr: object, to: object) -> None:
    """Give one object the public attributes of another."""
    for name in dir(fr):
        value = getattr(fr, name)
        if not callable(value) and not name.startswith("__") and not hasattr(to, name):
            setattr(to, name, value)


def _assert_is_none(value: object, msg: str) -> None:
    assert value is None, msg


def _calling(builtin: Any) -> Any:
    """A function of Python that calls a built-in one; this one itself if its arguments have no names."""
    try:
        parameters = inspect.signature(builtin).parameters.values()
    except ValueError:
        return builtin
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters):
        return builtin
    given = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.name}" for p in parameters)
    defaults = {f"_{p.name}": p.default for p in parameters if p.default is not p.empty}
    taken = ", ".join(
        f"{p.name}=_{p.name}" if f"_{p.name}" in defaults else p.name for p in parameters
    )
    scope = {"builtin": builtin, **defaults}
    exec(f"def {builtin.__name__}({taken}):\n    return builtin({given})\n", scope)
    return scope[builtin.__name__]


class Tracer(TracerBase):
    """Makes graphs of modules and functions. Subclasses decide what is a node.

    Args:
        autowrap_modules: modules whose functions are nodes when they are called with proxies
        autowrap_functions: functions that are
        param_shapes_constant: whether the program may know the sizes of parameters
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrap_function_ids: set[int] = {
            id(value)
            for name, value in chain.from_iterable(m.__dict__.items() for m in autowrap_modules)
            if not name.startswith("_") and callable(value)
        }
        self._autowrap_function_ids.update(map(id, autowrap_functions))
        # Names that begin with an underscore are not wrapped, so that code can reach the originals.
        self._autowrap_search: list[ModuleType] = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Any, str] | None = None
        self.root_module_name: str = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self.tensor_attrs: dict[Any, str] = {}
        self._parameter_names: dict[int, str] = {}

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that no attribute of the root has, with a number behind a prefix."""
        index = 0
        while hasattr(self.root, f"{prefix}{index}"):
            index += 1
        return f"{prefix}{index}"

    # -- what nodes are made of --

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it: parameters and constants become nodes that fetch them."""
        kind = type(a)
        if kind is Proxy:
            return a.node
        if kind in _PLAIN_ARGUMENTS:
            return a
        if kind is tuple:
            return tuple([self.create_arg(item) for item in a])
        if kind is list:
            return [self.create_arg(item) for item in a]
        if isinstance(a, rushlight.nn.Parameter):
            name = self._name_of_parameter(a)
            if name is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, rushlight.Tensor):
            for name, buffer in self.root.named_buffers():
                if a is buffer:
                    return self.create_node("get_attr", name, (), {})
            return self._constant(a)
        if isinstance(a, Module):
            for name, module in self.root.named_modules():
                if a is module:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields") and not isinstance(a, NamedResult):
            # A class of named values may do something when it is made.
            args = tuple(map(self.create_arg, a))
            return self.create_node("call_function", a.__class__, args, {})
        if kind in _proxyable_classes:
            name = self.get_fresh_qualname(f"_{a.__class__.__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _note_paths(self, root: Any) -> None:
        """Note where the modules, the parameters and the tensors that are plain attributes are."""
        paths: dict[Any, str] = {}
        tensors: dict[Any, str] = {}
        names: dict[int, str] = {}
        for path, module in root.named_modules():
            paths[module] = path
            prefix = f"{path}." if path else ""
            for name, value in module.__dict__.items():
                if isinstance(value, rushlight.Tensor):
                    tensors[value] = prefix + name
            for name, parameter in module._parameters.items():
                names.setdefault(id(parameter), prefix + name)
        self.submodule_paths, self.tensor_attrs, self._parameter_names = paths, tensors, names

    def _name_of_parameter(self, parameter: Any) -> str | None:
        known = self._parameter_names.get(id(parameter))
        if known is not None:
            return known
        for name, other in self.root.named_parameters():
            if other is parameter:
                return str(name)
        return None

    def _constant(self, tensor: Any) -> Any:
        """The node that fetches a tensor that the program has from elsewhere."""
        name = self.tensor_attrs.get(tensor)
        if name is None:
            name = self.get_fresh_qualname("_tensor_constant")
            self.tensor_attrs[tensor] = name
            setattr(self.root, name, tensor)
        return self.create_node("get_attr", name, (), {})

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a call of a module is one node; otherwise its `forward` is traced.

        Args:
            m: the module
            module_qualified_name: its path from the root
        """
        place = m.__module__
        if place.startswith("rushlight."):
            place = "torch" + place[len("rushlight") :]
        return place.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(
            m, rushlight.nn.Sequential
        )

    def path_of_module(self, mod: Any) -> str:
        """The path of a submodule from the root."""
        if self.submodule_paths is not None:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if mod is module:
                return str(name)
        raise NameError("module is not installed as a submodule")

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What a call of a module is: a node for leaves, or what its `forward` does.

        Args:
            m: the module
            forward: calls it
            args: the arguments
            kwargs: the keyword arguments
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            count = self.num_calls.get(path, 0)
            key = f"{scope.module_path}@{count}" if count > 0 else scope.module_path
            self.module_stack[key] = (path, scope.module_type)
            self.num_calls[path] = count + 1
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem(last=True)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What an attribute of a module is while it is traced: a proxy for a parameter.

        Args:
            attr: its name
            attr_val: its value
            parameter_proxy_cache: the proxies that there are already, by the parameters' paths
        """
        if isinstance(attr_val, rushlight.nn.Parameter):
            name = self._name_of_parameter(attr_val)
            return (
                attr_val if name is None else self._proxy_of(name, attr_val, parameter_proxy_cache)
            )
        if self.proxy_buffer_attributes and isinstance(attr_val, rushlight.Tensor):
            for name, buffer in self.root.named_buffers():
                if attr_val is buffer:
                    return self._proxy_of(name, attr_val, parameter_proxy_cache)
        return attr_val

    def _proxy_of(self, name: str, value: Any, cache: dict[str, Any]) -> Any:
        if name not in cache:
            options: dict[str, Any] = {}
            if self.param_shapes_constant and isinstance(value, rushlight.nn.Parameter):
                options["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, name, value)
            cache[name] = self.create_proxy("get_attr", name, (), {}, **options)
        return cache[name]

    # -- parameters --

    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Any, list[Any]]:
        """Add nodes for the parameters of a function; what to call, and with which arguments.

        Args:
            root_fn: the function
            is_module: whether its first parameter is the module
            concrete_args: values of arguments that the graph is made for
        """
        # A decorated function is called as it is, but has the parameters of what is inside.
        analysed = inspect.unwrap(root_fn)
        code = analysed.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames)
        args: list[Any] = []
        skipped = 0
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            skipped = 1
            args.append(self.root)
        if isinstance(concrete_args, tuple):
            if len(names[skipped:total]) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names[skipped:total])} arguments but got "
                    f"{len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names[skipped:total], concrete_args))
        signature = inspect.signature(analysed)
        args += [
            self._proxy_placeholder(name, concrete_args, signature, analysed)
            for name in names[skipped:total]
        ]
        if code.co_kwonlyargcount > 0 or code.co_flags & HAS_VARSTUFF:
            if code.co_flags & inspect.CO_VARARGS:
                args.append(self._starred("*" + names[total]))
                total += 1
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(self._starred("**" + names[total]))
            root_fn = _with_plain_parameters(root_fn, len(args))  # type: ignore[arg-type]
        leaves, in_spec = pytree.tree_flatten(tuple(args))
        if not all(child.is_leaf() for child in in_spec.children()):
            return self._flattened(root_fn, names[: len(args)], in_spec), leaves
        return root_fn, args

    def _flattened(self, function: Callable[..., Any], names: list[str], in_spec: Any) -> Any:
        """A function over the leaves of nested arguments."""
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, in_spec, None))

        def flatten_fn(*args):  # type: ignore[no-untyped-def]
            out = function(*pytree.tree_unflatten(list(args), in_spec))
            leaves, out_spec = pytree.tree_flatten(out)
            codegen = self.graph._codegen
            if not isinstance(codegen, _PyTreeCodeGen):
                raise AssertionError(f"Expected _PyTreeCodeGen, got {type(codegen)}")
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return leaves

        return flatten_fn

    def _starred(self, name: str) -> Any:
        return self.create_proxy("placeholder", name, (), {})

    def _proxy_placeholder(
        self,
        name: str,
        concrete_args: dict[str, Any] | None,
        sig: inspect.Signature,
        fn_for_analysis: Callable[..., Any],
    ) -> Any:
        """The argument for a parameter: a proxy, or the value that the graph is made for."""
        default = sig.parameters[name].default
        defaults = () if default is inspect.Parameter.empty else (default,)
        if concrete_args is None or name not in concrete_args:
            kind = _annotation(fn_for_analysis, name)
            return self.create_proxy("placeholder", name, defaults, {}, type_expr=kind)
        count = 0

        def place(value: Any) -> Any:
            nonlocal count
            count += 1
            made = self.create_proxy("placeholder", f"{name}_{count}", defaults, {})
            if isinstance(value, PHBase):
                if value is not PH:
                    # What is known of the place is noted of its node.
                    _transfer_attrs(fr=value, to=made.node)
                return made
            self._check_value(name, made, value)
            return value

        return pytree.tree_map(place, concrete_args[name])

    def _check_value(self, name: str, proxy: Any, value: Any) -> None:
        """Let the graph check that an argument is the value that it is made for."""
        suffix = "but got another value"
        if isinstance(value, (bool, *base_types)) and not isinstance(value, rushlight.Tensor):
            rushlight._assert(
                proxy == value, f"{name} has been specialized to have value {value} {suffix}"
            )
        elif value is None:
            text = f"{name} has been specialized to have value None {suffix}"
            self.create_proxy("call_function", _assert_is_none, (proxy, text), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized "
                f"function. It is up to the user to make sure that your inputs match the inputs "
                f"you specialized the function with.",
                stacklevel=2,
            )

    # -- the trace --

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """The graph of a module's `forward`, or of a function.

        Args:
            root: the module or function
            concrete_args: values of arguments that the graph is made for; not parameters of it
        """
        before = _local.is_tracing
        try:
            _local.is_tracing = True
            return self._trace(root, concrete_args)
        finally:
            _local.is_tracing = before

    def _trace(self, root: Any, concrete_args: dict[str, Any] | None) -> Graph:
        fn = self._enter_root(root)
        if isinstance(fn, BuiltinFunctionType):
            fn = _calling(fn)
        if not isinstance(fn, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(fn)}")
        fn_globals = fn.__globals__
        fn, args = self.create_args_for_root(fn, isinstance(root, Module), concrete_args)
        try:
            with _new_patcher() as patcher:
                if self._minds_modules():
                    self._patch_modules(patcher)
                _patch_wrapped_functions(patcher)
                _autowrap_check(patcher, fn_globals, self._autowrap_function_ids)
                for module in self._autowrap_search:
                    _autowrap_check(patcher, module.__dict__, self._autowrap_function_ids)
                result = self.create_arg(fn(*args))
                self.create_node(
                    "output", "output", (result,), {},
                    type_expr=_annotation(fn, "return"),
                )  # fmt: skip
        finally:
            self.submodule_paths = None
        return self.graph

    def _minds_modules(self) -> bool:
        """Whether calls of modules and their attributes matter to the tracer.

        To replace these takes longer the more classes of modules there are, and each graph has one.
        """
        return True

    def _patch_modules(self, patcher: _Patcher) -> None:
        """Let the tracer decide what calls of modules are, and what their attributes."""
        cache: dict[str, Any] = {}
        find_attribute = Module.__getattr__
        call = Module.__call__

        @functools.wraps(find_attribute)
        def module_getattr_wrapper(mod: Any, attr: str) -> Any:
            return self.getattr(attr, find_attribute(mod, attr), cache)

        @functools.wraps(call)
        def module_call_wrapper(mod: Any, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return call(mod, *args, **kwargs)

            _autowrap_check(
                patcher,
                getattr(getattr(mod, "forward", mod), "__globals__", {}),
                self._autowrap_function_ids,
            )
            return self.call_module(mod, forward, args, kwargs)

        patcher.patch_method(Module, "__getattr__", module_getattr_wrapper, deduplicate=False)
        patcher.patch_method(Module, "__call__", module_call_wrapper, deduplicate=False)

    def _enter_root(self, root: Any) -> Any:
        """Begin a graph for a module or a function; the function that is called."""
        if isinstance(root, Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            fn = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self._note_paths(root)
        else:
            self.root = Module()
            fn = root
            self.submodule_paths = None
            self.tensor_attrs = {}
            self._parameter_names = {}
        self.graph = Graph(tracer_cls=type(self))
        if hasattr(fn, "__code__"):
            code = fn.__code__
            self.graph._co_fields = {
                "co_name": code.co_name,
                "co_filename": code.co_filename,
                "co_firstlineno": code.co_firstlineno,
            }
        return fn

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        import copy

        # Modules that are searched cannot be copied.
        made = Tracer.__new__(Tracer)
        for name, value in self.__dict__.items():
            kept = name == "_autowrap_search"
            setattr(made, name, copy.copy(value) if kept else copy.deepcopy(value, memo))
        return made


def _annotation(function: Any, name: str) -> Any:
    """The type that a function says a parameter has; what is text in our own is read."""
    kind = getattr(function, "__annotations__", {}).get(name, None)
    # Functions that `exec` has made may be of no module.
    module = getattr(function, "__module__", None) or ""
    if isinstance(kind, str) and module.partition(".")[0] == __name__.partition(".")[0]:
        kind = eval(kind, function.__globals__)
        return None if kind is Any else kind
    return kind


# -- functions that are replaced while a program is traced --

# The names in modules that `wrap` was called for.
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}
# The same for methods of classes.
_wrapped_methods_to_patch: list[tuple[type, str]] = []


def _find_proxy(*objects_to_search: object) -> Proxy | None:
    """Some proxy among arguments."""
    for value in objects_to_search:
        if isinstance(value, Proxy):
            return value
        if isinstance(value, dict):
            found = _find_proxy(*value.values())
        elif isinstance(value, (list, tuple)):
            found = _find_proxy(*value)
        elif isinstance(value, slice):
            found = _find_proxy(value.start, value.stop, value.step)
        else:
            continue
        if found is not None:
            return found
    return None


def _create_wrapped_func(orig_fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls with proxies are nodes."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable[..., Any]:
    """A method whose calls with proxies are nodes."""
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


class _PatchedFn(NamedTuple):
    """A name that means something else for a while."""

    frame_dict: Any
    fn_name: str
    orig_fn: Any
    new_fn: Any

    def revert(self) -> None:
        raise NotImplementedError

    def patch(self) -> None:
        raise NotImplementedError


class _PatchedFnSetItem(_PatchedFn):
    def revert(self) -> None:
        self.frame_dict[self.fn_name] = self.orig_fn

    def patch(self) -> None:
        self.frame_dict[self.fn_name] = self.new_fn


class _PatchedFnDel(_PatchedFn):
    def revert(self) -> None:
        del self.frame_dict[self.fn_name]

    def patch(self) -> None:
        self.frame_dict[self.fn_name] = self.new_fn


class _PatchedFnSetAttr(_PatchedFn):
    def revert(self) -> None:
        setattr(self.frame_dict, self.fn_name, self.orig_fn)

    def patch(self) -> None:
        setattr(self.frame_dict, self.fn_name, self.new_fn)


class _Patcher:
    """Lets names mean something else within the block."""

    def __init__(self) -> None:
        self.patches_made: list[_PatchedFn] = []
        self.visited: set[int] = set()

    def patch(
        self,
        frame_dict: dict[str, Any],
        name: str,
        new_fn: Callable[..., Any],
        deduplicate: bool = True,
    ) -> None:
        """Replace a name of a module, or of the builtins for it."""
        new_fn.__fx_already_patched = deduplicate  # type: ignore[attr-defined]
        if name not in frame_dict and hasattr(builtins, name):
            self._make(_PatchedFnDel(frame_dict, name, None, new_fn))
        elif getattr(frame_dict[name], "__fx_already_patched", False):
            return
        else:
            self._make(_PatchedFnSetItem(frame_dict, name, frame_dict[name], new_fn))

    def patch_method(
        self, cls: type, name: str, new_fn: Callable[..., Any], deduplicate: bool = True
    ) -> None:
        """Replace a method of a class."""
        new_fn.__fx_already_patched = deduplicate  # type: ignore[attr-defined]
        orig_fn = getattr(cls, name)
        if getattr(orig_fn, "__fx_already_patched", False):
            return
        self._make(_PatchedFnSetAttr(cls, name, orig_fn, new_fn))

    def _make(self, patch: _PatchedFn) -> None:
        self.patches_made.append(patch)
        patch.patch()

    def visit_once(self, thing: object) -> bool:
        """Whether an object is met for the first time."""
        known = id(thing) in self.visited
        self.visited.add(id(thing))
        return not known

    def revert_all_patches(self) -> list[_PatchedFn]:
        """Let all names mean again what they did, the last first."""
        for patch in reversed(self.patches_made):
            patch.revert()
        return self.patches_made

    def reapply_all_patches(self) -> list[_PatchedFn]:
        """Take `revert_all_patches` back."""
        for patch in self.patches_made:
            patch.patch()
        return self.patches_made

    def __enter__(self) -> _Patcher:
        return self

    def __exit__(self, *exception: object) -> None:
        self.revert_all_patches()
        self.patches_made.clear()
        self.visited.clear()


CURRENT_PATCHER: _Patcher | None = None


@contextlib.contextmanager
def _new_patcher() -> Iterator[_Patcher]:
    global CURRENT_PATCHER
    before = CURRENT_PATCHER
    try:
        with _Patcher() as CURRENT_PATCHER:
            yield CURRENT_PATCHER
    finally:
        CURRENT_PATCHER = before


@contextlib.contextmanager
def _maybe_revert_all_patches() -> Iterator[None]:
    """Within the block all names mean what they do when nothing is traced."""
    patcher = CURRENT_PATCHER
    if patcher is not None:
        patcher.revert_all_patches()
    try:
        yield
    finally:
        if patcher is not None:
            patcher.reapply_all_patches()


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    """Let calls of what `wrap` was called for be nodes."""
    for (_, name), frame_dict in list(_wrapped_fns_to_patch.items()):
        if name not in frame_dict and hasattr(builtins, name):
            orig_fn = getattr(builtins, name)
        else:
            orig_fn = frame_dict[name]
        patcher.patch(frame_dict, name, _create_wrapped_func(orig_fn))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher: _Patcher, frame_dict: dict[str, Any], function_ids: set[int]) -> None:
    """Let calls of some functions in a module be nodes."""
    if patcher.visit_once(frame_dict):
        for name, value in list(frame_dict.items()):
            if id(value) in function_ids and not name.startswith("_") and callable(value):
                patcher.patch(frame_dict, name, _create_wrapped_func(value))


def wrap(fn_or_name: Any) -> Any:
    """Let calls of a function of the calling module be nodes when their arguments are proxies.

    To be called at the top of a module, with the function or its name, or as a decorator.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    here = inspect.currentframe()
    frame = None if here is None else here.f_back
    if frame is None:
        raise AssertionError("wrap: there is no frame of a module")
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """The program of a module or function as a `GraphModule`.

    Args:
        root: the module or function
        concrete_args: values of arguments that the graph is made for; nested values may have `PH`
            where parameters are
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
