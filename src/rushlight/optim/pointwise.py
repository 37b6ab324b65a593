"""Optimizers whose step is one formula for every element: all parameters in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from types import SimpleNamespace
from typing import Any

import rushlight
from rushlight.engine.core import state as switches
from rushlight.engine.core.size import is_dense
from rushlight.engine.loops.list_loop import ListLoop, elements
from rushlight.optim.optimizer import Optimizer, as_number

Settings = dict[str, Any]
State = dict[str, Any]

# Compiled steps, by formula, choices, types and how many numbers the formula takes.
_loops: dict[Hashable, ListLoop] = {}


class PointwiseOptimizer(Optimizer):
    """An optimizer that is described by a formula for one element.

    A subclass says which tensors a parameter's state has (`state_names`), how they begin (`start`),
    which settings change the formula itself (`choices`), which numbers it takes (`numbers`), and
    the `formula`. If tensors are ordinary, all parameters of a group are changed by one launch of
    the compiled formula; otherwise, and where the step is to be differentiable, the formula is run
    on one parameter after the other.
    """

    # Where PyTorch can keep the settings on the device; none of them is the CPU.
    capturable_devices: tuple[str, ...] = ("cuda", "xpu", "hpu", "privateuseone", "xla")
    capturable_parts = "params and state_steps"

    def state_names(self, group: Settings) -> tuple[str, ...]:
        """The tensors of a parameter's state that the formula reads and writes."""
        raise NotImplementedError

    def start(self, parameter: Any, grad: Any, group: Settings) -> State:
        """The state before the first step."""
        raise NotImplementedError

    def moments(self, group: Settings, states: list[State], fresh: list[bool]) -> Sequence[Any]:
        """For each parameter, what its numbers depend on; here the step that it is at.

        Where a graph of a GPU is to hold the step (``capturable``), these are tensors there, and so are the numbers.
        """
        return count_steps(states, group)

    def choices(self, settings: Settings, moment: Any) -> dict[str, bool]:
        """What is compiled into the formula."""
        return {"decays": settings["weight_decay"] != 0}

    def numbers(self, settings: Settings, moment: Any) -> dict[str, Any]:
        """The numbers of the formula."""
        raise NotImplementedError

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        """The changed parameter.

        Args:
            o: the choices
            n: the numbers
            p: the parameter
            g: its gradient
            s: its state, changed by assignment
        """
        raise NotImplementedError

    def update_sparse(
        self, parameter: Any, grad: Any, state: State, settings: Settings, moment: Any
    ) -> None:
        """Change a parameter that has a sparse gradient.

        Args:
            parameter: the parameter
            grad: its gradient, turned where a step goes along it
            state: the tensors of its state, changed in place
            settings: those of its group
            moment: what its numbers depend on
        """
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def finish(self, group: Settings, states: list[State], moments: Sequence[Any]) -> None:
        """Called after a step."""

    # -- the step --
    def update_group(self, group: Settings) -> None:
        names = self.state_names(group)
        parameters, grads, states, fresh = [], [], [], []
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            parameters.append(parameter)
            grads.append(grad)
            if names:
                state = self.state[parameter]
                is_new = state.get(names[0]) is None
                if is_new:
                    state.update(self.start(parameter, grad, group))
                    if group.get("capturable"):
                        state.update(_beside(parameter, state))
                states.append(state)
                fresh.append(is_new)
        if parameters:
            self.step_with(group, parameters, grads, states, fresh)

    def step_with(
        self,
        group: Settings,
        parameters: Sequence[Any],
        grads: Sequence[Any],
        states: list[State],
        fresh: list[bool],
    ) -> None:
        """Make one step.

        Args:
            group: the settings
            parameters: what is changed
            grads: their gradients
            states: their states, if the formula has any
            fresh: which of these have only begun
        """
        capturable = bool(group.get("capturable"))
        if capturable:
            self._check_places(parameters, states)
        elif "capturable" in group and parameters[0].is_cuda:
            self._check_not_recorded()
        names = self.state_names(group)
        # Parameter, state and gradient of every parameter, one after the other.
        rows: list[Any] = []
        for k, parameter in enumerate(parameters):
            if names:
                rows += (parameter, *[states[k][name] for name in names], grads[k])
            else:
                rows += (parameter, grads[k])
        moments = self.moments(group, states, fresh)
        settings = group if group.get("differentiable") or capturable else _without_tensors(group)
        step = _Step(self, settings, names)
        if not step.run_all(rows, moments):
            parts = _in_parts(rows, len(names) + 2)
            if parts is rows or not step.run_all(parts, moments):
                step.run_sorted(parts, moments)
        self.finish(group, states, moments)

    def _check_places(self, parameters: Sequence[Any], states: list[State]) -> None:
        """Raise if something that a graph would change is not on a device that has graphs."""
        for parameter, state in zip(parameters, states):
            device = parameter.device
            counts = [x.device for x in state.values() if isinstance(x, rushlight.Tensor)]
            if device.type not in self.capturable_devices or any(x != device for x in counts):
                raise AssertionError(
                    f"If capturable=True, {self.capturable_parts} must be on supported devices: "
                    f"{list(self.capturable_devices)}."
                )

    def _check_not_recorded(self) -> None:
        """Raise if a graph is recorded: its numbers would be those of this step in every replay."""
        if rushlight.cuda.is_current_stream_capturing():
            raise RuntimeError(
                f"Attempting CUDA graph capture of step() for an instance of {type(self).__name__} but param_groups' "
                "capturable is False."
            )


