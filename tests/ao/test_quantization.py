"""The eager flow: models given observers, converted, saved."""

import io

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.ao import quantization as ao

pytestmark = pytest.mark.filterwarnings("ignore:Please use quant_min and quant_max")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = ao.QuantStub(), ao.DeQuantStub()
        self.conv, self.bn, self.relu = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()
        self.linear = nn.Linear(4, 5)
        self.sum = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.relu(self.bn(self.conv(self.quant(x))))
        return self.dequant(self.linear(self.sum.add(x, x).mean((2, 3))))


def images(seed=0):
    return torch.tensor(
        np.random.default_rng(seed).standard_normal((2, 3, 8, 8)).astype(np.float32)
    )


def static():
    torch.manual_seed(0)
    model = ao.fuse_modules(Model().eval(), [["conv", "bn", "relu"]])
    model.qconfig = ao.get_default_qconfig("x86")
    prepared = ao.prepare(model)
    for seed in range(3):
        prepared(images(seed))
    return model, ao.convert(prepared)


def test_after_training():
    model, made = static()
    assert type(made.conv) is torch.ao.nn.intrinsic.quantized.ConvReLU2d
    assert type(made.linear) is torch.ao.nn.quantized.Linear and not hasattr(made, "qconfig")
    near, exact = made(images()), model(images())
    assert (near - exact).abs().max() < 0.05 * exact.abs().max() + 0.02


def test_what_a_model_says_and_files():
    _, made = static()
    assert list(made.state_dict()) == [
        "quant.scale", "quant.zero_point", "conv.weight", "conv.bias", "conv.scale",
        "conv.zero_point", "linear.scale", "linear.zero_point", "linear._packed_params.dtype",
        "linear._packed_params._packed_params", "sum.scale", "sum.zero_point",
    ]  # fmt: skip
    file = io.BytesIO()
    torch.save(made.state_dict(), file)
    file.seek(0)
    _, other = static()
    other.conv.scale = 1.0
    other.load_state_dict(torch.load(file))
    assert torch.equal(other(images()), made(images())) and "QuantizedLinear(in_features=4" in repr(
        made
    )


def test_training_with_rounding():
    torch.manual_seed(0)
    model = ao.fuse_modules_qat(Model().train(), [["conv", "bn", "relu"]])
    model.qconfig = ao.get_default_qat_qconfig("x86")
    prepared = ao.prepare_qat(model)
    optimizer = torch.optim.SGD(prepared.parameters(), 0.05)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = (prepared(images()) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    prepared.eval()
    made = ao.convert(prepared)
    assert (made(images()) - prepared(images())).abs().max() < 0.05


def test_dynamic():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    x = images().view(-1, 8)
    made = ao.quantize_dynamic(model)
    assert (made(x) - model(x)).abs().max() < 0.05 and "DynamicQuantizedLinear" in repr(made)
    half = ao.quantize_dynamic(model, dtype=torch.float16)
    assert (half(x) - model(x)).abs().max() < 0.01
    only = ao.quantize_dynamic(model, {"2": ao.default_dynamic_qconfig})
    assert type(only[0]) is nn.Linear and type(only[2]) is torch.ao.nn.quantized.dynamic.Linear


def test_observers():
    x = torch.tensor([-1.0, 3.0])
    observer = ao.MinMaxObserver()
    observer(x)
    scale, zero_point = observer.calculate_qparams()
    assert scale.item() == pytest.approx(4 / 255) and zero_point.tolist() == [64]
    average = ao.MovingAverageMinMaxObserver(averaging_constant=0.5)
    average(x), average(3 * x)
    assert (average.min_val.item(), average.max_val.item()) == (-2.0, 6.0)
    channels = ao.PerChannelMinMaxObserver(dtype=torch.qint8, qscheme=torch.per_channel_symmetric)
    channels(torch.tensor([[1.0, -2.0], [4.0, 0.0]]))
    assert channels.calculate_qparams()[0].tolist() == pytest.approx([2 / 127.5, 4 / 127.5])
    fixed = ao.FixedQParamsObserver(0.5, 3)
    assert [t.tolist() for t in fixed.calculate_qparams()] == [[0.5], [3]]
    with pytest.warns(UserWarning, match="must run observer"):
        assert ao.HistogramObserver().calculate_qparams()[0].tolist() == [1.0]


def test_a_histogram_leaves_out_what_is_rare():
    observer = ao.HistogramObserver(bins=64)
    observer(torch.cat([torch.linspace(0, 1, 4000), torch.tensor([2.0])]))
    scale, zero_point = observer.calculate_qparams()
    assert scale.item() < 2 / 255 and zero_point.item() == 0
    observer(torch.tensor([4.0]))
    assert observer.histogram.sum().item() == pytest.approx(4002) and observer.max_val.item() == 4


def test_configurations():
    assert ao.qconfig_equals(ao.default_qconfig, ao.QConfig(*ao.default_qconfig))
    assert repr(ao.default_weight_observer).startswith("functools.partial(<class ")
    mapping = ao.get_default_qconfig_mapping()
    again = ao.QConfigMapping.from_dict(mapping.to_dict())
    assert again.object_type_qconfigs.keys() == mapping.object_type_qconfigs.keys()
    with pytest.raises(ValueError, match="received observer instance"):
        ao.QConfig(ao.MinMaxObserver(), ao.MinMaxObserver)


def test_switches_of_modules_that_round():
    module = ao.default_fake_quant()
    x = torch.tensor([0.111, 1.0])
    assert not torch.equal(module(x), x)
    module.apply(ao.disable_fake_quant)
    assert torch.equal(module(x), x)
    assert list(module.state_dict())[:4] == [
        "fake_quant_enabled",
        "observer_enabled",
        "scale",
        "zero_point",
    ]


def test_ways_over_graphs_are_refused():
    with pytest.raises(AttributeError, match="only the eager way is there; `prepare` is its part"):
        ao.prepare_pt2e  # noqa: B018


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_recurrent_layers(kind):
    torch.manual_seed(0)
    model = nn.Sequential(getattr(nn, kind)(5, 6, 2, batch_first=True, bidirectional=True))
    made = ao.quantize_dynamic(model)
    x = torch.randn(3, 4, 5)
    near, exact = made(x), model(x)
    assert near[0].shape == exact[0].shape == (3, 4, 12) and (near[0] - exact[0]).abs().max() < 0.05
    last = near[1] if kind == "GRU" else near[1][0]
    assert last.shape == (4, 3, 6) and f"DynamicQuantized{kind}(5, 6, num_layers=2" in repr(made)
    again = ao.quantize_dynamic(model)
    again.load_state_dict(made.state_dict())
    assert torch.equal(again(x)[0], near[0])
    with pytest.raises(AssertionError, match="bias must be True"):
        ao.quantize_dynamic(nn.Sequential(getattr(nn, kind)(2, 2, bias=False)))


def test_functions_of_quantized_tensors():
    functional = torch.ao.nn.quantized.functional
    q = torch.quantize_per_tensor(images(), 0.03, 120, torch.quint8)
    weight = torch.quantize_per_tensor(torch.ones(2, 3, 1, 1), 0.01, 0, torch.qint8)
    made = functional.conv2d(q, weight, None, scale=0.1, zero_point=100)
    assert (made.dequantize() - q.dequantize().sum(1, keepdim=True)).abs().max() <= 0.0501
    rows = torch.quantize_per_tensor(images()[0, 0], 0.03, 120, torch.quint8)
    square = torch.quantize_per_tensor(torch.eye(8), 1.0, 0, torch.qint8)
    assert torch.equal(functional.linear(rows, square), rows)
    assert functional.upsample_nearest(q, scale_factor=2).shape == (2, 3, 16, 16)
    with pytest.raises(ValueError, match="must be quantized"):
        functional.avg_pool2d(images(), 2)


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell", "RNNCell"])
def test_recurrent_cells_with_quantized_weights(kind):
    torch.manual_seed(0)
    cell = getattr(torch.nn, kind)(3, 4)
    found = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(cell), {type(cell)})[0]
    assert repr(found) == f"DynamicQuantized{kind}(3, 4)"
    x = torch.randn(2, 3)
    for a, b in zip(
        *(made if isinstance(made, tuple) else (made,) for made in (found(x), cell(x)))
    ):
        assert (a - b).abs().max() < 0.02
    with pytest.raises(RuntimeError, match="inconsistent input_size: got 5, expected 3"):
        found(torch.ones(2, 5))
    other = type(found)(3, 4)
    other.load_state_dict(found.state_dict())
    state = found(x)
    torch.testing.assert_close(other(x), state)


