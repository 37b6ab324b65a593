"""Modules whose `forward` is the code of a graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import rushlight
from rushlight.engine.native import code_cache
from rushlight.fx import _names
from rushlight.fx._namespace import _custom_builtins
from rushlight.fx.codegen import PythonCode, _PyTreeCodeGen
from rushlight.fx.graph import Graph
from rushlight.nn.modules.module import Module

__all__ = ["GraphModule", "reduce_graph_module", "reduce_package_graph_module"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class _EvalCacheLoader:
    """Keeps the texts of generated code, so that tracebacks show their lines."""

    def __init__(self) -> None:
        self.eval_cache: dict[str, str] = {}
        self.next_id = 0

    def cache(
        self, src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None
    ) -> str:
        """Keep a text; the file name that its code is to be compiled under."""
        key = self._get_key()
        if co_fields and "co_filename" in co_fields:
            place = f"{co_fields['co_filename']}:{co_fields['co_firstlineno']}"
            # No line is looked for in files whose names end like those of texts that were typed.
            key += f" from {place} in {co_fields['co_name'].strip('<>')}"
        self.eval_cache[key] = src
        # `linecache` asks the loader of the code's globals for the text.
        given = globals.copy()
        given["__file__"] = key
        given["__name__"] = key
        given["__loader__"] = self
        linecache.lazycache(key, given)
        return key

    def get_source(self, module_name: str) -> str | None:
        """The text of a file name."""
        return self.eval_cache.get(module_name)

    def _get_key(self) -> str:
        key = f"<eval_with_key>.{self.next_id}"
        self.next_id += 1
        return key


_loader = _EvalCacheLoader()


def _exec_with_source(
    src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None
) -> None:
    key = _loader.cache(src, globals, co_fields)
    exec(code_cache.compiled(src, key), globals)


def _forward_from_src(
    src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None
) -> Callable[..., Any]:
    return _method_from_src("forward", src, globals, co_fields)


def _method_from_src(
    method_name: str, src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """The function that a text defines."""
    # What it defines is no global of anybody else.
    own = globals.copy()
    _exec_with_source(src, own, co_fields)
    made: Callable[..., Any] = own[method_name]
    return made


class _Compiled:
    """The function of a code, which is compiled when it is asked for."""

    def __init__(self, name: str, code: PythonCode, co_fields: dict[str, Any]) -> None:
        self._name = name
        self._code = code
        self._co_fields = co_fields

    def __get__(self, instance: Any, owner: Any) -> Any:
        made = _method_from_src(self._name, self._code.src, self._code.globals, self._co_fields)
        if owner.__dict__.get("forward") is self:
            owner.forward = made
        return made if instance is None else types.MethodType(made, instance)


# -- imports --


def _format_import_statement(name: str, obj: Any, importer: Any = None) -> str:
    """The statement that gives a name of generated code its meaning."""
    package = _names.package()
    if name in _custom_builtins:
        line = _custom_builtins[name].import_str
        if line == "import torch":
            return line if package == "torch" else f"import {package} as torch"
        return line.replace("torch", package)
    if _names.is_ours(name):
        return "import torch"
    if obj is ...:
        return f"{name} = ..."
    module, attribute = _home_of(obj)
    if attribute == "":
        return f"import {module} as {name}"
    root, _, rest = attribute.partition(".")
    if rest:
        return f"from {module} import {root}\n{name} = {attribute}"
    return f"from {module} import {attribute} as {name}"


def _home_of(obj: Any) -> tuple[str, str]:
    """The module that has an object, and its name there; no name for a module itself."""
    if isinstance(obj, types.ModuleType):
        return obj.__name__, ""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if name is None:
        name = getattr(obj, "_name", None) or str(obj).rpartition(".")[2]
    module = getattr(obj, "__module__", None)
    if module is None:
        module = next(
            (
                known
                for known, loaded in list(sys.modules.items())
                if known != "__main__" and getattr(loaded, name, None) is obj
            ),
            "__main__",
        )
    return module, name


def _format_import_block(globals: dict[str, Any], importer: Any = None) -> str:
    """The statements that give all names of generated code their meaning."""
    lines = {_format_import_statement(name, obj, importer) for name, obj in globals.items()}
    return "\n".join(sorted(lines))


# -- paths in modules --


def _get_attr_via_attr_list(model: Any, attr_list: list[str]) -> Any:
    for name in attr_list:
        model = getattr(model, name)
    return model


def _get_attr(model: Any, attr_name: str) -> Any:
    """What a path in a module leads to."""
    return _get_attr_via_attr_list(model, attr_name.split("."))


def _has_attr(model: Any, attr_name: str) -> bool:
    """Whether a path in a module leads somewhere."""
    for name in attr_name.split("."):
        if not hasattr(model, name):
            return False
        model = getattr(model, name)
    return True


def _del_attr(model: Any, attr_name: str) -> None:
    """Take away what a path in a module leads to."""
    *inner, name = attr_name.split(".")
    delattr(_get_attr_via_attr_list(model, inner), name)


def _copy_attr(from_module: Any, to_module: Any, target: str) -> None:
    """Give a module what a path leads to in another one, and the modules on the way."""
    *inner, name = target.split(".")
    for part in inner:
        source = getattr(from_module, part)
        there = getattr(to_module, part, None)
        if source is there:
            # The module has been taken over with all that is in it.
            return
        if there is None:
            there = Module()
            setattr(to_module, part, there)
        from_module, to_module = source, there
    found = getattr(from_module, name)
    if isinstance(found, rushlight.Tensor) and not isinstance(found, rushlight.nn.Parameter):
        to_module.register_buffer(name, found)
    else:
        setattr(to_module, name, found)


def _assign_attr(from_obj: Any, to_module: Any, target: str) -> None:
    """Set what a path in a module leads to, and make the modules on the way."""
    *inner, name = target.split(".")
    for part in inner:
        there = getattr(to_module, part, None)
        if there is None:
            there = Module()
            setattr(to_module, part, there)
        to_module = there
    if isinstance(from_obj, rushlight.Tensor) and not isinstance(from_obj, rushlight.nn.Parameter):
        to_module.register_buffer(name, from_obj)
    else:
        setattr(to_module, name, from_obj)


# -- calls --


# What calls of the library do inside is no part of the program.
_ENGINE = ("<rushlight ", os.path.join(os.path.dirname(rushlight.__file__), "engine"))


class _WrappedCall:
    """Calls a module, and shows the line of the generated code that an error comes from."""

    def __init__(self, cls: type, cls_call: Callable[..., Any] | None) -> None:
        self.cls = cls
        self.cls_call = cls_call

    @staticmethod
    def _generate_error_message(frame_summary: traceback.FrameSummary) -> str:
        number = frame_summary.lineno
        if number is None:
            raise AssertionError("lineno should not be None")
        line = frame_summary.line
        if line is None:
            raise AssertionError("line should not be None")
        lines = linecache.getlines(frame_summary.filename)
        before = "".join(lines[number - 2 : number])
        mark = "~" * len(line) + "~~~ <--- HERE"
        behind = "\n".join(lines[number : number + 2])
        title = (
            f"Call using an FX-traced Module, line {number} of the traced Module's generated "
            f"forward function:"
        )
        return "\n".join([title, before, mark, behind])

    def __call__(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)  # type: ignore[arg-type, misc]
        except Exception as error:
            frames = [
                frame
                for frame in traceback.extract_tb(error.__traceback__)
                if not frame.filename.startswith(_ENGINE)
            ]
            if frames and "eval_with_key" in frames[-1].filename:
                traceback.print_exception(error)
                print(self._generate_error_message(frames[-1]), file=sys.stderr)
                raise error.with_traceback(None)  # noqa: B904
            raise


class _CodeOnlyModule(Module):
    """A module of which only the fields and the code are there."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def reduce_graph_module(body: dict[str, Any], import_block: str) -> Any:
    """A module from what its pickle has: the graph is traced again."""
    source = body.get("_code") or body["code"]
    forward = _forward_from_src(import_block + source, {})
    return _deserialize_graph_module(forward, body)


