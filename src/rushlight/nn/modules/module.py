"""The base of all building blocks: a module holds parameters, buffers and other modules."""

from __future__ import annotations

import inspect
import itertools
import warnings
import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rushlight.__future__ import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
)
from rushlight.engine.autograd.node import Hooks, RemovableHandle, add_hook
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.nn.parameter import REFUSED, Buffer, Parameter, is_lazy

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

# The end of the key under which a state has what `get_extra_state` gives.
_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """Which names a state lacks, and which it has too many."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


# Hooks on all modules, under the names at which programs look for them, and put others in their place.
_global_forward_pre_hooks: dict[int, Any] = Hooks()
_global_forward_hooks: dict[int, Any] = Hooks()
# The numbers of the hooks that want the named arguments, and calls after failures, too.
_global_forward_hooks_with_kwargs: dict[int, bool] = {}
_global_forward_hooks_always_called: dict[int, bool] = {}
_global_backward_pre_hooks: dict[int, Any] = Hooks()
_global_backward_hooks: dict[int, Any] = Hooks()
# Whether these are called with all gradients of a module, or of one node: None while nobody has said.
_global_is_full_backward_hook: bool | None = None
_global_parameter_registration_hooks: dict[int, Any] = Hooks()
_global_buffer_registration_hooks: dict[int, Any] = Hooks()
_global_module_registration_hooks: dict[int, Any] = Hooks()


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module."""
    return add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module."""
    numbers = _wanted(
        (with_kwargs, _global_forward_hooks_with_kwargs),
        (always_call, _global_forward_hooks_always_called),
    )
    return add_hook(_global_forward_hooks, hook, numbers=numbers)


def _wanted(*asked: tuple[bool, dict[int, bool]]) -> list[dict[int, bool]]:
    """The tables that are to have the number of a hook: it wants something beyond the usual."""
    return [numbers for wanted, numbers in asked if wanted]


def _use_global_backward_hooks(full: bool) -> None:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is not None and _global_is_full_backward_hook is not full:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    _global_is_full_backward_hook = full


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` in the backward pass of every module."""
    _use_global_backward_hooks(True)
    return add_hook(_global_backward_hooks, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The old form of it: the gradients are those of the node that made the output."""
    _use_global_backward_hooks(False)
    return add_hook(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward pass of every module."""
    return add_hook(_global_backward_pre_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` whenever a module gets a parameter."""
    return add_hook(_global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever a module gets a buffer."""
    return add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever a module gets another one."""
    return add_hook(_global_module_registration_hooks, hook)


def _not_implemented(self: Module, *input: Any) -> None:
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


def _indented(text: str, spaces: int) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


_HOOK_TABLES = (
    "_forward_pre_hooks", "_forward_hooks", "_backward_hooks", "_backward_pre_hooks",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)  # fmt: skip
# The numbers of hooks that want named arguments, or calls after failures, too.
_HOOK_NUMBERS = (
    "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
)  # fmt: skip


def _swap_loaded(item: Any, given: Any, assign: bool) -> None:
    """Let a module's tensor be what its class makes of one of a state, as the same object."""
    from rushlight.utils import swap_tensors

    made = item.module_load(given, assign=assign)
    if made is given or made is item:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning "
            "one of the inputs in module_load"
        )
    if isinstance(item, Parameter):
        wants = item.requires_grad  # type: ignore[attr-defined]
        made = made.requires_grad_(wants) if isinstance(made, Parameter) else Parameter(made, wants)
    swap_tensors(item, made)


class Module:
    """A part of a network.

    Assigning a `Parameter`, a `Buffer` or another module to an attribute registers it, so that
    `parameters`, `state_dict`, `to` and their like reach it. Calling the module runs `forward`
    between its hooks.
    """

    dump_patches = False
    call_super_init = False
    _version = 1
    # What files keep for every module, and the class knows here.
    _only_in_files: tuple[str, ...] = ()
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _is_full_backward_hook: bool | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                f"'{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} "
                "were given"
            )
        fields = self.__dict__
        fields["training"] = True
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_modules"] = {}
        for name in _HOOK_TABLES:
            fields[name] = Hooks()
        for name in _HOOK_NUMBERS:
            fields[name] = {}
        fields["_is_full_backward_hook"] = None
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _not_implemented

    # -- registration --
    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Keep a tensor that is not trained; part of the state if ``persistent``."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not _is_like_a_tensor(tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (torch Tensor or "
                "None required)"
            )
        for hook in _global_buffer_registration_hooks.values():
            found = hook(self, name, tensor)
            tensor = tensor if found is None else found
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Keep a tensor that is trained."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        for hook in _global_parameter_registration_hooks.values():
            found = hook(self, name, param)
            param = param if found is None else found
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Keep another module under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        for hook in _global_module_registration_hooks.values():
            found = hook(self, name, module)
            module = module if found is None else found
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: Any, table: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(
                f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else "")
            )
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    # -- attributes --
    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            found = fields.get(table)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in fields:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._drop(name, "_parameters")
            self.register_parameter(name, value)
            return
        parameters = fields.get("_parameters")
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
            return
        modules = fields.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._drop(name, "_modules")
            for hook in _global_module_registration_hooks.values():
                found = hook(self, name, value)
                value = value if found is None else found
            modules[name] = value
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = value
            return
        buffers = fields.get("_buffers")
        is_buffer = isinstance(value, Tensor) and isinstance(value, Buffer)
        if is_buffer or (buffers is not None and name in buffers):
            self._set_buffer(name, value, is_buffer)
            return
        super().__setattr__(name, value)

    def _set_buffer(self, name: str, value: Any, is_new: bool) -> None:
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if value is not None and not _is_like_a_tensor(value):
            raise TypeError(
                f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if is_new:
            self._register_new_buffer(name, value)
            return
        for hook in _global_buffer_registration_hooks.values():
            found = hook(self, name, value)
            value = value if found is None else found
        self._buffers[name] = value

    def _register_new_buffer(self, name: str, value: Any) -> None:
        """Register through the class's own method, which may know nothing of persistence."""
        register = type(self).register_buffer
        if (
            register is Module.register_buffer
            or "persistent" in inspect.signature(register).parameters
        ):
            self.register_buffer(name, value, value.persistent)
            return
        if not value.persistent:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements "
                "register_buffer() without the persistent argument is not allowed."
            )
        self.register_buffer(name, value)

    def _drop(self, name: str, keep: str) -> None:
        """Take a name out of wherever else it is registered."""
        fields = self.__dict__
        fields.pop(name, None)
        for table in ("_parameters", "_buffers", "_modules"):
            if table != keep and table in fields:
                fields[table].pop(name, None)
        if keep != "_buffers" and "_non_persistent_buffers_set" in fields:
            fields["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules]
        names += self._buffers
        return sorted(name for name in names if not name[:1].isdigit())

    # -- access by path --
    def get_submodule(self, target: str) -> Module:
        """The module at a path such as ``encoder.layers.0``."""
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path; with ``strict``, only in place of another."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        owner = self.get_submodule(path)
        if strict and not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        if hasattr(owner, name) and not isinstance(getattr(owner, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(owner, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path."""
        return self._get_at(target, Parameter, "an nn.Parameter")  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return owner._buffers[name]  # type: ignore[return-value]

    def _get_at(self, target: str, kind: type, what: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        found = getattr(owner, name)
        if not isinstance(found, kind):
            raise AttributeError(f"`{name}` is not {what}")
        return found

    def get_extra_state(self) -> Any:
        """What else belongs to the state; subclasses override it together with `set_extra_state`."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called."
        )

    # -- iteration --
    def _named_members(
        self, get: Callable[[Module], Any], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, item in get(module):
                if item is None or id(item) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(item))
                yield f"{path}.{name}" if path else name, item

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter and its path."""
        return self._named_members(
            lambda m: m._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Every buffer and its path."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, and their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, with their paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        for _, module in self.named_modules():
            yield module

    # -- changing all of it --
    def apply(self, fn: Callable[[Module], None]) -> Module:
        """Call a function on every module, the lowest first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Module:
        """Replace all parameters, their gradients and buffers by what a function makes of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            import rushlight
            from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

            with rushlight.no_grad():
                made = fn(parameter)
            if is_lazy(parameter):
                parameter.data = made  # type: ignore[attr-defined]
                continue
            if made is parameter:
                continue
            grad = parameter.grad  # type: ignore[attr-defined]
            # What a wrapper holds is more than data that can be exchanged.
            if get_swap_module_params_on_conversion() or is_traceable_wrapper_subclass(made):
                self._swap(name, parameter, made, grad, fn)
                continue
            if get_overwrite_module_params_on_conversion():
                self._parameters[name] = Parameter(made, parameter.requires_grad)  # type: ignore[attr-defined]
                parameter = self._parameters[name]
            elif type(made) is Tensor or type(made) is type(parameter):
                parameter.data = made  # type: ignore[attr-defined]
            else:
                self._parameters[name] = Parameter(made, parameter.requires_grad)  # type: ignore[attr-defined]
                parameter = self._parameters[name]
            if grad is not None:
                with rushlight.no_grad():
                    changed = fn(grad)
                parameter.grad = None  # type: ignore[union-attr]
                parameter.grad = changed.requires_grad_(grad.requires_grad)  # type: ignore[union-attr, attr-defined]
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer.data = fn(buffer)  # type: ignore[union-attr, arg-type]
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _swap(self, name: str, parameter: Any, made: Any, grad: Any, fn: Any) -> None:
        """Let a parameter be what a function made of it, and its gradient too, as the same objects."""
        from rushlight import no_grad
        from rushlight.utils import swap_tensors

        wants = parameter.requires_grad
        with no_grad():
            changed = None if grad is None else fn(grad)
        try:
            if grad is not None:
                parameter.grad = None
            swap_tensors(parameter, Parameter(made, wants))
            if grad is not None:
                grad_wants = grad.requires_grad
                if changed is not grad:
                    swap_tensors(grad, changed)
                parameter.grad = grad.requires_grad_(grad_wants)
        except Exception as error:
            # What holds a tensor may be anything; the module and the name say which it was.
            raise RuntimeError(f"_apply(): Couldn't swap {type(self).__name__}.{name}") from error

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Move to a device, to another floating-point type, or to a memory format."""
        import rushlight

        device, dtype, non_blocking, form = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )

        def convert(t: Any) -> Any:
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            if form is not None and t.dim() in (4, 5):
                return t.to(device, wanted, non_blocking, memory_format=form)
            if device is None and wanted is None:
                return t
            if device is not None and t.is_meta and rushlight.device(device).type != "meta":
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() "
                    "instead of torch.nn.Module.to() when moving module from meta to a different "
                    "device."
                )
            return t.to(device=device or t.device, dtype=wanted, non_blocking=non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """Move to a device without the elements."""
        import rushlight

        return self._apply(lambda t: rushlight.empty_like(t, device=device), recurse=recurse)

    def type(self, dst_type: Any) -> Any:
        """Cast everything to a type."""
        return self._apply(lambda t: t.type(dst_type))  # type: ignore[attr-defined]

    def _floating(self, dtype: Any) -> Any:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)  # type: ignore[attr-defined]

    def float(self) -> Any:
        """Cast floating-point parameters and buffers to single precision."""
        import rushlight

        return self._floating(rushlight.float32)

    def double(self) -> Any:
        """Cast floating-point parameters and buffers to double precision."""
        import rushlight

        return self._floating(rushlight.float64)

    def half(self) -> Any:
        """Cast floating-point parameters and buffers to half precision."""
        import rushlight

        return self._floating(rushlight.float16)

    def bfloat16(self) -> Any:
        """Cast floating-point parameters and buffers to bfloat16."""
        import rushlight

        return self._floating(rushlight.bfloat16)

    def cpu(self) -> Any:
        """Move to the CPU."""
        return self._apply(lambda t: t.cpu())  # type: ignore[attr-defined]

    def cuda(self, device: Any = None) -> Any:
        """Move to a GPU."""
        return self._apply(lambda t: t.cuda(device))  # type: ignore[attr-defined]

    def share_memory(self) -> Any:
        """Move everything to memory that processes share."""
        return self._apply(lambda t: t.share_memory_())  # type: ignore[attr-defined]

    def train(self, mode: bool = True) -> Any:
        """Let modules behave as in training, or not."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Let modules behave as in use."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Choose whether the parameters want gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)  # type: ignore[attr-defined]
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the parameters' gradients, or make them zero."""
        for parameter in self.parameters():
            grad = parameter.grad  # type: ignore[attr-defined]
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None  # type: ignore[attr-defined]
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                elif grad.requires_grad:
                    grad.requires_grad_(False)
                grad.zero_()

    # -- calling --
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or _global_forward_pre_hooks
            or _global_forward_hooks
            or _global_backward_hooks
            or _global_backward_pre_hooks
        ):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    _call_impl = __call__
    _wrapped_call_impl = __call__

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            return self._run_hooks(args, kwargs, called)
        except Exception:
            self._call_remaining_hooks(args, kwargs, called)
            raise

    def _call_remaining_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]
    ) -> None:
        """Hooks that always want to be called hear of failures, too."""
        always = {**_global_forward_hooks_always_called, **self._forward_hooks_always_called}
        with_kwargs = {**_global_forward_hooks_with_kwargs, **self._forward_hooks_with_kwargs}
        for number, hook in [*_global_forward_hooks.items(), *self._forward_hooks.items()]:
            if number not in always or number in called:
                continue
            try:
                hook(self, args, *((kwargs,) if number in with_kwargs else ()), None)
            except Exception as error:
                # Whatever a hook raises, the failure that it was told of counts for more.
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was "
                    f"silenced as another error was raised in forward: {error}",
                    stacklevel=2,
                )

    def _prepared(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that the hooks before `forward` leave."""
        for number, hook in [*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]:
            if number in self._forward_pre_hooks_with_kwargs:
                found = hook(self, args, kwargs)
                if found is not None:
                    if not isinstance(found, tuple) or len(found) != 2:
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, "
                            f"new_kwargs), but got {found}."
                        )
                    args, kwargs = found
            else:
                found = hook(self, args)
                if found is not None:
                    args = found if isinstance(found, tuple) else (found,)
        return args, kwargs

    def _run_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> Any:
        args, kwargs = self._prepared(args, kwargs)
        before = [*self._backward_pre_hooks.values(), *_global_backward_pre_hooks.values()]
        after, of_node = self._sorted_backward_hooks()
        watch = None
        if before or after:
            from rushlight.nn.modules._backward_hooks import Watch

            watch = Watch(self, before, after)
            args = watch.inputs(args)
        result = self.forward(*args, **kwargs)
        with_kwargs = {**_global_forward_hooks_with_kwargs, **self._forward_hooks_with_kwargs}
        for number, hook in [*_global_forward_hooks.items(), *self._forward_hooks.items()]:
            called.add(number)
            found = hook(self, args, *((kwargs,) if number in with_kwargs else ()), result)
            if found is not None:
                result = found
        result = result if watch is None else watch.outputs(result)
        if of_node:
            from rushlight.nn.modules._backward_hooks import watch_node

            watch_node(self, of_node, args, result)
        return result

    def _sorted_backward_hooks(self) -> tuple[list[Any], list[Any]]:
        """The hooks on the module's gradients, and those of the old form, on one node's."""
        full: list[Any] = []
        of_node: list[Any] = []
        for is_full, hooks in (
            (_global_is_full_backward_hook, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            (of_node if is_full is False else full).extend(hooks.values())
        return full, of_node

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`; it may give other arguments."""
        numbers = _wanted((with_kwargs, self._forward_pre_hooks_with_kwargs))
        return add_hook(self._forward_pre_hooks, hook, prepend, numbers)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`; it may give another output."""
        numbers = _wanted(
            (with_kwargs, self._forward_hooks_with_kwargs),
            (always_call, self._forward_hooks_always_called),
        )
        return add_hook(self._forward_hooks, hook, prepend, numbers)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients are there."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = True
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old form of `register_full_backward_hook`: the gradients are those of the node that made
        the output. Both cannot be used on one module.
        """
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = False
        return add_hook(self._backward_hooks, hook)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the module's part of a backward pass."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    # -- state --
    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after `state_dict`."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As `register_state_dict_post_hook`; the hook may give another state, too."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict`."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata, ...)`` before a state is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        if with_module:
            hook = _WrappedHook(hook, self)
        return add_hook(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a state was loaded."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add this module's own tensors to a state."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = _saved(parameter, keep_vars)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = _saved(buffer, keep_vars)
        if type(self).get_extra_state is not Module.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by their paths."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                "state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            found = hook(self, destination, prefix, metadata)
            if found is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = found
        return destination

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take this module's own tensors from a state."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        persistent = {
            k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set
        }
        own = {
            k: v for k, v in itertools.chain(self._parameters.items(), persistent.items())
            if v is not None
        }  # fmt: skip
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, item in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_one(name, key, item, state_dict[key], assign, error_msgs)
        key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not Module.set_extra_state:
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != prefix + _EXTRA_STATE_KEY_SUFFIX:
                    name, *rest = key[len(prefix) :].split(".", 1)
                    known = name in own or (bool(rest) and name in self._modules)
                    if not known and (rest == [] or name not in self._modules):
                        unexpected_keys.append(key)

    def _load_one(
        self, name: str, key: str, item: Any, given: Any, assign: bool, error_msgs: list[str]
    ) -> None:
        import rushlight

        if not rushlight.overrides.is_tensor_like(given):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(given)}"
            )
            return
        lazy = is_lazy(item)
        if is_lazy(given) and not lazy:
            raise RuntimeError(REFUSED)
        if not lazy and len(item.shape) == 0 and tuple(given.shape) == (1,):
            given = given[0]  # type: ignore[index]
        if not lazy and given.shape != item.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from "
                f"checkpoint, the shape in current model is {item.shape}."
            )
            return
        if item.is_meta and not given.is_meta and not assign:  # type: ignore[attr-defined]
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter "
                "in the current model, which is a no-op. (Did you mean to pass `assign=True` to "
                "assign items in the state dictionary to their corresponding key in the module "
                "instead of copying them in place?)",
                stacklevel=2,
            )
        try:
            with rushlight.no_grad():
                if get_swap_module_params_on_conversion():
                    _swap_loaded(item, given, assign)
                elif assign:
                    if isinstance(item, Parameter):
                        wants = item.requires_grad  # type: ignore[attr-defined]
                        if isinstance(given, Parameter):
                            given.requires_grad_(wants)  # type: ignore[attr-defined]
                        else:
                            given = Parameter(given, wants)
                    setattr(self, name, given)
                else:
                    item.copy_(given)
        except Exception as error:
            # Tensors' classes may raise anything; all that does not fit is reported together.
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{item.size()} and whose dimensions in the checkpoint are {given.size()}, an "  # type: ignore[attr-defined]
                f"exception occurred : {error.args}."
            )

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Take over a state; with ``strict``, its names must be those of this module.

        Args:
            state_dict: tensors by their paths
            strict: raise for names that are missing or unknown
            assign: use the given tensors themselves instead of copying their elements
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata  # type: ignore[attr-defined]

        def load(module: Module, local: Any, prefix: str = "") -> None:
            own = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                own["assign_to_params_buffers"] = assign
            module._load_from_state_dict(local, prefix, own, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in local.items() if k.startswith(below)}, below)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                found = hook(module, keys)
                if found is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                        "expected to return new values, if incompatible_keys need to be modified, "
                        "it should be done inplace."
                    )

        load(self, state)
        if strict:
            if unexpected:
                names = ", ".join(f'"{k}"' for k in unexpected)
                errors.insert(0, f"Unexpected key(s) in state_dict: {names}. ")
            if missing:
                names = ", ".join(f'"{k}"' for k in missing)
                errors.insert(0, f"Missing key(s) in state_dict: {names}. ")
        if errors:
            text = "\n\t".join(errors)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}"
            )
        return _IncompatibleKeys(missing, unexpected)

    # -- text, copies --
    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What the text of the module says of its settings."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): {_indented(repr(module), 2)}" for name, module in self._modules.items()
        ]
        text = self._get_name() + "("
        if lines or children:
            if len(lines) == 1 and not children:
                text += lines[0]
            else:
                text += "\n  " + "\n  ".join([*lines, *children]) + "\n"
        return text + ")"

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in self._only_in_files:
            self.__dict__.pop(name, None)
        for name in _HOOK_TABLES:
            self.__dict__.setdefault(name, Hooks())
        for name in _HOOK_NUMBERS:
            self.__dict__.setdefault(name, {})
        self.__dict__.setdefault("_is_full_backward_hook", None)
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    def _reduced_for_files(self, protocol: int) -> Any:
        """What pickling begins with, with all that PyTorch expects of a module's state."""
        reduced = self.__reduce_ex__(protocol)
        if not isinstance(reduced, tuple) or len(reduced) < 3 or not isinstance(reduced[2], dict):
            return reduced
        numbers = {name: OrderedDict(reduced[2].get(name, ())) for name in _HOOK_NUMBERS}
        known = {name: getattr(self, name) for name in self._only_in_files}
        return *reduced[:2], {**reduced[2], **numbers, **known}, *reduced[3:]

    def _replicate_for_data_parallel(self) -> Any:
        made = type(self).__new__(type(self))
        made.__dict__ = self.__dict__.copy()
        made._parameters = {}
        made._buffers = self._buffers.copy()
        made._modules = self._modules.copy()
        return made

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile `forward`."""
        import rushlight

        self.__dict__["forward"] = rushlight.compile(self.forward, *args, **kwargs)


class _WrappedHook:
    """A hook that is called with its module, which it does not keep alive.

    Files have it under this name, and with these fields.
    """

    def __init__(self, hook: Callable[..., Any], module: Module) -> None:
        self.__setstate__({"hook": hook, "with_module": True, "module": module})

    def __call__(self, *args: Any) -> Any:
        return self.hook(*(owner() for owner in self._owner), *args)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"hook": self.hook, "with_module": bool(self._owner)}
        return {**state, "module": self._owner[0]()} if self._owner else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        # Files of PyTorch also have hooks that are called without a module.
        self._owner = [weakref.ref(state["module"])] if state["with_module"] else []


def _is_like_a_tensor(value: Any) -> bool:
    """Whether a buffer may be this: a tensor, or what takes part in PyTorch's functions."""
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _type_name(item: Any) -> str:
    if isinstance(item, Tensor):
        return str(item.type())  # type: ignore[attr-defined]
    kind = type(item)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return name.replace("rushlight.engine.core.tensor", "torch").replace("rushlight", "torch")


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """The device, type, blocking and format that the arguments of `to` mean."""
    import rushlight

    device, dtype = kwargs.get("device"), dtypes.as_dtype(kwargs.get("dtype"))
    blocking = [a for a in args if isinstance(a, bool)]
    for item in map(dtypes.as_dtype, args):
        if isinstance(item, rushlight.dtype):
            dtype = item
        elif isinstance(item, Tensor):
            device, dtype = item._storage_.device, item._dtype_
        elif item is not None and not isinstance(item, bool):
            device = item
    device = None if device is None else rushlight.device(device)
    return (
        device,
        dtype,
        bool(kwargs.get("non_blocking", blocking[:1] == [True])),
        kwargs.get("memory_format"),
    )


def _saved(tensor: Any, keep_vars: bool) -> Any:
    """A tensor as a state has it: without a history, unless it is to be kept."""
    return tensor if keep_vars or is_lazy(tensor) else tensor.detach()
