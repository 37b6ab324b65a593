"""Quantized tensors beside PyTorch's: the same numbers from the same calls, files both ways."""

import io
import warnings

import llvmlite.binding
import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

CALLS = [
    "q", "q.t()", "q[1:]", "q.relu()", "q.clamp(-1, 1)", "q.sigmoid()", "q.tanh()", "q.max(1)[0]",
    "q.sort()[0]", "q.topk(2)[1]", "q.mean()", "q.std()", "q == q", "q < 0.5", "q.flip(0)", "c", "c[1]",
    "c.narrow(0, 1, 2)", "c.unsqueeze(0)", "m.cat([q, o])", "m.stack([q, q])",
    "m.nn.functional.relu6(q)", "m.nn.functional.hardsigmoid(q)", "m.nn.functional.pad(q, (1, 2))",
    "m.nn.functional.max_pool2d(i, 2)", "m.nn.functional.avg_pool2d(i, 3, 2, 1)",
    "m.nn.functional.adaptive_avg_pool2d(i, (2, 3))",
    "m.nn.functional.interpolate(i, scale_factor=2, mode='bilinear')",
    "m.ops.quantized.add(q, o, 0.07, 90)", "m.ops.quantized.add_relu(q, o, 0.07, 90)",
    "m.ops.quantized.mul(q, o, 0.07, 90)", "m.ops.quantized.add(q, 40.5)",
    "m.ops.quantized.mul(q, -2.5)", "m.ops.quantized.cat([q, o], 0, 0.04, 100)",
    "m.ops.quantized.hardswish(q, 0.02, 100)",
    "m.ops.quantized.linear(q, packed(m, False), 0.05, 100)",
    "m.ops.quantized.linear_relu(q, packed(m, True), 0.05, 100)",
    "m.ops.quantized.linear_dynamic(x, packed(m, False), True)",
    "m.ops.quantized.conv2d(i, window(m, 1), 0.05, 100)",
    "m.ops.quantized.conv2d_relu(i, window(m, 2), 0.05, 100)",
    "m.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)",
    "m.fake_quantize_per_channel_affine(x, s, z.int(), 0, -10, 20)",
    "m._choose_qparams_per_tensor(x)", "m.quantize_per_tensor_dynamic(x, m.qint8, False)",
    "m.choose_qparams_optimized(x, x.numel(), 200, 0.16, 8)",
]  # fmt: skip
# Without instructions for sums of four products, PyTorch adds pairs of them in 16 bits, which may not hold them.
_features = llvmlite.binding.get_host_cpu_features()
if _features.get("avx512vnni") or _features.get("avxvnni"):
    CALLS.append("m.ops.quantized.linear_dynamic(x, packed(m, True))")
ROWS, COLUMNS = 6, 9


def draw(*size):
    return np.random.default_rng(sum(size)).standard_normal(size).astype(np.float32) * 2


def packed(m, by_rows):
    weight, bias = m.from_numpy(draw(5, COLUMNS)), m.from_numpy(draw(5))
    if by_rows:
        scales, zeros = weight.abs().amax(1) / 127, m.zeros(5, dtype=m.int64)
        return m.ops.quantized.linear_prepack(
            m.quantize_per_channel(weight, scales, zeros, 0, m.qint8), bias
        )
    return m.ops.quantized.linear_prepack(m.quantize_per_tensor(weight, 0.05, 3, m.qint8), bias)


def window(m, groups):
    weight = m.quantize_per_tensor(m.from_numpy(draw(4, 4 // groups, 3, 3)), 0.05, 0, m.qint8)
    settings = [1, 2], [1, 1], [1, 1], groups
    return m.ops.quantized.conv2d_prepack(weight, m.from_numpy(draw(4)), *settings)


def names(m):
    x, s = m.from_numpy(draw(ROWS, COLUMNS)), m.from_numpy(np.abs(draw(ROWS)) / 20 + 0.01)
    z = m.from_numpy(np.arange(ROWS))
    return {
        "m": m, "x": x, "s": s, "z": z, "q": m.quantize_per_tensor(x, 0.03, 100, m.quint8),
        "o": m.quantize_per_tensor(x.flip(0), 0.05, 103, m.quint8),
        "c": m.quantize_per_channel(x, s, z, 0, m.quint8), "packed": packed, "window": window,
        "i": m.quantize_per_tensor(m.from_numpy(draw(2, 4, 7, 8)), 0.03, 101, m.quint8),
    }  # fmt: skip


def told(result):
    """What there is to compare of a result."""
    if isinstance(result, tuple):
        return [told(item) for item in result]
    if not hasattr(result, "is_quantized"):
        return result
    facts = [str(result.dtype), tuple(result.shape), tuple(result.stride())]
    if not result.is_quantized:
        return [*facts, result.tolist()]
    by_tensor = str(result.qscheme()) == "torch.per_tensor_affine"
    meaning = (
        (result.q_scale(), result.q_zero_point())
        if by_tensor
        else (result.q_per_channel_axis(), result.q_per_channel_scales().tolist())
    )
    return [*facts, str(result.qscheme()), meaning, result.int_repr().tolist(), str(result)]


@pytest.mark.parametrize("call", CALLS)
def test_the_same_numbers(call):
    found = []
    for m in (torch, rushlight):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(told(eval(call, names(m))))
    assert found[0] == found[1]


def test_files_go_both_ways():
    for writer, reader in ((torch, rushlight), (rushlight, torch)):
        given = names(writer)
        file = io.BytesIO()
        writer.save({"q": given["q"][1:], "c": given["c"]}, file)
        file.seek(0)
        read = reader.load(file)
        wanted = names(reader)
        assert reader.equal(read["q"], wanted["q"][1:]) and reader.equal(read["c"], wanted["c"])


def flow(m, weights):
    ao = m.ao.quantization

    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.quant, self.dequant = ao.QuantStub(), ao.DeQuantStub()
            self.first, self.relu, self.second = m.nn.Linear(9, 8), m.nn.ReLU(), m.nn.Linear(8, 3)

        def forward(self, x):
            return self.dequant(self.second(self.relu(self.first(self.quant(x)))))

    model = Model().eval()
    for parameter, value in zip(model.parameters(), weights):
        parameter.data = m.from_numpy(value)
    model = ao.fuse_modules(model, [["first", "relu"]])
    model.qconfig = ao.QConfig(ao.default_observer, ao.default_per_channel_weight_observer)
    prepared = ao.prepare(model)
    prepared(m.from_numpy(draw(ROWS, COLUMNS)))
    return prepared, ao.convert(prepared)


def test_the_eager_flow():
    weights = [draw(8, 9), draw(8), draw(3, 8), draw(3)]
    (theirs, there), (ours, here) = flow(torch, weights), flow(rushlight, weights)
    assert list(theirs.state_dict()) == list(ours.state_dict())
    assert list(there.state_dict()) == list(here.state_dict())
    assert there.state_dict()._metadata == here.state_dict()._metadata
    file = io.BytesIO()
    torch.save(there.state_dict(), file)
    file.seek(0)
    here.load_state_dict(rushlight.load(file))
    x = draw(4, 9)
    assert here(rushlight.from_numpy(x)).tolist() == there(torch.from_numpy(x)).tolist()
    file = io.BytesIO()
    rushlight.save(here.state_dict(), file)
    file.seek(0)
    there.load_state_dict(torch.load(file))
    assert repr(there) == repr(here)