def _beside(parameter: Any, state: State) -> State:
    """What is a single number of a state, where the parameter is."""
    return {
        name: x.to(parameter.device)
        for name, x in state.items()
        if isinstance(x, rushlight.Tensor) and not x.dim()
    }


class _Step:
    """One step of one group."""

    def __init__(
        self, optimizer: PointwiseOptimizer, settings: Settings, names: tuple[str, ...]
    ) -> None:
        self.optimizer = optimizer
        self.settings = settings
        self.names = names
        self.width = len(names) + 2
        self.differentiable = bool(settings.get("differentiable"))
        # While modes and the like look at every call, they shall see the calls.
        self.compiled = (
            not self.differentiable
            and not settings.get("capturable")
            and switches.switches.busy == 0
        )

    def facts(self, moment: Any) -> tuple[dict[str, bool], dict[str, Any]]:
        """The choices and the numbers."""
        choices = self.optimizer.choices(self.settings, moment)
        choices["maximize"] = bool(self.settings.get("maximize"))
        return choices, self.optimizer.numbers(self.settings, moment)

    def run_all(self, rows: list[Any], moments: Sequence[Any]) -> bool:
        """Run all rows at once; False, with nothing done, if they are not of one kind."""
        if not self.compiled or (moments and len(set(moments)) != 1):
            return False
        return self.run(rows, moments[0] if moments else None)

    def run(self, rows: list[Any], moment: Any) -> bool:
        """Run rows for which all numbers are the same."""
        choices, numbers = self.facts(moment)
        dtypes = tuple(tensor.dtype for tensor in rows[: self.width])
        formula = self.optimizer.formula
        key = (formula, self.names, tuple(choices.values()), dtypes, tuple(numbers))
        loop = _loops.get(key)
        if loop is None:
            if (
                len({d.is_complex for d in dtypes}) != 1
                or not dtypes[0].to_real().is_floating_point
            ):
                return False
            body = _compilable(formula, choices, self.names, tuple(numbers))
            loop = _loops[key] = ListLoop(body, dtypes, len(self.names) + 1, len(numbers))
        return loop.run(rows, *numbers.values())

    def run_sorted(self, rows: list[Any], moments: Sequence[Any]) -> None:
        """Run together what can be, and the others one by one."""
        kinds: dict[tuple[Any, Any], list[Any]] = {}
        for number, first in enumerate(range(0, len(rows), self.width)):
            row = rows[first : first + self.width]
            moment = moments[number] if moments else None
            if row[-1].is_sparse:
                self.run_sparse(row, moment)
                continue
            plain = _in_one_order(row) if self.compiled else None
            kind = number if plain is None else tuple(tensor.dtype for tensor in plain)
            kinds.setdefault((moment, kind), []).extend(plain or row)
        for (moment, _), chosen in kinds.items():
            if self.compiled and self.run(chosen, moment):
                continue
            for first in range(0, len(chosen), self.width):
                self.run_one(chosen[first : first + self.width], moment)

    def run_sparse(self, row: list[Any], moment: Any) -> None:
        """Change one parameter by a sparse gradient."""
        parameter, *tensors, grad = row
        turned = -grad if self.settings.get("maximize") else grad
        state = dict(zip(self.names, tensors))
        self.optimizer.update_sparse(parameter, turned, state, self.settings, moment)

    def run_one(self, row: list[Any], moment: Any) -> None:
        """Run the formula on the tensors of one parameter."""
        choices, numbers = self.facts(moment)
        if row[0].is_complex():
            row = [rushlight.view_as_real(tensor) for tensor in row]
        p, *tensors, g = row
        given = [tensor.clone() if self.differentiable else tensor for tensor in tensors]
        state = SimpleNamespace(**dict(zip(self.names, given)))
        found = _signed(self.optimizer.formula)(
            SimpleNamespace(**choices), SimpleNamespace(**numbers), p, g, state
        )
        p.copy_(found)
        for name, tensor in zip(self.names, tensors):
            tensor.copy_(getattr(state, name))


