"""Optimizers' steps as functions over lists: ``adam(params, grads, exp_avgs, ..., lr=...)``.

Programs that keep the state themselves call these. A function is made of the optimizer's own step;
what differs is which lists it takes, and in which order its options stand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, NamedTuple

import rushlight
from rushlight.optim.adam import Adam, AdamW
from rushlight.optim.adaptive import Adadelta, Adagrad, Adamax, NAdam, RAdam, RMSprop
from rushlight.optim.averaging import ASGD, Rprop
from rushlight.optim.pointwise import PointwiseOptimizer, Settings, State
from rushlight.optim.sgd import SGD


class _Form(NamedTuple):
    """How a function is called.

    ``lists`` names the lists behind the parameters and gradients, each with the part of a state that
    it holds; ``options`` may be positional and have defaults, ``settings`` must be named.
    """

    optimizer: type[PointwiseOptimizer]
    lists: dict[str, str]
    options: str
    settings: str
    gradients: str = "grads"


_MEANS = {"exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq"}
_STEPS = {"state_steps": "step"}
_ADAM = {**_MEANS, "max_exp_avg_sqs": "max_exp_avg_sq", **_STEPS}
_FUSED = "fused grad_scale found_inf"
_FORMS = {
    "adadelta": _Form(
        Adadelta,
        {"square_avgs": "square_avg", "acc_deltas": "acc_delta", **_STEPS},
        "capturable foreach differentiable has_complex",
        "lr rho eps weight_decay maximize",
    ),
    "adagrad": _Form(
        Adagrad,
        {"state_sums": "sum", **_STEPS},
        f"{_FUSED} has_sparse_grad foreach differentiable has_complex",
        "lr weight_decay lr_decay eps maximize",
    ),
    "adam": _Form(
        Adam,
        _ADAM,
        f"foreach capturable differentiable {_FUSED} has_complex decoupled_weight_decay",
        "amsgrad beta1 beta2 lr weight_decay eps maximize",
    ),
    "adamax": _Form(
        Adamax,
        {"exp_avgs": "exp_avg", "exp_infs": "exp_inf", **_STEPS},
        "foreach maximize differentiable capturable has_complex",
        "eps beta1 beta2 lr weight_decay",
    ),
    "adamw": _Form(
        AdamW,
        _ADAM,
        f"foreach capturable differentiable {_FUSED} has_complex",
        "amsgrad beta1 beta2 lr weight_decay eps maximize",
    ),
    "asgd": _Form(
        ASGD,
        {"axs": "ax", "mus": "mu", "etas": "eta", **_STEPS},
        "foreach maximize differentiable capturable has_complex",
        "lambd lr t0 alpha weight_decay",
    ),
    "nadam": _Form(
        NAdam,
        {**_MEANS, "mu_products": "mu_product", **_STEPS},
        "decoupled_weight_decay foreach capturable differentiable has_complex maximize",
        "beta1 beta2 lr weight_decay momentum_decay eps",
    ),
    "radam": _Form(
        RAdam,
        {**_MEANS, **_STEPS},
        "decoupled_weight_decay foreach differentiable capturable has_complex maximize",
        "beta1 beta2 lr weight_decay eps",
    ),
    "rmsprop": _Form(
        RMSprop,
        {
            "square_avgs": "square_avg",
            "grad_avgs": "grad_avg",
            "momentum_buffer_list": "momentum_buffer",
            **_STEPS,
        },
        "foreach maximize differentiable capturable has_complex",
        "lr alpha eps weight_decay momentum centered",
    ),
    "rprop": _Form(
        Rprop,
        {"prevs": "prev", "step_sizes": "step_size", **_STEPS},
        "foreach capturable maximize differentiable has_complex",
        "step_size_min step_size_max etaminus etaplus",
    ),
    "sgd": _Form(
        SGD,
        {"momentum_buffer_list": "momentum_buffer"},
        f"has_sparse_grad foreach {_FUSED}",
        "weight_decay momentum lr dampening nesterov maximize",
        "d_p_list",
    ),
}  # fmt: skip
# Options that begin with "do not say" instead of "no".
_OPEN = ("foreach", "fused", "grad_scale", "found_inf")


def _signature(form: _Form) -> inspect.Signature:
    given = ("params", form.gradients, *form.lists)
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in given]
    for name in form.options.split():
        default = None if name in _OPEN else False
        parameters.append(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
    parameters += [Parameter(name, Parameter.KEYWORD_ONLY) for name in form.settings.split()]
    return inspect.Signature(parameters)


def _group(form: _Form, given: Settings) -> Settings:
    """The settings as an optimizer's group has them."""
    group = {name: given[name] for name in (*form.options.split(), *form.settings.split())}
    for pair, names in (
        ("betas", ("beta1", "beta2")),
        ("etas", ("etaminus", "etaplus")),
        ("step_sizes", ("step_size_min", "step_size_max")),
    ):
        if names[0] in group:
            group[pair] = tuple(group.pop(name) for name in names)
    if form.optimizer is AdamW:
        group["decoupled_weight_decay"] = True
    # Rprop's length of a step is part of its state.
    return {"lr": 0.0, "weight_decay": 0.0, **group}


def _states(
    form: _Form, optimizer: PointwiseOptimizer, group: Settings, given: Settings
) -> tuple[list[State], list[bool]]:
    """Each parameter's state, and whether it has only begun: its list has None for it."""
    states, fresh = [], []
    names = optimizer.state_names(group)
    for k, parameter in enumerate(given["params"]):
        state = {part: given[name][k] for name, part in form.lists.items() if k < len(given[name])}
        missing = [name for name in names if state.get(name) is None]
        if missing:
            begun = optimizer.start(parameter, given[form.gradients][k], group)
            state.update({name: begun[name] for name in missing})
        states.append(state)
        fresh.append(bool(missing))
    return states, fresh


def _step(form: _Form, given: Settings) -> None:
    if given.get("grad_scale") is not None or given.get("found_inf") is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    group = _group(form, given)
    optimizer: PointwiseOptimizer = object.__new__(form.optimizer)
    states, fresh = _states(form, optimizer, group, given)
    with rushlight.set_grad_enabled(bool(group.get("differentiable"))):
        optimizer.step_with(group, given["params"], given[form.gradients], states, fresh)
    for name, part in form.lists.items():
        for k, state in enumerate(states):
            if k < len(given[name]) and given[name][k] is None:
                given[name][k] = state.get(part)


def _function(name: str, form: _Form) -> Callable[..., None]:
    signature = _signature(form)

    def step(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        _step(form, bound.arguments)

    step.__name__ = step.__qualname__ = name
    step.__module__ = f"rushlight.optim.{name}"
    step.__doc__ = f"One step of `{form.optimizer.__name__}` over lists of tensors."
    step.__signature__ = signature  # type: ignore[attr-defined]
    return step


functions = {name: _function(name, form) for name, form in _FORMS.items()}
