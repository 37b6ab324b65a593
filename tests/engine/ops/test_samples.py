"""Every operator, called as its samples say: on its own, repeated, as a variant, without elements."""

import re
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples
from rushlight.engine.ops.kinds import outputs

FAMILIES = sorted({op.family for op in samples.every_operator()})
# Only to become fewer.
# Some forty of them are quantized, twenty are nested, and these have tests of their own.
MOST_UNSAMPLED = 88
# Results that differ from call to call, or are never written.
RANDOM = {"sampling"}
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout")


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family
        for sample in samples.of_operator(op.base_name)
    ]


def leaves(result):
    """The tensors and other values among results."""
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def same(found, expected, tolerance=0.0):
    """Whether two lists of results are alike in types, sizes and elements."""
    return len(found) == len(expected) and all(
        alike(x, y, tolerance) if isinstance(x, Tensor) else x == y or x is y or x != x
        for x, y in zip(found, expected)
    )


def alike(x, y, tolerance):
    x, y = x.detach(), y.detach()
    if described(x) != described(y):
        return False
    if x.layout is not torch.strided:
        x, y = x.to_dense(), y.to_dense()
    if x.dtype.category < FLOATING:
        return x.equal(y)
    return torch.allclose(x.resolve_neg(), y.resolve_neg(), tolerance, tolerance, equal_nan=True)


def has_stable_content(sample):
    op = operators.operator(sample.name)
    return op.family not in RANDOM and not op.packet_name.startswith(UNWRITTEN)


def changes_arguments(op):
    return any(a.is_write for a in op.schema.arguments)


def run(sample, kind="float64"):
    call = sample.draw(kind)
    return call.run(*call.tensors)


# -- there are samples --


def test_every_operator_has_a_sample_or_a_reason():
    missing = [
        op.base_name
        for op in samples.every_operator()
        if not samples.of_operator(op.base_name)
        and op.base_name not in samples.unsampled
        and samples.functional_of(op) is None
    ]
    assert missing == []


def test_few_operators_have_no_sample():
    assert len(samples.unsampled) <= MOST_UNSAMPLED
    for name in samples.unsampled:
        assert operators.find(name) is not None, f"{name} is no operator"


def test_programs_do_not_load_samples():
    program = (
        "import sys, rushlight as torch\n"
        "torch.ones(2).add(1).sum()\n"
        "assert not any('samples' in name for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_sample_belongs_to_the_family_of_its_operator():
    with pytest.raises(ValueError, match="mm is of the family matrix, not of view"):
        samples.Samples("view").add("mm", samples.numbers(2, 2), samples.numbers(2, 2))
    with pytest.raises(ValueError, match="there are two samples 'mm'"):
        samples.load()
        samples.Samples("matrix").add("mm", samples.numbers(2, 2), samples.numbers(2, 2))


def test_tensors_are_drawn_alike_in_every_run():
    (sample,) = samples.of_operator("mm")
    first, second = sample.draw("float32"), sample.draw("float32")
    assert [t.tolist() for t in first.tensors] == [t.tolist() for t in second.tensors]
    assert {t.dtype for t in first.tensors} == {torch.float32}
    other = [torch.zeros(2, 3), torch.ones(3, 4)]
    assert first.run(*other).tolist() == torch.zeros(2, 4).tolist()


# -- what holds for all of them --


@pytest.mark.parametrize("family", FAMILIES)
def test_repeated_calls_give_the_same(family):
    """The third call is remembered; the fourth is a replay."""
    wrong = []
    for sample in samples_of(family):
        if not has_stable_content(sample):
            run(sample)
            continue
        expected = leaves(run(sample))
        if not all(same(leaves(run(sample)), expected) for _ in range(4)):
            wrong.append(sample.title)
    assert wrong == []


@pytest.mark.parametrize("family", FAMILIES)
def test_variants_give_the_same(family):
    """In place and with `out=`, operators do what their functional form does."""
    wrong = []
    for sample in samples_of(family):
        op = operators.operator(sample.name)
        if changes_arguments(op) or not has_stable_content(sample):
            continue
        expected = leaves(op_result(op, sample))
        inplaces, outs = outputs.variants(op)
        for variant in outs:
            made = with_outputs(variant, sample, expected)
            if not same(made, expected):
                wrong.append(f"{variant.base_name} {sample.what}")
        for variant in inplaces:
            target, made = in_place(variant, sample, expected[0].shape)
            if made is not target or not same([made], [expected[0].to(target.dtype)]):
                wrong.append(f"{variant.base_name} {sample.what}")
    assert wrong == []


def op_result(op, sample):
    call = sample.draw()
    args, kwargs = call.arguments(*call.tensors)
    return op(*args, **kwargs)


def with_outputs(variant, sample, expected):
    call = sample.draw()
    args, kwargs = call.arguments(*call.tensors)
    names = [a.name for a in variant.schema.out_arguments]
    given = {name: x.new_empty(0) for name, x in zip(names, expected)}
    if len(names) == 1 and variant.schema.out_arguments[0].type.kind == "list":
        given = {names[0]: [x.new_empty(0) for x in expected]}
    tensor_options = {"dtype", "layout", "device", "pin_memory"}
    known = {a.name for a in variant.schema.arguments}
    kwargs = {k: v for k, v in kwargs.items() if k in known or k not in tensor_options}
    variant(*args, **kwargs, **given)
    return leaves(list(given.values()))


def in_place(variant, sample, shape):
    """The target and the result of a call in place; the target has the result's sizes."""
    call = sample.draw()
    args, kwargs = call.arguments(*call.tensors)
    values = dict(zip((a.name for a in variant.schema.arguments), args)) | kwargs
    target = values["self"]
    if not variant.schema.is_view and "inplace_view" not in variant.declared_tags:
        target = values["self"] = target.expand(shape).clone()
    return target, variant(**values)


# Those that look at elements, or have no kernel for the meta device. Only to become fewer.
READERS = """
comparison: is_nonzero
copy: to.device
indexing: where nonzero_numpy
losses: ctc_loss.Tensor
nested: _jagged_to_padded_dense_forward _padded_dense_to_jagged_forward
searching: histogram.bins_tensor histogram.bin_ct _histogramdd_bin_edges
    _histogramdd_from_bin_cts _histogramdd_from_bin_tensors histogramdd histogramdd.int_bins
    histogramdd.TensorList_bins
view: tensor_split.tensor_indices_or_sections narrow.Tensor repeat_interleave.self_Tensor
"""
DEPENDENT = {"data_dependent_output", "dynamic_output_shape"}


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"sparse"}))
def test_calls_without_elements_tell_sizes_and_types(family):
    """On the meta device, results have the sizes, strides and types that they have in memory."""
    wrong, readers = [], set()
    for sample in samples_of(family):
        op = operators.operator(sample.name)
        if DEPENDENT & {*op.declared_tags}:
            continue
        expected = [described(x) for x in leaves(op_result(op, sample))]
        call = sample.draw()
        args, kwargs = on_meta(call.arguments(*call.tensors))
        try:
            found = leaves(op(*args, **kwargs))
        except (NotImplementedError, RuntimeError) as error:
            assert re.search("meta|Meta", str(error)), (sample.title, error)
            readers.add(sample.name)
            continue
        if [described(x) for x in found] != expected:
            wrong.append(sample.title)
    listed = {n for n in READERS.split() if n in operators_of(family)}
    assert (wrong, readers) == ([], listed)


