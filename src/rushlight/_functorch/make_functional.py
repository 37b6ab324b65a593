"""Modules as functions of their parameters: the older form of `functional_call`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import rushlight
from rushlight import nn
from rushlight.engine.core.tensor import Tensor

NamesMap = dict[str, list[str]]


def raise_parameter_tying_error() -> NoReturn:
    raise RuntimeError(
        "make_functional(module): we don't yet support models that do parameter tying (also sometimes "
        "known as weight sharing). Please try to rewrite your model by replacing all instances of the "
        "tied parameter with another and/or comment your support in "
        "https://github.com/pytorch/functorch/issues/446"
    )


def create_names_map(named_params: Any, tied_named_params: Any) -> NamesMap:
    """For each name of a tensor, all names that it has."""
    named, tied = dict(named_params), dict(tied_named_params)
    by_tensor: dict[int, tuple[str, list[str]]] = {
        id(tensor): (name, []) for name, tensor in named.items()
    }
    for name, tensor in tied.items():
        by_tensor[id(tensor)][1].append(name)
    return dict(by_tensor.values())


def _extract_members(
    mod: nn.Module,
    named_members: Callable[..., Iterable[tuple[str, Tensor]]],
    subclass: Callable[[Tensor], Tensor],
) -> tuple[tuple[Tensor, ...], tuple[str, ...], NamesMap]:
    """Take the tensors out of a module; what is left in their places has no elements."""
    every = tuple(named_members(remove_duplicate=False))
    once = tuple(named_members())
    names_map = create_names_map(once, every)
    memo: dict[int, Any] = {}
    for name, tensor in every:
        if id(tensor) not in memo:
            memo[id(tensor)] = subclass(rushlight.empty_like(tensor, device="meta"))  # type: ignore[attr-defined]
        _set_nested_attr(mod, name.split("."), memo[id(tensor)])
    if not once:
        return (), (), names_map
    names, tensors = zip(*once)
    return tensors, names, names_map


def extract_weights(mod: nn.Module) -> tuple[tuple[Tensor, ...], tuple[str, ...], NamesMap]:
    """Take the parameters out of a module."""
    return _extract_members(mod, mod.named_parameters, nn.Parameter)


def extract_buffers(mod: nn.Module) -> tuple[tuple[Tensor, ...], tuple[str, ...], NamesMap]:
    """Take the buffers out of a module."""
    return _extract_members(mod, mod.named_buffers, lambda x: x)


def _set_nested_attr(obj: Any, names: Sequence[str], value: Any) -> None:
    for name in names[:-1]:
        obj = getattr(obj, name)
    if isinstance(obj, nn.Module) and names[-1] in obj._parameters:
        if value is None or isinstance(value, nn.Parameter):
            obj._parameters[names[-1]] = value
            return
        del obj._parameters[names[-1]]
    setattr(obj, names[-1], value)


def _get_nested_attr(obj: Any, names: Sequence[str]) -> Any:
    for name in names:
        obj = getattr(obj, name)
    return obj


def _swap_state(mod: nn.Module, names_map: NamesMap, elems: Iterable[Any]) -> list[Any]:
    """Put tensors into a module; gives those that were there."""
    before = []
    for (_, names), elem in zip(names_map.items(), elems):
        for place, name in enumerate(names):
            path = name.split(".")
            if place == 0:
                before.append(_get_nested_attr(mod, path))
            _replace(mod, path, elem)
    return before


def _replace(mod: Any, path: Sequence[str], value: Any) -> None:
    """Put any tensor in the place of a parameter or buffer."""
    for name in path[:-1]:
        mod = getattr(mod, name)
    name = path[-1]
    if isinstance(value, nn.Parameter) or name in mod._buffers:
        mod.__dict__.pop(name, None)
        setattr(mod, name, value)
        return
    mod._parameters.pop(name, None)
    object.__setattr__(mod, name, value)


def load_weights(
    mod: nn.Module, names: Sequence[str], params: Sequence[Any], as_params: bool = False
) -> None:
    """Put parameters into a module that `extract_weights` has taken them from."""
    for name, value in zip(names, params):
        if as_params:
            value = nn.Parameter(value)
        _replace(mod, name.split("."), value)


def load_buffers(
    mod: nn.Module, names: Sequence[str], buffers: Sequence[Any], as_params: bool = False
) -> None:
    """Put buffers into a module that `extract_buffers` has taken them from."""
    for name, value in zip(names, buffers):
        _set_nested_attr(mod, name.split("."), value)


def load_state(
    model: nn.Module,
    weights: Sequence[Any],
    weight_names: Sequence[str],
    buffers: Sequence[Any] = (),
    buffer_names: Sequence[str] = (),
) -> nn.Module:
    """Put parameters and buffers into a module."""
    assert len(weight_names) == len(weights)
    load_weights(model, weight_names, weights)
    if len(buffers) > 0:
        assert len(buffer_names) == len(buffers)
        load_buffers(model, buffer_names, buffers)
    return model


class FunctionalModuleWithBuffers(nn.Module):
    """A module as a function of its parameters, its buffers and its arguments."""

    def __init__(
        self,
        stateless_model: nn.Module,
        param_names: tuple[str, ...],
        buffer_names: tuple[str, ...],
        param_names_map: NamesMap,
        buffer_names_map: NamesMap,
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names
        self.all_names_map = {**param_names_map, **buffer_names_map}

    @staticmethod
    def _create_from(model: nn.Module, disable_autograd_tracking: bool = False) -> Any:
        twin = copy.deepcopy(model)
        params, param_names, param_names_map = extract_weights(twin)
        buffers, buffer_names, buffer_names_map = extract_buffers(twin)
        if disable_autograd_tracking:
            for param in params:
                param.requires_grad_(False)  # type: ignore[attr-defined]
        made = FunctionalModuleWithBuffers(
            twin, param_names, buffer_names, param_names_map, buffer_names_map
        )
        return made, params, buffers

    def forward(
        self, params: Iterable[Any], buffers: Iterable[Any], *args: Any, **kwargs: Any
    ) -> Any:
        before = _swap_state(self.stateless_model, self.all_names_map, (*params, *buffers))
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swap_state(self.stateless_model, self.all_names_map, before)


class FunctionalModule(nn.Module):
    """A module as a function of its parameters and its arguments."""

    def __init__(
        self, stateless_model: nn.Module, param_names: tuple[str, ...], names_map: NamesMap
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.names_map = param_names, names_map

    @staticmethod
    def _create_from(model: nn.Module, disable_autograd_tracking: bool = False) -> Any:
        twin = copy.deepcopy(model)
        params, param_names, names_map = extract_weights(twin)
        if disable_autograd_tracking:
            for param in params:
                param.requires_grad_(False)  # type: ignore[attr-defined]
        return FunctionalModule(twin, param_names, names_map), params

    def forward(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        before = _swap_state(self.stateless_model, self.names_map, params)
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swap_state(self.stateless_model, self.names_map, before)


def make_functional(
    model: nn.Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
    """A module as a function of its parameters, and these."""
    if len(list(model.buffers())) > 0:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    made: Any = FunctionalModule._create_from(
        model, disable_autograd_tracking=disable_autograd_tracking
    )
    return made  # type: ignore[no-any-return]


def make_functional_with_buffers(
    model: nn.Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """A module as a function of its parameters and buffers, and these."""
    made: Any = FunctionalModuleWithBuffers._create_from(
        model, disable_autograd_tracking=disable_autograd_tracking
    )
    return made  # type: ignore[no-any-return]


def transpose_stack(tuple_of_tuple_of_tensors: Any) -> tuple[Any, ...]:
    """The tensors of several models, stacked place by place."""
    return tuple(
        rushlight.stack(column).detach()  # type: ignore[attr-defined]
        for column in zip(*tuple_of_tuple_of_tensors)
    )


def combine_state_for_ensemble(models: Sequence[nn.Module]) -> Any:
    """Several models of one kind as one function, with their parameters and buffers stacked."""
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    kind = type(models[0])
    if not all(type(m) is kind for m in models):
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to be of the same class."
        )
    functions, params, buffers = zip(*[make_functional_with_buffers(m) for m in models])
    return functions[0], transpose_stack(params), transpose_stack(buffers)


def _count_of(ensemble_shape: tuple[()] | tuple[int]) -> int:
    """How many models an ensemble has; without a shape there is one."""
    if len(ensemble_shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    count = ensemble_shape[0] if ensemble_shape else 1
    if count <= 0:
        raise ValueError(f"num_models {count} should be > 0")
    return count


def functional_init(
    model_class: Any, ensemble_shape: tuple[()] | tuple[int] = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """A function that makes several models of a class, their parameters stacked."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        models = [model_class(*args, **kwargs).to(device) for _ in range(_count_of(ensemble_shape))]
        if not ensemble_shape:
            return make_functional(models[0])
        made = [make_functional_deprecated_v1(m) for m in models]
        _, function, names = made[0]
        stacked = tuple(rushlight.stack(shards).detach() for shards in zip(*(w for w, *_ in made)))  # type: ignore[attr-defined]
        return stacked, function, names

    return wrapped


