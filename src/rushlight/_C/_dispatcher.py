"""What PyTorch's dispatcher tells of itself: keys, sets of keys, operators and what serves them."""

from __future__ import annotations

from typing import Any

from rushlight._library import computed_table
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.device import device as Device
from rushlight.engine.dispatch import (
    key_names,
    key_sets,
    modes,
    registrations,
    registry,
)
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.function_schema import schema_of
from rushlight.engine.dispatch.key_sets import DispatchKey, DispatchKeySet
from rushlight.engine.dispatch.library import IMPLICIT, Library
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.registrations import Registration

IDENTITY = "(Tensor _0) -> Tensor _0"
UNPLACED = "registered at /dev/null:0"

_dispatch_autogradother_backends = DispatchKeySet.from_raw_repr(0)
for _name in key_names.autogradother_backends():
    _dispatch_autogradother_backends |= DispatchKeySet(_name)
_after_autograd_keyset = key_sets.full_after(DispatchKey("AutogradOther"))
_after_ADInplaceOrView_keyset = key_sets.full_after(DispatchKey("ADInplaceOrView"))


class _DispatchModule:
    """Registrations in a namespace by kernels that give their argument back.

    Args:
        kind: "DEF", "FRAGMENT" or "IMPL"
        namespace: of the operators
        key: for which kernels are, unless they say
        file: from where they are registered
        line: of the file
    """

    def __init__(self, kind: str, namespace: str, key: str, file: str, line: int) -> None:
        self._library = Library(namespace, kind, key)
        self._place = f"registered at {file}:{line}"

    def _define(self, schema: str, alias: str) -> Operator:
        return self._library.define_as(schema, self._place, alias)

    def _serve(self, name: str, key: str, made: Registration) -> None:
        library = self._library
        key = key or library.dispatch_key or IMPLICIT
        library.undo.append(registrations.add(library.qualified(name), key, made))

    def def_(self, schema: str, alias: str = "") -> _DispatchModule:
        """Define an operator."""
        self._define(schema, alias or "FROM_SCHEMA")
        return self

    def def_legacy(self, schema: str) -> _DispatchModule:
        """Define an operator, as programs did before schemas told of aliases."""
        self._define(schema, "CONSERVATIVE (default)")
        return self

    def define(self, schema: str, alias: str = "", tags: tuple[Any, ...] = ()) -> str:
        """Define an operator; its name."""
        return self._library.define_as(
            schema, self._place, alias or "FROM_SCHEMA", tuple(tags)
        ).base_name

    def def_name_t_t(self, name: str, dispatch: str = "", debug: str = "") -> _DispatchModule:
        """Define an operator with one kernel, whose types say the schema."""
        self._define(f"{name}{IDENTITY}", "CONSERVATIVE")
        return self.impl_t_t(name, dispatch, debug or "default_def_name_t_t")

    def def_schema_t_t(
        self, schema: str, dispatch: str = "", alias: str = "", debug: str = ""
    ) -> _DispatchModule:
        """Define an operator with one kernel."""
        op = self._define(schema, alias or "FROM_SCHEMA")
        return self.impl_t_t(op.base_name, dispatch, debug or "default_def_schema_t_t")

    def impl_t_t(self, name: str, dispatch: str = "", debug: str = "") -> _DispatchModule:
        """Serve an operator with a kernel that gives its argument back."""
        self._serve(name, dispatch, Registration(_same, debug or "impl_t_t", IDENTITY))
        return self

    def impl(self, name: str, dispatch: str, function: Any, with_keyset: bool = False) -> None:
        """Serve an operator with a function in Python."""
        self._serve(name, dispatch, Registration(function, self._place, takes_keys=with_keyset))

    def fallback_fallthrough(self, dispatch: str = "") -> _DispatchModule:
        """Let a key take no part in operators without kernels for it."""
        key = dispatch or self._library.dispatch_key
        made = Registration(registry.FALLTHROUGH, self._place)
        self._library.undo.append(registrations.add_fallback(key, made, made.function))
        return self

    def fallback(self, dispatch: str, function: Any, with_keyset: bool = False) -> _DispatchModule:
        """Serve a key of all operators without kernels for it."""
        self._library.fallback(function, dispatch, with_keyset=with_keyset)
        return self

    def reset(self) -> None:
        """Take all registrations back."""
        self._library._destroy()


def _same(x: Any) -> Any:
    return x


class _DispatchOperatorHandle:
    """An operator as the dispatcher knows it."""

    def __init__(self, op: Operator) -> None:
        self._op = op

    def schema(self) -> Any:
        """The operator's schema."""
        return self._op.schema

    def debug(self) -> str:
        """Where it comes from."""
        entry = registrations.entries.get(self._op.full_name)
        return entry.debug if entry is not None else ""

    def redispatch_boxed(self, keys: DispatchKeySet, *args: Any, **kwargs: Any) -> Any:
        """Call it as if its tensors had these keys."""
        return self._op.redispatch(keys, *args, **kwargs)