def reduce_package_graph_module(
    importer: Any, body: dict[str, Any], generated_module_name: str
) -> Any:
    """The same from a package of files."""
    forward = importer.import_module(generated_module_name).forward
    return _deserialize_graph_module(forward, body)


def _deserialize_graph_module(
    forward: Callable[..., Any], body: dict[str, Any], graph_module_cls: type | None = None
) -> Any:
    from rushlight.fx._symbolic_trace import Tracer

    _CodeOnlyModule.forward = forward  # type: ignore[assignment]
    tracer_cls = body.get("_tracer_cls") or Tracer
    name = body.get("_graphmodule_cls_name", "GraphModule")
    graph = body.get("_graph")
    module = _CodeOnlyModule(body)
    if graph is None:

        class KeepModules(tracer_cls):  # type: ignore[misc, valid-type]
            """Calls of modules stay calls of modules."""

            def is_leaf_module(self, _: Any, __: str) -> bool:
                return True

        graph = KeepModules().trace(module, **(body.get("_tracer_extras") or {}))
    graph._tracer_cls = tracer_cls
    from rushlight.fx._lazy_graph_module import _make_graph_module

    made = _make_graph_module(module, graph, class_name=name, graph_module_cls=graph_module_cls)
    # Of the module's fields only those that the graph uses were taken over.
    for key, value in body.items():
        if not hasattr(made, key):
            setattr(made, key, value)
    return made


