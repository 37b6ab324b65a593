"""L-BFGS: steps along curvature that was seen in the last gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight.optim.optimizer import Optimizer, as_number, check_positive

__all__ = ["LBFGS"]

Objective = Callable[[float], tuple[float, Any]]

# A pair of gradients counts only if the curvature between them is clearly positive.
_LEAST_CURVATURE = 1e-10


class LBFGS(Optimizer):
    """Newton's method with the inverse Hessian estimated from the last steps.

    Args:
        params: the parameters, one group only
        lr: the length of a step
        max_iter: the most iterations of one `step`
        max_eval: the most evaluations of the loss in one `step`
        tolerance_grad: stop when no gradient is larger
        tolerance_change: stop when neither parameters nor loss change more
        history_size: how many steps are remembered
        line_search_fn: ``"strong_wolfe"`` or None
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_positive(lr=lr)
        defaults = {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    @rushlight.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:
        """Iterate; gives the loss before the first change.

        Args:
            closure: computes the loss and its gradients anew
        """
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        evaluate = rushlight.enable_grad()(closure)
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = evaluate()
        state["func_evals"] += 1
        grad = self._gradient()
        if _largest(grad) > group["tolerance_grad"]:
            known = {name: list(x) if type(x) is list else x for name, x in state.items()}
            try:
                self._iterate(evaluate, float(first_loss), grad, state, group)
            except BaseException:
                # What half a turn leaves behind would mislead the next step.
                state.clear()
                state.update(known)
                raise
        return first_loss

    def _iterate(
        self,
        evaluate: Callable[[], Any],
        loss: float,
        grad: Any,
        state: dict[str, Any],
        group: dict[str, Any],
    ) -> None:
        evaluations = 1
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            _turn(state, grad, group["history_size"])
            last_loss = state["prev_loss"] = loss
            state["prev_flat_grad"] = grad.clone()
            rate = as_number(group["lr"])
            if state["n_iter"] == 1:
                rate = min(1.0, 1.0 / grad.abs().sum()) * rate
            state["t"] = rate
            direction = state["d"]
            slope = grad.dot(direction)
            if slope > -group["tolerance_change"]:
                return
            is_last = iteration == group["max_iter"]
            tried = 0
            if group["line_search_fn"] is not None:
                objective = self._objective(evaluate, direction)
                start = _Point(0.0, loss, grad, slope)
                trials = group["max_eval"] - evaluations
                found, tried = _strong_wolfe(objective, rate, direction, start, trials)
                loss, grad, state["t"] = found.loss, found.grad, found.at
                self._move(found.at, direction)
            else:
                self._move(rate, direction)
                if not is_last:
                    loss, grad, tried = float(evaluate()), self._gradient(), 1
            evaluations += tried
            state["func_evals"] += tried
            if is_last or evaluations >= group["max_eval"]:
                return
            if _largest(grad) <= group["tolerance_grad"]:
                return
            if _largest(direction.mul(state["t"])) <= group["tolerance_change"]:
                return
            if abs(loss - last_loss) < group["tolerance_change"]:
                return

    def _objective(self, evaluate: Callable[[], Any], direction: Any) -> Objective:
        """The loss and the gradients a way along the direction; parameters are put back."""
        start = [p.clone() for p in self._params]

        def objective(at: float) -> tuple[float, Any]:
            self._move(at, direction)
            loss, grad = float(evaluate()), self._gradient()
            for parameter, value in zip(self._params, start):
                parameter.copy_(value)
            return loss, grad

        return objective

    def _gradient(self) -> Any:
        """All gradients as one vector."""
        parts = []
        for parameter in self._params:
            grad = parameter.grad
            if grad is None:
                grad = rushlight.zeros_like(parameter)
            parts.append(_real(grad.to_dense()).reshape(-1))
        return rushlight.cat(parts)

    def _move(self, at: float, direction: Any) -> None:
        """Change all parameters by ``at`` times the direction."""
        first = 0
        for parameter in self._params:
            target = _real(parameter)
            count = target.numel()
            part = direction[first : first + count].view_as(target)
            target.add_(part, alpha=as_number(at))
            first += count


def _real(tensor: Any) -> Any:
    return rushlight.view_as_real(tensor) if tensor.is_complex() else tensor


def _largest(tensor: Any) -> float:
    """The largest magnitude."""
    found: float = tensor.abs().max().item()
    return found


def _turn(state: dict[str, Any], grad: Any, history_size: int) -> None:
    """Find the next direction ``d`` from the gradient and what was seen before."""
    if state["n_iter"] == 1:
        state.update(d=grad.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return
    changes, steps, scales = state["old_dirs"], state["old_stps"], state["ro"]
    change = grad.sub(state["prev_flat_grad"])
    step = state["d"].mul(state["t"])
    curvature = change.dot(step)
    if curvature > _LEAST_CURVATURE:
        if len(changes) == history_size:
            for remembered in (changes, steps, scales):
                remembered.pop(0)
        changes.append(change)
        steps.append(step)
        scales.append(1.0 / curvature)
        state["H_diag"] = curvature / change.dot(change)
    shares: list[Any] = state.setdefault("al", [None] * history_size)
    direction = grad.neg()
    for i in reversed(range(len(changes))):
        shares[i] = steps[i].dot(direction) * scales[i]
        direction.add_(changes[i], alpha=-as_number(shares[i]))
    direction = direction * state["H_diag"]
    for i in range(len(changes)):
        share = shares[i] - changes[i].dot(direction) * scales[i]
        direction.add_(steps[i], alpha=as_number(share))
    state["d"] = direction


class _Point(NamedTuple):
    """What is known at a place along the direction.

    Slopes are tensors without dimensions, and so are places computed from them: the search goes
    on in the parameters' precision.
    """

    at: Any
    loss: float
    grad: Any
    slope: Any


def _strong_wolfe(
    objective: Objective,
    first: float,
    direction: Any,
    start: _Point,
    most_trials: int,
    enough: float = 1e-4,
    flatter: float = 0.9,
    least_change: float = 1e-9,
) -> tuple[_Point, int]:
    """A place where the loss is low enough and its slope flat enough, and the number of trials."""

    def look(at: float) -> _Point:
        loss, grad = objective(at)
        return _Point(at, loss, grad, grad.dot(direction))

    def is_too_high(point: _Point) -> bool:
        return point.loss > start.loss + enough * point.at * start.slope

    def is_flat(point: _Point) -> bool:
        return abs(point.slope) <= -flatter * start.slope

    before, here = start, look(first)
    bracket = [start, here]
    trials = 0
    while trials < most_trials:
        if is_too_high(here) or (trials > 1 and here.loss >= before.loss):
            bracket = [before, here]
            break
        if is_flat(here):
            return here, trials + 1
        if here.slope >= 0:
            bracket = [before, here]
            break
        bounds = (here.at + 0.01 * (here.at - before.at), here.at * 10)
        before, here = here, look(_lowest_between(before, here, bounds))
        trials += 1
    else:
        bracket = [start, here]

    low, high = bracket if bracket[0].loss <= bracket[1].loss else reversed(bracket)
    size, stuck = direction.abs().max(), False
    while trials < most_trials and abs(high.at - low.at) * size >= least_change:
        at = _lowest_between(low, high, None)
        at, stuck = _away_from_ends(at, sorted((low.at, high.at)), stuck)
        here = look(at)
        trials += 1
        if is_too_high(here) or here.loss >= low.loss:
            high = here
            if high.loss < low.loss:
                low, high = high, low
            continue
        if is_flat(here):
            return here, trials + 1
        if here.slope * (high.at - low.at) >= 0:
            high = low
        low = here
    return low, trials + 1


def _away_from_ends(at: float, ends: list[float], stuck: bool) -> tuple[float, bool]:
    """A place not too near to an end of the bracket, if that has happened before."""
    left, right = ends
    margin = 0.1 * (right - left)
    if min(right - at, at - left) >= margin:
        return at, False
    if not (stuck or at >= right or at <= left):
        return at, True
    return (right - margin if abs(at - right) < abs(at - left) else left + margin), False


def _lowest_between(a: _Point, b: _Point, bounds: tuple[float, float] | None) -> float:
    """Where the cubic through two points with their slopes is lowest, within bounds."""
    if a.at > b.at:
        a, b = b, a
    low, high = bounds or (a.at, b.at)
    middle = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    square = middle**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2
    root = square.sqrt()
    place = b.at - (b.at - a.at) * ((b.slope + root - middle) / (b.slope - a.slope + 2 * root))
    return min(max(place, low), high)