def _dispatch_library(
    kind: str, name: str, dispatch: str, file: str = "/dev/null", linenum: int = 0
) -> _DispatchModule:
    return _DispatchModule(kind, name, dispatch, file, linenum)


def _dispatch_dump(name: str) -> str:
    return computed_table.state_text(name)


def _dispatch_dump_table(name: str) -> str:
    return computed_table.table_text(name)


def _dispatch_check_invariants(name: str) -> None:
    computed_table.check(name)


def _dispatch_check_all_invariants() -> None:
    for name in list(registrations.entries):
        computed_table.check(name)


def _dispatch_find_dangling_impls() -> list[str]:
    return computed_table.dangling()


def _dispatch_find_schema_or_throw(name: str, overload: str) -> _DispatchOperatorHandle:
    found = operators.find(f"{name}.{overload}" if overload else name)
    if found is None:
        dot = f".{overload}" if overload else "."
        raise RuntimeError(f"Could not find schema for {name}{dot}")
    return _DispatchOperatorHandle(found)


def _dispatch_call_boxed(handle: _DispatchOperatorHandle, *args: Any, **kwargs: Any) -> Any:
    return handle._op(*args, **kwargs)


def _jit_get_all_schemas() -> list[Any]:
    """The schemas of all operators, built-in ones and others."""
    return [schema_of(operators.operator(name)) for name in _dispatch_get_all_op_names()]


def _jit_get_schemas_for_operator(name: str) -> list[Any]:
    """The schemas of the overloads of one name, such as ``"aten::add"``."""
    return [schema_of(op) for op in operators.overloads(name)]


def _dispatch_get_all_op_names() -> list[str]:
    return computed_table.names_where(lambda name: True)


def _dispatch_get_registrations_for_dispatch_key(key: str = "") -> list[str]:
    """The operators with a kernel for a key of their own."""
    if key and not key_names.is_key(key):
        raise RuntimeError(f"could not parse dispatch key: {key}")
    if not key:
        return _dispatch_get_all_op_names()
    return computed_table.names_where(lambda name: key in computed_table.stacks_of(name))


def _dispatch_print_registrations_for_dispatch_key(key: str = "") -> None:
    for name in _dispatch_get_registrations_for_dispatch_key(key):
        print(name)


def _dispatch_has_kernel(name: str) -> bool:
    return computed_table.is_known(name) and bool(computed_table.stacks_of(name))


def _stacks(name: str) -> computed_table.Stacks:
    if not computed_table.is_known(name):
        raise RuntimeError(f"operator {name} does not exist")
    return computed_table.stacks_of(name)


def _dispatch_has_kernel_for_dispatch_key(name: str, key: DispatchKey | str) -> bool:
    return _dispatch_key(key).name in _stacks(name)


def _dispatch_has_kernel_for_any_dispatch_key(name: str, keys: DispatchKeySet) -> bool:
    return any(key in _stacks(name) for key in key_names.names_of(keys.raw))


def _dispatch_has_computed_kernel_for_dispatch_key(name: str, key: DispatchKey | str) -> bool:
    return computed_table.computed(_stacks(name), _dispatch_key(key).name) is not None


def _dispatch_get_computed_kernel_for_dispatch_key(name: str, key: DispatchKey | str) -> Any:
    found = computed_table.computed(_stacks(name), _dispatch_key(key).name)
    if found is None:
        raise RuntimeError(f"{name} has no kernel for {_dispatch_key(key).name}")
    return found[0].function


def _dispatch_kernel_for_dispatch_key_is_fallthrough(name: str, key: DispatchKey | str) -> bool:
    found = _stacks(name).get(_dispatch_key(key).name)
    return bool(found) and isinstance(found[0].function, registry.Fallthrough)  # type: ignore[index]


def _dispatch_has_backend_fallback(key: DispatchKey | str) -> bool:
    return computed_table.fallback_for(_dispatch_key(key).name) is not None


def _dispatch_key(key: DispatchKey | str) -> DispatchKey:
    return _dispatch_key_parse(key) if isinstance(key, str) else key


def _dispatch_key_parse(name: str) -> DispatchKey:
    if name not in key_names.numbers():
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return DispatchKey(name)


_parse_dispatch_key = _dispatch_key_parse


def _dispatch_key_name(key: DispatchKey) -> str:
    return key.name


def _dispatch_key_for_device(device: str) -> str:
    """The key of the data on a device."""
    return key_names.names_of(key_names.from_bits(Device(device).key))[0]


def _dispatch_key_set(tensor: Any) -> str:
    return repr(key_sets.keys_of(tensor))


def _dispatch_keys(tensor: Any) -> DispatchKeySet:
    return key_sets.keys_of(tensor)


def _dispatch_keyset_full() -> DispatchKeySet:
    return key_sets.full()


def _dispatch_keyset_full_after(key: DispatchKey) -> DispatchKeySet:
    return key_sets.full_after(key)


def _dispatch_keyset_to_string(keys: DispatchKeySet) -> str:
    return repr(keys)