def operators_of(family):
    return {op.base_name for op in samples.every_operator() if op.family == family}


def described(value):
    return (tuple(value.shape), value.dtype, value.layout) if isinstance(value, Tensor) else None


def on_meta(value):
    if isinstance(value, Tensor):
        return value.to("meta")
    if isinstance(value, (list, tuple)):
        return type(value)(map(on_meta, value))
    if isinstance(value, dict):
        return {key: on_meta(item) for key, item in value.items()}
    return value


# Operators that look at steps, or take elements without any between them only.
DENSE = {
    "_version", "as_strided_scatter", "stride", "sym_stride", "native_group_norm", "view_as_complex", "view_as_complex_copy", "_adaptive_means",
    "_adaptive_means_backward", "_adaptive_places", "_reshape_alias_copy", "as_strided_copy", "view_copy",
}  # fmt: skip


def any_layout(family):
    """The samples of a family whose results do not depend on where the arguments' elements lie."""
    for sample in samples_of(family):
        op = operators.operator(sample.name)
        looks_at_layout = op.schema.is_view or op.packet_name in DENSE
        if has_stable_content(sample) and not changes_arguments(op) and not looks_at_layout:
            yield sample


@pytest.mark.parametrize("family", FAMILIES)
def test_layouts_in_memory_do_not_matter(family):
    """Arguments with steps between their elements give what those without give."""
    wrong = []
    for sample in any_layout(family):
        call = sample.draw()
        expected = leaves(call.run(*call.tensors))
        if not same(leaves(call.run(*map(spread, call.tensors))), expected, 1e-12):
            wrong.append(sample.title)
    assert wrong == []


def spread(x):
    """The same elements, every other one of a row of twice the length."""
    if not x.dim():
        return x
    room = x.new_empty((*x.shape[:-1], 2 * x.shape[-1]))
    view = room[..., ::2]
    view.copy_(x)
    return view


@pytest.mark.parametrize("family", FAMILIES)
def test_elements_in_several_places_do_not_matter(family):
    """Arguments whose first dimension has no step, as after `expand`, give what their copies give."""
    wrong = []
    for sample in any_layout(family):
        call = sample.draw()
        tensors = [x[:1].expand(x.shape) if x.dim() > 2 else x for x in call.tensors]
        try:
            expected = leaves(call.run(*(x.contiguous() for x in tensors)))
        except torch.linalg.LinAlgError:
            # Equal rows have no inverse.
            continue
        if not same(leaves(call.run(*tensors)), expected, 1e-12):
            wrong.append(sample.title)
    assert wrong == []