def _in_parts(rows: list[Any], width: int) -> list[Any]:
    """The rows, with what this process has of tensors in parts, where that is all that a formula needs."""
    if all(
        not hasattr(rows[first], "__elementwise_parts__") for first in range(0, len(rows), width)
    ):
        return rows
    found: list[Any] = []
    for first in range(0, len(rows), width):
        row = rows[first : first + width]
        ask = getattr(row[0], "__elementwise_parts__", None)
        parts = None if ask is None else ask(row)
        found += row if parts is None else parts
    return found


def _in_one_order(row: list[Any]) -> list[Any] | None:
    """Tensors whose elements lie in the same order, without gaps, as vectors; None for others."""
    p, *states, grad = row
    if p.is_nested:
        return None
    if any(tensor.shape != p.shape for tensor in row) or not is_dense(p.size(), p.stride()):
        return None
    if grad.stride() != p.stride():
        grad = rushlight.empty_like(p).copy_(grad)
    if any(tensor.stride() != p.stride() for tensor in (*states, grad)):
        return None
    if p.is_contiguous():
        return [p, *states, grad]
    return [tensor.as_strided((p.numel(),), (1,)) for tensor in (p, *states, grad)]


def _signed(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula with the gradient's sign turned where a step goes along it."""

    def turned(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        return formula(o, n, p, -g if o.maximize else g, s)

    return turned


def _compilable(
    formula: Callable[..., Any],
    choices: dict[str, bool],
    names: tuple[str, ...],
    numbers: tuple[str, ...],
) -> Callable[..., Any]:
    """The formula as a function of a row's elements and the numbers, as `ListLoop` wants it."""

    def body(p: Any, *rest: Any) -> tuple[Any, ...]:
        state = SimpleNamespace(**dict(zip(names, rest)))
        given = SimpleNamespace(**dict(zip(numbers, rest[len(names) + 1 :])))
        found = _signed(formula)(SimpleNamespace(**choices), given, p, rest[len(names)], state)
        return (found, *(getattr(state, name) for name in names))

    return body


def _without_tensors(group: Settings) -> Settings:
    """Settings that may be tensors as numbers."""
    changed = {"lr": as_number(group["lr"])}
    if "betas" in group:
        changed["betas"] = tuple(as_number(beta) for beta in group["betas"])
    return {**group, **changed}


def weight_decay_choices(settings: Settings) -> dict[str, bool]:
    """Whether decay is part of the gradient, or shrinks the parameters themselves."""
    apart = bool(settings["decoupled_weight_decay"])
    has_any = settings["weight_decay"] != 0
    return {"decays": has_any and not apart, "shrinks": has_any and apart}


def count_steps(states: list[State], group: Settings) -> Sequence[Any]:
    """Count every state's steps up by one, and give them: as tensors where nobody may read them (``capturable``)."""
    steps = [state["step"] for state in states]
    if group.get("capturable"):
        rushlight._foreach_add_(steps, 1)
        return steps
    loop = _counter(steps[0]) if steps and switches.switches.busy == 0 else None
    if loop is None or not loop.run(steps):
        for state in states:
            state["step"] += 1
        steps = [state["step"] for state in states]
    # Where modes look at every call, they are asked for the numbers as well.
    found = elements(steps) if switches.switches.busy == 0 else None
    return [as_number(step) for step in steps] if found is None else found


def _counter(step: Any) -> ListLoop | None:
    if not isinstance(step, rushlight.Tensor) or not step.dtype.is_floating_point:
        return None
    key = ("step", step.dtype)
    if key not in _loops:
        _loops[key] = ListLoop(lambda count: count + 1, [step.dtype], 1, 0)
    return _loops[key]
