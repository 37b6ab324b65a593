"""The Python that is written for an operator's gradient, as text."""

import inspect
import re

from expecttest import assert_expected_inline

from rushlight.engine.autograd import registry
from rushlight.engine.dispatch.operator import operator


def source(function: object) -> str:
    return re.sub(r"#\d+", "#n", inspect.getsource(function))  # type: ignore[arg-type]


def test_a_step_of_one_result() -> None:
    rule = registry.rule_for(operator("aten::mm"))
    assert_expected_inline(
        source(rule.record),
        """\
def record(result, self, mat2):
    e0 = self._autograd_.edge if self._keys_ & AUTOGRAD else None
    e1 = mat2._autograd_.edge if mat2._keys_ & AUTOGRAD else None
    if e0 is None and e1 is None:
        return result
    if result._dtype_.category < FLOATING:
        raise whole(result)
    node = new(cls)
    node.edges = (e0, e1,)
    node.saved = (((self, self._storage_._version if self._counter_ is None else self._counter_.value)) if e1 is not None else None, ((mat2, mat2._storage_._version if mat2._counter_ is None else mat2._counter_.value)) if e0 is not None else None, (mat2._size_) if e1 is not None else None, (mat2._stride_) if e1 is not None else None, (self._size_) if e0 is not None else None, (self._stride_) if e0 is not None else None,)
    if hooks.active:
        node.saved = pack_all(node.saved)
    node.seq = next(sequence)
    node.outputs = ((result._size_, result._dtype_),)
    if when_made:
        when_made[0](node)
    meta = Meta()
    meta.edge = (node, 0)
    result._autograd_ = meta
    result._keys_ |= AUTOGRAD
    return result
""",
    )
    assert_expected_inline(
        source(rule.cls.run),
        """\
def run(node, grads):
    grad = grads[0]
    if grad is None:
        return (None,) * len(node.edges)
    kept = node.saved
    if kept is None:
        raise freed()
    self = unpack_plain(kept[0], node)
    mat2 = unpack_plain(kept[1], node)
    mat2_shape = kept[2]
    mat2_strides = kept[3]
    self_shape = kept[4]
    self_strides = kept[5]
    edges = node.edges
    recorded = thread.grad_enabled
    for_self = (formula0 if recorded else repeated0)(grad, mat2, self_shape, self_strides) if edges[0] is not None else None
    for_mat2 = (formula1 if recorded else repeated1)(grad, self, mat2_shape, mat2_strides) if edges[1] is not None else None
    return (for_self, for_mat2,)
""",
    )


def test_a_step_that_keeps_its_result() -> None:
    rule = registry.rule_for(operator("aten::sqrt"))
    assert_expected_inline(
        source(rule.record),
        """\
def record(result, self):
    e0 = self._autograd_.edge if self._keys_ & AUTOGRAD else None
    if e0 is None:
        return result
    if result._dtype_.category < FLOATING:
        raise whole(result)
    node = new(cls)
    node.edges = (e0,)
    node.saved = (SavedResult(result),)
    if hooks.active:
        node.saved = pack_all(node.saved)
    node.seq = next(sequence)
    node.outputs = ((result._size_, result._dtype_),)
    if when_made:
        when_made[0](node)
    meta = Meta()
    meta.edge = (node, 0)
    result._autograd_ = meta
    result._keys_ |= AUTOGRAD
    return result
""",
    )


def test_a_view() -> None:
    rule = registry.rule_for(operator("aten::select.int"))
    assert_expected_inline(
        source(rule.record),
        """\
def record(result, self, dim, index):
    e0 = self._autograd_.edge if self._keys_ & AUTOGRAD else None
    if e0 is None:
        return result
    if result._dtype_.category < FLOATING:
        raise whole(result)
    node = new(cls)
    node.edges = (e0,)
    node.saved = (dim, index, self._size_,)
    if hooks.active:
        node.saved = pack_all(node.saved)
    node.seq = next(sequence)
    node.outputs = ((result._size_, result._dtype_),)
    if when_made:
        when_made[0](node)
    def replay(self):
        return call(self, dim, index)
    return attach_view(result, node, replay, self)
""",
    )


def test_lists_and_several_results() -> None:
    rule = registry.rule_for(operator("aten::cat"))
    assert_expected_inline(
        source(rule.record),
        """\
def record(result, tensors, dim):
    e0 = [t._autograd_.edge if t._keys_ & AUTOGRAD else None for t in tensors]
    if not any(e0):
        return result
    if result._dtype_.category < FLOATING:
        raise whole(result)
    node = new(cls)
    node.edges = (*e0,)
    node.saved = (dim, [None if t is None else (t._dtype_.category == 3) for t in tensors], [None if t is None else t._size_ for t in tensors], len(tensors),)
    if hooks.active:
        node.saved = pack_all(node.saved)
    node.seq = next(sequence)
    node.outputs = ((result._size_, result._dtype_),)
    if when_made:
        when_made[0](node)
    meta = Meta()
    meta.edge = (node, 0)
    result._autograd_ = meta
    result._keys_ |= AUTOGRAD
    return result
""",
    )
    rule = registry.rule_for(operator("aten::topk"))
    assert_expected_inline(
        source(rule.record),
        """\
def record(result, self, k, dim, largest, sorted):
    e0 = self._autograd_.edge if self._keys_ & AUTOGRAD else None
    if e0 is None:
        return result
    result0, result1, = result
    node = new(cls)
    node.edges = (e0,)
    node.saved = (dim, (result1, result1._storage_._version if result1._counter_ is None else result1._counter_.value), self._size_,)
    if hooks.active:
        node.saved = pack_all(node.saved)
    node.seq = next(sequence)
    node.outputs = tuple([(r._size_, r._dtype_) for r in result])
    if when_made:
        when_made[0](node)
    return attach_several(result, node, nondifferentiable)
""",
    )
    assert_expected_inline(
        source(rule.cls.run),
        """\
def run(node, grads):
    grad = grads[0]
    if grad is None:
        return (None,) * len(node.edges)
    kept = node.saved
    if kept is None:
        raise freed()
    dim = kept[0]
    result1 = unpack_plain(kept[1], node)
    self_shape = kept[2]
    edges = node.edges
    recorded = thread.grad_enabled
    for_self = (formula0 if recorded else repeated0)(grad, dim, result1, self_shape) if edges[0] is not None else None
    return (for_self,)
""",
    )