class GraphModule(Module):
    """A module whose `forward` is the code of a graph.

    Each has a class of its own, since `forward` belongs to the class.

    Args:
        root: the module, or what paths lead to, that the graph uses
        graph: the graph
        class_name: what the class is called
    """

    _graph: Graph
    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # Not a class of the class that belongs to another object.
        base = next(kind for kind in cls.__mro__ if "_belongs_to_one" not in vars(kind))

        class GraphModuleImpl(base):  # type: ignore[misc, valid-type]
            _belongs_to_one = True

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, Module):
            self.training = getattr(root, "training", self.training)
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    if not isinstance(node.target, str):
                        raise AssertionError(f"Expected target to be str, got {type(node.target)}")
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._take_over(root, graph)
        else:
            raise RuntimeError("Unsupported type " + str(root) + " passed for root!")
        self._tracer_cls = None
        if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__:
            self._tracer_cls = graph._tracer_cls
        self._tracer_extras: dict[str, Any] = {}
        if graph._tracer_extras:
            self._tracer_extras = graph._tracer_extras
        # What passes note of the module.
        self.meta: dict[str, Any] = {}
        self._replace_hooks: list[Callable[..., object]] = []
        self._create_node_hooks: list[Callable[..., object]] = []
        self._erase_node_hooks: list[Callable[..., object]] = []
        self._deepcopy_hooks: list[Callable[..., object]] = []
        self.shape_env = None
        self.graph = graph

    def _take_over(self, root: dict[str, Any], graph: Graph) -> None:
        """Take what the graph uses from a dictionary of paths."""
        targets: list[str] = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if not isinstance(node.target, str):
                    raise AssertionError(f"Expected target to be str, got {type(node.target)}")
                if node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not "
                        f"provided in ``root``!"
                    )
                targets.append(node.target)
        # Modules before what is in them.
        for target in sorted(targets, key=lambda path: path.count(".")):
            _assign_attr(root[target], self, target)

    __jit_unused_properties__ = ["graph", "_boxed_call"]

    @property
    def _boxed_call(self) -> bool:
        return getattr(self._graph._codegen, "_boxed_call", False)

    @property
    def graph(self) -> Graph:
        """The graph. Setting another one writes the code anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The code."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Write the code anew; needed after the graph was changed."""
        self._note_layout()
        return self._real_recompile()

    def _note_layout(self) -> None:
        """Note what calls need besides the code."""
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            info = self._graph._codegen.pytree_info
            self._in_spec = info.in_spec
            self._out_spec = info.out_spec
        cls: Any = type(self)
        # A subclass may have a way of its own to be called.
        if "_wrapped_call" not in vars(cls):
            cls._wrapped_call = _WrappedCall(cls, vars(cls).get("__call__"))
        cls.__call__ = _call_wrapped

    def _real_recompile(self) -> PythonCode:
        graph = self._graph
        made = graph.python_code(root_module="self")
        fields = self.__dict__
        fields["_code"] = made.src
        fields["_lineno_map"] = made._lineno_map
        fields["_prologue_start"] = made._prologue_start
        cls: Any = type(self)
        cls.forward = _Compiled(graph._codegen._func_name, made, graph._co_fields)
        return made

    def _recompile_submodules(self) -> list[tuple[str, PythonCode]]:
        return [
            (name, module.recompile())
            for name, module in self.named_children()
            if isinstance(module, GraphModule)
        ]

    # -- submodules --

    def add_submodule(self, target: str, m: Any) -> bool:
        """Put a module at a path, with modules on the way; False if something else is there.

        Args:
            target: the path
            m: the module
        """
        *inner, name = target.split(".")
        place: Any = self
        for part in inner:
            found = getattr(place, part, None)
            if found is None:
                found = Module()
                setattr(place, part, found)
            if not isinstance(found, Module):
                return False
            place = found
        place.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take the module at a path away; False if there is none."""
        *inner, name = target.split(".")
        place: Any = self
        for part in inner:
            if not hasattr(place, part):
                return False
            place = getattr(place, part)
            if not isinstance(place, Module):
                return False
        if not isinstance(getattr(place, name, None), Module):
            return False
        delattr(place, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take all modules away that no node calls or fetches something of."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            parts = node.target.split(".")
            # The modules on the way are needed too.
            used.update(itertools.accumulate(parts, lambda path, part: f"{path}.{part}"))
            if node.op == "call_module" and _has_attr(self, node.target):
                called = _get_attr(self, node.target)
                used.update(f"{node.target}.{name}" for name, _ in called.named_modules() if name)
        unused = [name for name, _ in self.named_modules() if name and name not in used]
        for name in unused:
            self.delete_submodule(name)

    # -- copies and files --

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the module as a package of Python code and parameters.

        Args:
            folder: where
            module_name: the name of the class in it
        """
        from pathlib import Path

        place = Path(folder)
        place.mkdir(exist_ok=True)
        rushlight.save(self.state_dict(), place / "state_dict.pt")
        tab = " " * 4
        imports = "\n".join(
            _format_import_statement(name, obj)
            for name, obj in self.graph.python_code("self").globals.items()
        )
        package = _names.package()
        first = "import torch" if package == "torch" else f"import {package} as torch"
        text = (
            f"\n{first}\n{imports}\n\nfrom {package}.nn import *\nclass {module_name}(torch.nn.Module):\n"
            f"    def __init__(self):\n        super().__init__()\n"
        )
        blobs = []
        for name, module in self.named_children():
            if type(module) in _SHOWN_WHOLE:
                shown = repr(module)
            else:
                path = place / f"{name}.pt"
                rushlight.save(module, path)
                blobs.append(path)
                shown = f"torch.load(r'{path}', weights_only=False) # {_one_line(module)}"
            text += f"{tab * 2}setattr(self, '{name}', {shown})\n"
        for kind, table in (("buffer", self._buffers), ("parameter", self._parameters)):
            for name, value in table.items():
                if value is None:
                    continue
                empty = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
                if kind == "buffer":
                    text += f"{tab * 2}self.register_buffer('{name}', {empty})\n"
                else:
                    text += f"{tab * 2}setattr(self, '{name}', torch.nn.Parameter({empty}))\n"
        text += f"{tab * 2}self.load_state_dict(torch.load(r'{place}/state_dict.pt'))\n"
        code = "\n".join(f"    {line}" if line.strip() else "" for line in self.code.split("\n"))
        text += f"{code}\n"
        (place / "module.py").write_text(text)
        (place / "__init__.py").write_text("from .module import *")
        if blobs:
            warnings.warn(
                "Was not able to save the following children modules as reprs -saved as pickled "
                f"files instead: {[str(path) for path in blobs]}",
                stacklevel=2,
            )

    def __reduce_package__(self, exporter: Any) -> Any:
        made = self._real_recompile()
        fields = self.__dict__.copy()
        fields["_graphmodule_cls_name"] = self.__class__.__name__
        del fields["_graph"]
        name = f"fx-generated._{exporter.get_unique_id()}"
        block = _format_import_block(made.globals, exporter.importer)
        exporter.save_source_string(name, block + self.code)
        return reduce_package_graph_module, (fields, name)

    def __reduce__(self) -> Any:
        # The graph is not written: it is traced again from the code.
        made = self._real_recompile()
        fields = self.__dict__.copy()
        fields["_graphmodule_cls_name"] = self.__class__.__name__
        del fields["_graph"]
        return reduce_graph_module, (fields, _format_import_block(made.globals))

    def _deepcopy_init(self) -> Callable[..., None]:
        return GraphModule.__init__

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        fields = dict(self.__dict__)
        hooks = {name: fields.pop(name) for name in _HOOKS if name in fields}
        module = _CodeOnlyModule(copy.deepcopy(fields, memo))
        self._deepcopy_init()(made, module, module.__dict__["_graph"])
        # Fields that others have set are copied as far as the graph's own do not stand there.
        for name in _COPIED_FIELDS:
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(getattr(self, "meta", {}), memo)
        for name in self.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}):
            setattr(made, name, self.meta[_USER_PRESERVED_ATTRIBUTES_KEY][name])
        for name in _HOOKS:
            made.__dict__[name] = list(hooks.get(name, ()))
        for hook in made._deepcopy_hooks:
            hook(made)
        return made

    def __copy__(self) -> GraphModule:
        from rushlight.fx._lazy_graph_module import _make_graph_module

        made = _make_graph_module(self, self.graph)
        made.meta = getattr(self, "meta", {})
        return made

    # -- text --

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        *,
        fast_sympy_print: bool = False,
        expanded_def: bool = False,
        additional_meta: list[str] | None = None,
    ) -> str:
        """The code of the module and of its submodules that have graphs, with what is known.

        Args:
            print_output: whether to print it
            include_stride: whether types of tensors have strides
            include_device: whether they have devices
            colored: whether to color it for a terminal
            fast_sympy_print: accepted
            expanded_def: whether each parameter has a line
            additional_meta: what else of the nodes' `meta` to tell
        """
        return _print_readable(
            self, self._get_name(), print_output, include_stride, include_device, colored,
            expanded_def, additional_meta,
        )  # fmt: skip

    def __str__(self) -> str:
        shown = super().__str__()
        note = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([shown, self.code, note])

    def _replicate_for_data_parallel(self) -> Any:
        made = self.__copy__()
        made.__dict__["_is_replica"] = True
        return made

    # -- who is told of changes --

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Callable[..., object]) -> Iterator[None]:
        """Within the block a function is told which node takes another's place."""
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)

    def _register_replace_node_hook(self, f: Callable[..., object]) -> None:
        _add_hook(self._replace_hooks, f, "replace_node")

    def _unregister_replace_node_hook(self, f: Callable[..., object]) -> None:
        self._replace_hooks.remove(f)

    def _register_create_node_hook(self, f: Callable[..., object]) -> None:
        _add_hook(self._create_node_hooks, f, "create_node")

    def _unregister_create_node_hook(self, f: Callable[..., object]) -> None:
        self._create_node_hooks.remove(f)

    def _register_erase_node_hook(self, f: Callable[..., object]) -> None:
        _add_hook(self._erase_node_hooks, f, "erase_node")

    def _unregister_erase_node_hook(self, f: Callable[..., object]) -> None:
        self._erase_node_hooks.remove(f)

    def _register_deepcopy_hook(self, f: Callable[..., object]) -> None:
        _add_hook(self._deepcopy_hooks, f, "deepcopy")

    def _unregister_deepcopy_hook(self, f: Callable[..., object]) -> None:
        self._deepcopy_hooks.remove(f)


