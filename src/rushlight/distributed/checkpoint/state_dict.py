"""State dicts of models and optimizers by the names that parameters have in the model, whatever wraps it.

What `DistributedDataParallel`, `torch.compile` and checkpointed blocks put in front of names is left out, and
optimizers speak of names instead of numbers, so that a checkpoint fits any number of processes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import rushlight
from rushlight import distributed as dist
from rushlight import nn
from rushlight.distributed.tensor import DTensor, distribute_tensor
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.optim import Optimizer

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]

_WRAPPERS = ("_orig_mod", "_checkpoint_wrapped_module", "_fsdp_wrapped_module")


@dataclass
class StateDictOptions:
    """How state dicts are made and taken.

    Args:
        full_state_dict: whole tensors instead of this process's parts of them
        cpu_offload: on the CPU
        ignore_frozen_params: without parameters that want no gradient
        keep_submodule_prefixes: accepted
        strict: whether keys must match when a model's is set
        broadcast_from_rank0: whether only the first process has what is set
        flatten_optimizer_state_dict: an optimizer's without nesting
        dsd_fqn_modifiers: accepted
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


class _IncompatibleKeys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


def _chosen(options: StateDictOptions | None) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _names(model: nn.Module) -> dict[str, str]:
    """For each key of a model's state dict, the name without what wrappers put in it."""
    wrapped = {
        prefix for prefix, module in model.named_modules()
        if isinstance(module, (nn.DataParallel, nn.parallel.DistributedDataParallel))
    }  # fmt: skip
    found = {}
    for key in (*model.state_dict(), *(name for name, _ in model.named_parameters())):
        path: list[str] = []
        parts = key.split(".")
        for number, part in enumerate(parts):
            inside = ".".join(parts[:number])
            if part not in _WRAPPERS and not (part == "module" and inside in wrapped):
                path.append(part)
        found[key] = ".".join(path)
    return found


def clean_name(name: str) -> str:
    """A name without what wrappers put in it."""
    return ".".join(part for part in name.split(".") if part not in _WRAPPERS)


def _parameter_names(model: nn.Module) -> dict[Tensor, str]:
    names = _names(model)
    return {parameter: names[name] for name, parameter in model.named_parameters()}


def _made(value: Any, options: StateDictOptions) -> Any:
    """A value as the options want it."""
    if isinstance(value, Tensor):
        given: Any = value
        if options.full_state_dict and hasattr(given, "full_tensor"):
            given = given.full_tensor()
        return given.cpu() if options.cpu_offload else given
    if isinstance(value, dict):
        return {key: _made(x, options) for key, x in value.items()}
    return value


