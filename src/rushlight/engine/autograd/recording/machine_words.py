"""What a rule has recorded as words, from which machine code records it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.autograd.formulas import fact_source
from rushlight.engine.autograd.node import Node
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import history
from rushlight.engine.dispatch.source import identifier
from rushlight.engine.native import heap_types

if TYPE_CHECKING:
    from rushlight.engine.autograd.rules import Rule


def machine_words(
    rule: Rule, places: list[int | None], values: list[Any], result: Any
) -> list[int] | None:
    """The step as `call_cache/history` takes it, or None if it is not of the simple kind.

    Args:
        places: for each argument, the leaf of the call that it is, if it is one
        values: the arguments of the call at hand
        result: what it gave
    """
    wanted = _wanted_results(rule, result)
    if wanted is None or len(rule.targets) > history.MOST_TARGETS:
        return None
    place_of = dict(zip(rule.parameters, places))
    value_of = dict(zip(rule.parameters, values))
    targets = [identifier(a.name) for a in rule.targets]
    given = [t for t in targets if value_of[t] is not None]
    if given != targets or any(place_of[t] is None for t in targets):
        return None
    kind = history.VIEW if rule.op.schema.is_view else history.NEW
    flags = kind, int(rule.is_several), wanted
    words = [
        id(rule.cls),
        len(targets),
        len(rule.kept),
        *flags,
        *(place_of[t] for t in targets),
    ]
    for variable, source, users in rule.kept:
        thing = _kept_thing(rule, variable, source, place_of, value_of)
        if thing is None:
            return None
        used = {t for formula in users for t in formula.targets}
        words += [*thing, sum(1 << k for k, t in enumerate(targets) if t in used)]
    return words  # type: ignore[return-value]


def _wanted_results(rule: Rule, result: Any) -> int | None:
    """Which of several results get a history, as bits; None where machine code cannot say."""
    if not rule.is_several:
        return 1 if result._dtype_.category >= dtypes.FLOATING else None
    if type(result) is not tuple or (
        len(result) > history.MOST_WANTED and not rule.op.schema.is_view
    ):
        return None
    without = rule.nondifferentiable()
    if rule.op.schema.is_view and any(i._dtype_.category < dtypes.FLOATING for i in result):
        return None
    return sum(
        1 << k for k, item in enumerate(result[: history.MOST_WANTED])
        if item._dtype_.category >= dtypes.FLOATING and k not in without
    )  # fmt: skip


def _kept_thing(
    rule: Rule, variable: str, source: str, place_of: dict[str, Any], value_of: dict[str, Any]
) -> tuple[int, int] | None:
    """Kind and place of one thing that is kept."""
    if variable in rule.results:
        if rule.is_list:
            return None
        number = rule.results.index(variable)
        is_plain = number in rule.nondifferentiable()
        return history.KEPT_PLAIN_RESULT if is_plain else history.KEPT_RESULT, number
    for fact, kind in (("_shape", history.KEPT_SIZE), ("_dtype", history.KEPT_DTYPE)):
        owner = variable.removesuffix(fact)
        if variable.endswith(fact) and source == fact_source(owner, fact[1:], None):
            place = place_of.get(owner)
            return None if place is None else (kind, place)
    if variable not in value_of:
        return None
    value = value_of[variable]
    if isinstance(value, Tensor):
        place = place_of[variable]
        return None if place is None else (history.KEPT_TENSOR, place)
    if type(value) is list or (type(value) is tuple and not all(map(_is_whole, value))):
        return None
    if place_of[variable] is not None:
        is_integer = isinstance(value, int) and type(value) is not bool
        return (history.KEPT_NUMBER, place_of[variable]) if is_integer else None
    return history.KEPT_OBJECT, symbolic.address(value)


def _is_whole(value: Any) -> bool:
    """Whether a value is an integer of Python's own, or a symbolic one."""
    return type(value) in symbolic.INTEGERS


def tell_layout() -> None:
    """Let machine code make nodes."""
    offset = heap_types.slot_offset
    facts = history.facts
    facts.meta_type, facts.meta_edge = id(metas.Meta), offset(metas.Meta, "edge")
    for name in ("edges", "saved", "seq", "outputs"):
        setattr(facts, f"node_{name}", offset(Node, name))
    facts.meta_retained = offset(metas.Meta, "_retained")
    facts.meta_tangent = offset(metas.Meta, "_tangent")
    facts.accumulate_type, facts.null_node_type = id(nodes.AccumulateGrad), id(nodes.NullNode)
    facts.result_type = id(saved.SavedResult)
    for name in ("tensor", "version", "output"):
        setattr(facts, f"result_{name}", offset(saved.SavedResult, name))
    facts.result_original = offset(saved.SavedResult, "_original")
    facts.one_of_several = id(metas.ONE_OF_SEVERAL)
    facts.view_type = id(metas.ViewMeta)
    for name in ("view", "edge", "seen"):
        setattr(facts, f"view_{name}", offset(metas.ViewMeta, f"_{name}"))
    facts.view_made = offset(metas.ViewMeta, "made")
    facts.view_replay = offset(metas.ViewMeta, "replay")
    facts.steps, facts.watchers = id(nodes.sequence), id(nodes.when_made)


if heap_types.supported():
    tell_layout()