def _add_hook(hooks: list[Callable[..., object]], hook: Any, what: str) -> None:
    if not callable(hook):
        raise AssertionError(f"{what} hook must be a callable.")
    hooks.append(hook)


def _call_wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self._wrapped_call(self, *args, **kwargs)


_call_wrapped.__name__ = "call_wrapped"

_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")
# What a copy has besides what the graph uses.
_COPIED_FIELDS = (
    "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_backward_pre_hooks",
    "_backward_hooks", "training", "_non_persistent_buffers_set",
)  # fmt: skip

# Modules that their text makes again.
_SHOWN_WHOLE = tuple(
    getattr(rushlight.nn, name)
    for name in (
        "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
        "ConvTranspose3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "ReLU",
    )
)  # fmt: skip


def _one_line(module: Any) -> str:
    return repr(module).replace("\r", " ").replace("\n", " ")


def _print_readable(
    module: Any,
    module_name: str,
    print_output: bool = True,
    include_stride: bool = False,
    include_device: bool = False,
    colored: bool = False,
    expanded_def: bool = False,
    additional_meta: list[str] | None = None,
) -> str:
    graph = getattr(module, "graph", None)
    if not isinstance(graph, Graph):
        raise AssertionError("print_readable must be used on a module with a graph")
    made = graph.python_code(
        root_module="self", verbose=True, include_stride=include_stride,
        include_device=include_device, colored=colored, expanded_def=expanded_def,
        additional_meta=additional_meta,
    )  # fmt: skip
    text = _indented(
        f"class {module_name}(torch.nn.Module):\n{_indented(made.src.lstrip(chr(10)), 4)}", 0
    )
    parts = [text]
    for name, inner in module.named_children():
        if hasattr(inner, "graph"):
            parts.append(
                _print_readable(
                    inner, name, print_output=False, include_stride=include_stride,
                    include_device=include_device, colored=colored,
                )
            )  # fmt: skip
    text = parts[0] + "".join("\n" + _indented(part, 4) for part in parts[1:])
    if print_output:
        print(text)
    return text


def _indented(text: str, by: int) -> str:
    """Lines moved to the right; those of spaces alone become empty."""
    return "\n".join(" " * by + line if line.strip() else "" for line in text.split("\n"))


@contextlib.contextmanager
def _share_torchbind_and_process_group_on_deepcopy() -> Iterator[None]:
    """Within the block objects that cannot be copied are shared. There are none."""
    yield


def _metadata_hash(code: str, node_metadata: dict[int, dict[str, Any]]) -> str:
    """A number for a code and what is known of its lines."""
    import hashlib
    import json

    text = json.dumps([code, sorted(node_metadata.items())], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
