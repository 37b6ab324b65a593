"""How operators are processed in `vmap`.

In this order: by a rule of the operator's family, by running what it is made of on the wrappers, by a rule that
is derived from what it is, and as the last way by a loop over the batch.
"""

from __future__ import annotations

from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.transforms import derived, loop, random_numbers, refusals
from rushlight.engine.transforms.batch import Procedure, by_function, by_rule, is_random


def procedure(op: Operator) -> Procedure:
    """How a call of the operator is processed."""
    if op.vmap_rule is not None:
        return by_function(op, op.vmap_rule)
    batching.load(op.family)
    rule = batching.rules.get(op.full_name) or derived.stated(op)
    if rule is None:
        refused = refusals.procedure(op)
        if refused is not None:
            return refused
    if op.schema.out_arguments:
        functional = outputs.functional_of(op)
        if functional is not None and is_random(functional):
            return random_numbers.procedure(op, None)
    if is_random(op) and op.composite is None:
        return random_numbers.procedure(op, rule)
    if rule is None and op.composite is not None and not derived.is_made_like(op):
        return op.composite
    rule = rule or derived.rule(op)
    if rule is not None:
        return by_rule(op, rule, derived.keeps_batch(op))
    if not any(r.type.leaf == "Tensor" for r in op.schema.returns) and not op.schema.mutated:
        # What only looks at sizes and types finds them on the wrappers.
        return op.explicit or refusals.no_rule(op)
    if op.schema.out_arguments or op.schema.is_view:
        return refusals.no_fallback(op)
    return by_rule(op, loop.rule(op), takes_none=True)


def reason(op: Operator) -> str:
    """Why a call of the operator is processed as it is, in a few words."""
    if op.vmap_rule is not None:
        return "a rule that a program has registered"
    batching.load(op.family)
    if op.full_name in batching.rules:
        return f"a rule of the family {op.family}"
    if op.full_name in batching.derived_as:
        return f"derived: {batching.derived_as[op.full_name]}"
    if is_random(op):
        return "random numbers"
    if op.composite is not None and not derived.is_made_like(op):
        return "made of others"
    rule = derived.rule(op)
    if rule is None:
        return "one call for each element"
    return f"derived: {rule.__qualname__.partition('.')[0].strip('_').lower()}"