def _dispatch_get_backend_keyset_from_autograd(key: DispatchKey) -> DispatchKeySet:
    raw = 0
    for name in key_names.backends_under(key.name):
        raw |= key_names.raw_sets()[name]
    return DispatchKeySet.from_raw_repr(raw)


def _dispatch_is_alias_key(key: DispatchKey) -> bool:
    return key.name in key_names.ALIASES


def _dispatch_is_included_in_alias(key: DispatchKey, alias: DispatchKey) -> bool:
    return key.name in key_names.in_alias(alias.name)


def _dispatch_num_backends() -> int:
    return len(key_names.BACKENDS)


def _dispatch_isTensorSubclassLike(tensor: Any) -> bool:
    """Whether something else than a kernel may answer for a tensor."""
    others = key_bits.PYTHON | key_bits.FUNCTIONALIZE | key_bits.BATCHED | key_bits.FAKE
    return bool(tensor._keys_ & others)


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    always = DispatchKeySet("BackendSelect")
    if not state.thread.inference:
        always |= DispatchKeySet("ADInplaceOrView")
    return always | DispatchKeySet.of_bits(state.thread.included)


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """What is excluded in this thread; autocast is, of the devices for which it is off."""
    raw = key_names.from_bits(state.thread.excluded) & ~key_names.BACKEND_MASK
    for name in key_names.FUNCTIONALITIES:
        if name.startswith("Autocast") and not _autocasts(name.removeprefix("Autocast")):
            raw |= key_names.functionality_bit(name)
    if state.thread.excluded & key_bits.AUTOGRAD:
        for name in ("AutogradOther", "AutogradNestedTensor"):
            raw |= key_names.functionality_bit(name)
    return DispatchKeySet.from_raw_repr(raw)


def _autocasts(backend: str) -> bool:
    bit = key_bits.NAMES.get(backend, 0)
    return backend == "CPU" and bool(bit) and bool(state.thread.included & key_bits.AUTOCAST)


def _dispatch_tls_is_dispatch_key_excluded(key: DispatchKey) -> bool:
    return _dispatch_tls_local_exclude_set().has(key)


def _dispatch_tls_is_dispatch_key_included(key: DispatchKey) -> bool:
    return _dispatch_tls_local_include_set().has(key)


def _dispatch_tls_set_dispatch_key_excluded(key: DispatchKey, excluded: bool) -> None:
    _switch("excluded", key.bits, excluded)


def _dispatch_tls_set_dispatch_key_included(key: DispatchKey, included: bool) -> None:
    _switch("included", key.bits, included)


def _switch(which: str, bits: int, on: bool) -> None:
    before = getattr(state.thread, which)
    after = before | bits if on else before & ~bits
    if after != before:
        setattr(state.thread, which, after)
        state.activate(1 if on else -1)


class _AutoDispatchBelowAutograd(state.excluding):
    """Call operators without what Autograd does."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(key_bits.AUTOGRAD)


class _AutoDispatchBelowADInplaceOrView(_AutoDispatchBelowAutograd):
    """Call operators without what Autograd and the keeping of views do, which are one here."""

    __slots__ = ()


class _ForceDispatchKeyGuard:
    """Let exactly these keys be included and excluded in this thread.

    Args:
        include: the keys that are added to each call
        exclude: those that are taken away
    """

    def __init__(self, include: DispatchKeySet, exclude: DispatchKeySet) -> None:
        self._wanted = include.bits, exclude.bits

    def __enter__(self) -> None:
        thread = state.thread
        self._before = thread.included, thread.excluded
        thread.included, thread.excluded = self._wanted
        state.activate(1)

    def __exit__(self, *exception: object) -> None:
        state.thread.included, state.thread.excluded = self._before
        state.activate(-1)


class _PreserveDispatchKeyGuard:
    """Bring back, at the end of a block, what was included and excluded before it."""

    def __enter__(self) -> None:
        self._before = state.thread.included, state.thread.excluded
        state.activate(1)

    def __exit__(self, *exception: object) -> None:
        state.thread.included, state.thread.excluded = self._before
        state.activate(-1)


class _SetExcludeDispatchKeyGuard(_PreserveDispatchKeyGuard):
    """Exclude a key, or let it take part again, for a block.

    Args:
        key: which one
        excluded: whether it is to be excluded
    """

    def __init__(self, key: DispatchKey, excluded: bool) -> None:
        self._key, self._excluded = key.bits, excluded

    def __enter__(self) -> None:
        super().__enter__()
        before = state.thread.excluded
        state.thread.excluded = before | self._key if self._excluded else before & ~self._key


def _len_torch_dispatch_stack() -> int:
    return len(modes.stack())


def _get_dispatch_stack_at(index: int) -> Any:
    return modes.stack()[index]


def _push_on_torch_dispatch_stack(mode: Any) -> None:
    modes.push(mode)


def _pop_torch_dispatch_stack(key: Any = None) -> Any:
    return modes.pop()
