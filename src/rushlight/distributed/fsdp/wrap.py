"""Which modules within a module are wrapped by themselves."""

from __future__ import annotations

import contextlib
import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.transformer import MultiheadAttention

__all__ = [
    "CustomPolicy",
    "ModuleWrapPolicy",
    "always_wrap_policy",
    "enable_wrap",
    "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
]

Policy = Callable[..., bool]


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wrap each module."""
    return True


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wrap modules for which a function says so.

    Args:
        module: the module
        recurse: whether the question is if modules within are asked for
        nonwrapped_numel: how many elements its parameters have that are not wrapped yet
        lambda_fn: the function
    """
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    transformer_layer_cls: set[type[Module]],
) -> bool:
    """Wrap modules of some classes, such as the layers of a transformer.

    Args:
        module: the module
        recurse: whether the question is if modules within are asked for
        nonwrapped_numel: how many elements its parameters have that are not wrapped yet
        transformer_layer_cls: the classes
    """
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = int(1e8),
    force_leaf_modules: set[type[Module]] | None = None,
    exclude_wrap_modules: set[type[Module]] | None = None,
) -> bool:
    """Wrap modules with many parameters that are not wrapped yet.

    Args:
        module: the module
        recurse: whether the question is if modules within are asked for
        nonwrapped_numel: how many elements its parameters have that are not wrapped yet
        min_num_params: how many are many
        force_leaf_modules: classes whose modules are not looked into
        exclude_wrap_modules: classes whose modules are not wrapped
    """
    leaves = {MultiheadAttention} if force_leaf_modules is None else force_leaf_modules
    excluded = {ModuleList, ModuleDict} if exclude_wrap_modules is None else exclude_wrap_modules
    is_large = nonwrapped_numel >= min_num_params
    if recurse:
        return is_large and not isinstance(module, tuple(leaves))
    return is_large and not isinstance(module, tuple(excluded))


class _Policy(ABC):
    """Says for each module within a module whether it is wrapped, and how."""

    @abstractmethod
    def _run_policy(
        self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]
    ) -> dict[Module, dict[str, Any]]:
        """The modules that are wrapped, with the options for each."""


class ModuleWrapPolicy(_Policy):
    """Wraps modules of some classes.

    Args:
        module_classes: the classes
    """

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        self._module_classes = tuple(set(module_classes))

    def _run_policy(
        self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]
    ) -> dict[Module, dict[str, Any]]:
        return {
            m: copy.copy(root_kwargs)
            for m in root_module.modules()
            if m not in ignored_modules and isinstance(m, self._module_classes)
        }

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return True if recurse else isinstance(module, self._module_classes)

    def __repr__(self) -> str:
        return f"ModuleWrapPolicy({set(self._module_classes)})"


class CustomPolicy(_Policy):
    """Wraps modules for which a function says so.

    Args:
        lambda_fn: gives for a module True, False, or options to wrap it with
    """

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def _run_policy(
        self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]
    ) -> dict[Module, dict[str, Any]]:
        found = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, (dict, bool)):
                raise ValueError(
                    "The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it returned "
                    f"{answer!r}"
                )
            if answer is not False:
                found[module] = {**root_kwargs, **(answer if isinstance(answer, dict) else {})}
        return found


def chosen(
    root: Module, policy: Any, ignored: set[Module], options: dict[str, Any]
) -> dict[Module, dict[str, Any]]:
    """The modules within a module that a policy wraps, with the options for each; those inside others first."""
    if isinstance(policy, _Policy):
        wanted = policy._run_policy(root, ignored, options)
        order = [m for m in _inside_first(root, ignored) if m in wanted and m is not root]
        return {m: wanted[m] for m in order}
    found: dict[Module, dict[str, Any]] = {}

    def visit(module: Module) -> int:
        """How many elements of a module's parameters are wrapped."""
        count = _count(module)
        wrapped = 0
        if policy(module=module, recurse=True, nonwrapped_numel=count):
            for child in module.children():
                if child not in ignored:
                    wrapped += visit(child)
        if module is root or module in found:
            return wrapped
        if policy(module=module, recurse=False, nonwrapped_numel=count - wrapped):
            found[module] = dict(options)
            return count
        return wrapped

    visit(root)
    return found


def _count(module: Module) -> int:
    return sum(p.numel() for p in module.parameters())  # type: ignore[attr-defined]


def _inside_first(module: Module, ignored: set[Module]) -> Sequence[Module]:
    return [m for m in reversed(list(module.modules())) if m not in ignored]


def replace(
    root: Module, wrap_one: Callable[[Module, dict[str, Any]], Module], wanted: Any
) -> None:
    """Put wrappers in the places of modules within a module."""
    for module, options in wanted.items():
        wrapper = wrap_one(module, options)
        for parent in list(root.modules()):
            if parent is wrapper:
                continue
            for name, child in list(parent._modules.items()):
                if child is module:
                    parent._modules[name] = wrapper


# -- wrapping by hand --

_options: list[dict[str, Any]] = []


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Let `wrap` wrap modules within this block.

    Args:
        wrapper_cls: the class of wrappers
        wrapper_kwargs: what they are made with
    """
    _options.append({"wrapper_cls": wrapper_cls, **wrapper_kwargs})
    try:
        yield
    finally:
        _options.pop()


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Wrap a module, within `enable_wrap`; the module itself elsewhere.

    Args:
        module: the module
        wrap_overrides: options other than those of `enable_wrap`
    """
    if not _options:
        return module
    given = {**_options[-1], **wrap_overrides}
    made: Module = given.pop("wrapper_cls")(module, **given)
    return made