def functional_init_with_buffers(
    model_class: Any, ensemble_shape: tuple[()] | tuple[int] = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """The same, for models with buffers."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        models = [model_class(*args, **kwargs).to(device) for _ in range(_count_of(ensemble_shape))]
        if not ensemble_shape:
            return make_functional_with_buffers(models[0])
        made = [make_functional_with_buffers_deprecated_v1(m) for m in models]
        _, _, function, weight_names, buffer_names = made[0]
        weights, buffers, *_ = zip(*made)
        return (
            transpose_stack(weights),
            transpose_stack(buffers),
            function,
            weight_names,
            buffer_names,
        )

    return wrapped


def make_functional_deprecated_v1(model: nn.Module) -> Any:
    """The parameters of a module, and it as a function of them and a tuple of arguments."""
    if len(list(model.buffers())) > 0:
        raise RuntimeError(
            "make_functional_deprecated_v1(model): `model` has buffers. Please use "
            "make_functional_with_buffers_deprecated_v1(model) instead."
        )
    weights, names, _ = extract_weights(model)

    def fun(weights: Any, data: tuple[Any, ...]) -> Any:
        twin = copy.deepcopy(model)
        load_weights(twin, names, weights)
        return twin(*data)

    return weights, fun, names


def make_functional_with_buffers_deprecated_v1(model: nn.Module) -> Any:
    """The same, for a module with buffers."""
    weights, weight_names, _ = extract_weights(model)
    buffers, buffer_names, _ = extract_buffers(model)

    def fun(weights: Any, buffers: Any, data: tuple[Any, ...]) -> Any:
        twin = copy.deepcopy(model)
        load_weights(twin, weight_names, weights)
        load_buffers(twin, buffer_names, buffers)
        return twin(*data)

    return weights, buffers, fun, weight_names, buffer_names