def test_recurrent_cells_want_biases():
    cell = torch.nn.GRUCell(3, 4, bias=False)
    with pytest.raises(AssertionError, match="bias must be True"):
        torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(cell), {torch.nn.GRUCell})


def quantized_table(kind, **options):
    torch.manual_seed(0)
    layer = kind(5, 6, **options)
    layer.qconfig = torch.ao.quantization.float_qparams_weight_only_qconfig
    return layer, getattr(torch.ao.nn.quantized, kind.__name__).from_float(layer)


def test_embeddings_of_quantized_rows():
    layer, found = quantized_table(torch.nn.Embedding)
    places = torch.tensor([[0, 1], [4, 4]])
    assert found.weight().qscheme() is torch.per_channel_affine_float_qparams
    torch.testing.assert_close(found(places), found.weight().dequantize()[places])
    assert (found(places) - layer(places)).abs().max() < 0.01
    assert repr(found).startswith("QuantizedEmbedding(num_embeddings=5, embedding_dim=6")
    with pytest.raises(RuntimeError, match="Index 0 is out of bounds: 7, range 0 to 5"):
        found(torch.tensor([7]))
    with pytest.raises(RuntimeError, match="Expect 32 or 64 bit indices, but found Float"):
        found(torch.tensor([1.0]))
    other = torch.ao.nn.quantized.Embedding(5, 6)
    other.load_state_dict(found.state_dict())
    torch.testing.assert_close(other(places), found(places))


def test_bags_of_quantized_rows():
    layer, found = quantized_table(torch.nn.EmbeddingBag, mode="sum", include_last_offset=True)
    given = torch.tensor([0, 1, 4]), torch.tensor([0, 2, 2, 3])
    assert (found(*given) - layer(*given)).abs().max() < 0.02
    rows = found.weight().dequantize()
    made = torch.ops.quantized.embedding_bag_byte(
        found._packed_params._packed_weight,
        torch.tensor([[1, 2], [3, 4]]),
        per_sample_weights=torch.tensor([[1.0, 2.0], [0.0, 1.0]]),
    )
    torch.testing.assert_close(made, torch.stack([rows[1] + 2 * rows[2], rows[4]]))


def test_embeddings_of_other_types_are_refused():
    with pytest.raises(NotImplementedError, match="Unsupported dtype on quantized embedding"):
        torch.ao.nn.quantized.Embedding(5, 6, dtype=torch.qint8)
    layer = torch.nn.Embedding(5, 6)
    layer.qconfig = torch.ao.quantization.default_qconfig
    with pytest.raises(AssertionError, match="only supported with float_qparams_weight_only"):
        torch.ao.nn.quantized.Embedding.from_float(layer)