def _kept(found: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    """What this process gets: whole tensors on the CPU are for the first one only."""
    first_only = options.full_state_dict and options.cpu_offload and dist.is_initialized()
    return {} if first_only and dist.get_rank() else found


def _as(value: Any, like: Any) -> Any:
    """A whole tensor as the distributed one that it is for."""
    if not isinstance(like, DTensor) or isinstance(value, DTensor) or value.shape != like.shape:
        return value
    on_mesh = value if like.is_meta else value.to(like.device)
    return distribute_tensor(on_mesh, like.device_mesh, like.placements, src_data_rank=None)


def _flattens(model: nn.Module) -> bool:
    """Whether parameters of a model lie in flat ones."""
    from rushlight.distributed.fsdp import FullyShardedDataParallel

    return any(isinstance(module, FullyShardedDataParallel) for module in model.modules())


def _flat_wrappers(model: nn.Module, options: StateDictOptions) -> Any:
    """A block in which wrappers with flat parameters give state dicts as the options want them."""
    from rushlight.distributed.fsdp import FullyShardedDataParallel, StateDictType

    if not _flattens(model):
        return contextlib.nullcontext()
    whole = options.full_state_dict
    kind = StateDictType.FULL_STATE_DICT if whole else StateDictType.SHARDED_STATE_DICT
    return FullyShardedDataParallel.state_dict_type(model, kind)


def get_model_state_dict(
    model: nn.Module,
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state dict of a model, by clean names.

    Args:
        model: wrapped or not
        submodules: only of these parts
        options: how it is made
    """
    options = _chosen(options)
    names = _names(model)
    frozen = {
        name for name, parameter in model.named_parameters(remove_duplicate=False)
        if options.ignore_frozen_params and not parameter.requires_grad
    }  # fmt: skip
    prefixes: tuple[str, ...] | None = None
    if submodules is not None:
        prefixes = tuple(f"{n}." for n, module in model.named_modules() if module in submodules)
    with _flat_wrappers(model, options):
        found = {
            names[key]: _made(value, options)
            for key, value in model.state_dict().items()
            if key not in frozen and (prefixes is None or key.startswith(prefixes))
        }
    return _kept(found, options)


def set_model_state_dict(
    model: nn.Module,
    model_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> Any:
    """Give a model a state dict with clean names.

    Args:
        model: wrapped or not
        model_state_dict: what :func:`get_model_state_dict` gave
        options: how it is taken
    """
    options = _chosen(options)
    names = _names(model)
    given = _from_first(model_state_dict) if options.broadcast_from_rank0 else model_state_dict
    held = model.state_dict()
    # Wrappers that leave no trace in state dicts leave one in the names of parameters.
    by_name = {name: key for key, name in reversed(names.items())}
    keys = {by_name.get(name, name): value for name, value in given.items()}
    # Parameters without memory are replaced: there is nothing to copy into.
    abstract = any(isinstance(value, Tensor) and value.is_meta for value in held.values())
    found = model.load_state_dict(
        {key: _as(value, held.get(key)) for key, value in keys.items()},
        strict=options.strict,
        assign=abstract and options.full_state_dict,
    )
    return _IncompatibleKeys(
        [names.get(key, key) for key in found.missing_keys], list(found.unexpected_keys)
    )


def _from_first(value: Any) -> Any:
    """What the first process has, in all."""
    held = [value if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(held, src=0)
    return held[0]


def _optimizers(given: Optimizer | Iterable[Optimizer]) -> tuple[Optimizer, ...]:
    return (given,) if isinstance(given, Optimizer) else tuple(given)


@contextlib.contextmanager
def _without_steps(optimizer: Optimizer) -> Iterator[None]:
    """A block in which steps change no parameter: their rates are zero."""
    rates = [group.get("lr") for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        if "lr" in group:
            lr = group["lr"]
            group["lr"] = rushlight.zeros_like(lr) if isinstance(lr, Tensor) else 0.0
    try:
        yield
    finally:
        for group, rate in zip(optimizer.param_groups, rates):
            if "lr" in group:
                group["lr"] = rate


def _init_optim_state(optimizer: Optimizer) -> None:
    """Let an optimizer that has made no step have the state of one that has."""
    if optimizer.state:
        return
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if any(p.grad is not None for p in parameters):
        # Gradients that are there are the program's.
        return
    before = [p.detach().clone() for p in parameters if p.requires_grad]
    for p in parameters:
        if p.requires_grad:
            p.grad = rushlight.zeros_like(p)
    with _without_steps(optimizer):
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    with rushlight.no_grad():
        for p, old in zip((p for p in parameters if p.requires_grad), before):
            # Some decay without a rate.
            p.copy_(old)


def get_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state dict of optimizers as one, by the names that parameters have in the model.

    Args:
        model: whose parameters they are
        optimizers: one or several
        submodules: accepted
        options: how it is made
    """
    options = _chosen(options)
    names = _parameter_names(model)
    state: dict[str, Any] = {}
    groups: list[dict[str, Any]] = []
    for optimizer in _optimizers(optimizers):
        _init_optim_state(optimizer)
        held = _by_name(model, optimizer, names, options)
        state.update({name: _made(values, options) for name, values in held["state"].items()})
        groups += held["param_groups"]
    found = {"state": state, "param_groups": groups}
    return _kept(_flat(found) if options.flatten_optimizer_state_dict else found, options)


def _by_name(
    model: nn.Module, optimizer: Optimizer, names: dict[Tensor, str], options: StateDictOptions
) -> dict[str, Any]:
    """The state dict of one optimizer, with names for numbers."""
    if _flattens(model):
        from rushlight.distributed.fsdp import FullyShardedDataParallel

        with _flat_wrappers(model, options):
            return FullyShardedDataParallel.optim_state_dict(model, optimizer)
    held = optimizer.state_dict()
    ordered = [p for group in optimizer.param_groups for p in group["params"]]
    numbers = [n for group in held["param_groups"] for n in group["params"]]
    by_number = {number: names[p] for number, p in zip(numbers, ordered)}
    groups = [
        {**group, "params": [by_number[n] for n in group["params"]]}
        for group in held["param_groups"]
    ]
    state = {by_number[n]: values for n, values in held["state"].items()}
    return {"state": state, "param_groups": groups}


def _flat(found: dict[str, Any]) -> dict[str, Any]:
    """Without nesting: each value of a state, and each setting of a parameter's group, by one name."""
    flat = {
        f"state.{name}.{key}": value
        for name, values in found["state"].items()
        for key, value in values.items()
    }
    for group in found["param_groups"]:
        for name in group["params"]:
            flat |= {f"param_groups.{name}.{k}": v for k, v in group.items() if k != "params"}
    return flat


def _nested(optimizer: Optimizer, names: list[list[str]], flat: dict[str, Any]) -> dict[str, Any]:
    """What :func:`_flat` was made of, for one optimizer, with the names in each of its groups."""
    state: dict[str, dict[str, Any]] = {}
    groups = []
    for group, own in zip(optimizer.param_groups, names):
        for name in own:
            prefix = f"state.{name}."
            values = {k.removeprefix(prefix): v for k, v in flat.items() if k.startswith(prefix)}
            if values:
                state[name] = values
        settings = {
            key: flat.get(f"param_groups.{own[0]}.{key}", value) if own else value
            for key, value in group.items()
            if key != "params"
        }
        groups.append({**settings, "params": own})
    return {"state": state, "param_groups": groups}


def set_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Give optimizers their parts of a state dict with names.

    Args:
        model: whose parameters they are
        optimizers: one or several
        optim_state_dict: what :func:`get_optimizer_state_dict` gave
        options: how it is taken
    """
    options = _chosen(options)
    names = _parameter_names(model)
    given = _from_first(optim_state_dict) if options.broadcast_from_rank0 else optim_state_dict
    for optimizer in _optimizers(optimizers):
        if _flattens(model):
            from rushlight.distributed.fsdp import FullyShardedDataParallel, _optim_state

            of_groups = _optim_state.names_of_groups(model, optimizer)
            part = given if "state" in given else _nested(optimizer, of_groups, given)
            FullyShardedDataParallel.optim_state_dict_to_load(
                model, optimizer, part, load_directly=True
            )
            continue
        _init_optim_state(optimizer)
        of_groups = [[names[p] for p in group["params"]] for group in optimizer.param_groups]
        part = given if "state" in given else _nested(optimizer, of_groups, given)
        by_name = {name: parameter for parameter, name in names.items()}
        state = {
            name: {
                key: _as(x, by_name.get(name)) if isinstance(x, Tensor) else x
                for key, x in own.items()
            }
            for name, own in part["state"].items()
        }
        part = {**part, "state": state}
        optimizer.load_state_dict(_numbered(optimizer, names, part))


def _numbered(optimizer: Optimizer, names: dict[Tensor, str], given: dict[str, Any]) -> Any:
    """A state dict with numbers for names, as optimizers take it."""
    state, groups, number = {}, [], 0
    for group in optimizer.param_groups:
        own = [names[p] for p in group["params"]]
        settings = next((g for g in given["param_groups"] if set(own) & set(g["params"])), None)
        if settings is None and own:
            raise RuntimeError(f"the state dict has no group of parameters with {own[0]}")
        numbers = list(range(number, number + len(own)))
        number += len(own)
        state.update(
            {n: given["state"][name] for n, name in zip(numbers, own) if name in given["state"]}
        )
        kept = {k: v for k, v in (settings or group).items() if k != "params"}
        groups.append({**kept, "params": numbers})
    return {"state": state, "param_groups": groups}


def get_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state dicts of a model and of its optimizers, by clean names.

    Args:
        model: wrapped or not
        optimizers: one or several
        submodules: only of these parts of the model
        options: how they are made
    """
    held = get_model_state_dict(model, submodules=submodules, options=options)
    return held, get_optimizer_state_dict(model, optimizers, options=options)


def set_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Give a model and its optimizers what :func:`get_state_dict` gave.

    Args:
        model: wrapped or not
        optimizers: one or several
        model_state_dict: of the model
        optim_state_dict: of the optimizers
        options: how they are taken
    """
    found = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return found
