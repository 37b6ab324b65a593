"""What programs for training say in one line, on few elements: layers, losses, lookups, states, text.

Every line is a call that comes again with the same sizes; what is left is the cost of the call, of
Python that `nn` and `optim` are made of, and of what no call remembers. `overhead` has the operators
alone. Lines that belong together share their data.
"""

from __future__ import annotations

import copy
import functools
import io
import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

Idiom = Callable[[Any, Any], Any]

# Seconds for one measurement: there are many of them.
BUDGET = 0.002
ROWS, COLUMNS = 16, 8


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    idioms = LOOKUPS | LAYERS | TRAINING | READING | NUMBERS | COUNTING | ALGEBRA | LOSSES | SHAPES
    return {title: bound(idiom) for title, idiom in idioms.items()}


def bound(idiom: Idiom) -> Callable[[Any], Callable[[], Any]]:
    def make(t: Any) -> Callable[[], Any]:
        given = data(t)
        return lambda: idiom(t, given)

    return make


@functools.cache
def data(t: Any) -> SimpleNamespace:
    """Tensors, layers and optimizers of one library."""
    t.manual_seed(0)
    nn = t.nn
    d = SimpleNamespace()
    d.x, d.image, d.signal = t.randn(ROWS, COLUMNS), t.randn(1, 3, 8, 8), t.randn(128)
    d.wanting = t.randn(ROWS, COLUMNS, requires_grad=True)
    d.wanting_image = t.randn(1, 3, 8, 8, requires_grad=True)
    d.index, d.place = t.tensor([3, 1, 4, 1]), t.tensor(5)
    d.labels = t.randint(0, COLUMNS, (ROWS,))
    d.mask, d.order = d.x > 0, d.x.argsort(1)
    d.written, d.chosen, d.often = d.x.clone(), d.x[d.mask].clone(), t.arange(COLUMNS) % 3
    d.square = d.x[:4, :4] @ d.x[:4, :4].t() + t.eye(4)
    d.low, d.high, d.edges = t.tensor(0.0), t.tensor(1.0), t.arange(5.0)
    d.mlp = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
    d.linear, d.hooked = nn.Linear(8, 8), nn.Linear(8, 8)
    d.hooked.register_forward_hook(lambda layer, given, made: made * 1)
    d.embedding, d.layer_norm, d.batch_norm = (
        nn.Embedding(20, 8),
        nn.LayerNorm(8),
        nn.BatchNorm1d(8),
    )
    d.cell, d.lstm = nn.GRUCell(8, 8), nn.LSTM(8, 8, batch_first=True)
    d.attention = nn.MultiheadAttention(8, 2, batch_first=True)
    d.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    d.convolution, d.bag = nn.Conv2d(3, 4, 3), nn.EmbeddingBag(20, 8)
    d.adam = t.optim.Adam(d.mlp.parameters())
    d.trained = nn.Linear(8, 8)
    d.trained(d.x).sum().backward()
    d.sgd = t.optim.SGD(d.trained.parameters(), lr=0.1, momentum=0.9)
    d.schedule = t.optim.lr_scheduler.StepLR(d.sgd, 10)
    d.state = d.mlp.state_dict()
    d.loader = t.utils.data.DataLoader(
        t.utils.data.TensorDataset(d.x, d.labels), batch_size=4, shuffle=True
    )
    d.sizes = itertools.cycle(range(3, 900))
    d.square_function = square_function(t)
    return d


def square_function(t: Any) -> Any:
    class Square(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    return Square


def gradient(t: Any, made: Any, *leaves: Any) -> Any:
    return t.autograd.grad(made.sum(), leaves)


def training_step(t: Any, d: Any) -> None:
    d.adam.zero_grad()
    t.nn.functional.cross_entropy(d.mlp(d.x), d.labels).backward()
    d.adam.step()


def twice(t: Any, d: Any) -> Any:
    (slope,) = t.autograd.grad((d.wanting**2).sum(), d.wanting, create_graph=True)
    return t.autograd.grad(slope.pow(2).sum(), d.wanting)


def checkpointed(t: Any, d: Any) -> Any:
    made = t.utils.checkpoint.checkpoint(d.mlp, d.wanting, use_reentrant=False)
    return gradient(t, made, d.wanting)


def policy_gradient(t: Any, d: Any) -> Any:
    chosen = t.log_softmax(d.wanting, -1).gather(1, d.labels[:, None]).squeeze(1)
    return -(chosen * t.arange(16.0)).mean()


def saved_and_loaded(t: Any, d: Any) -> Any:
    file = io.BytesIO()
    t.save(d.state, file)
    file.seek(0)
    return t.load(file)


def first_step(t: Any, d: Any) -> None:
    """An optimizer's first step, for a parameter of ever new size."""
    parameter = t.nn.Parameter(t.zeros(next(d.sizes)))
    parameter.grad = t.ones_like(parameter)
    t.optim.SGD([parameter], lr=0.1, momentum=0.9).step()


def interpolated(t: Any, d: Any, mode: str, **options: Any) -> Any:
    made = t.nn.functional.interpolate(d.wanting_image, size=(5, 12), mode=mode, **options)
    return gradient(t, made, d.wanting_image)


def aligned(t: Any, d: Any) -> Any:
    logarithms = d.x[:, None].log_softmax(-1)
    return t.nn.functional.ctc_loss(logarithms, t.tensor([[1, 2]]), (16,), (2,))


LOOKUPS: dict[str, Idiom] = {
    "x[index], recorded": lambda t, d: d.wanting[d.index],
    "x[0-dim index], recorded": lambda t, d: d.wanting[d.place],
    "x[mask], recorded": lambda t, d: d.wanting[d.mask],
    "where, recorded": lambda t, d: t.where(d.mask, d.wanting, d.x),
    "cat, recorded": lambda t, d: t.cat([d.wanting, d.wanting], 1),
    "stack, recorded": lambda t, d: t.stack([d.wanting, d.wanting]),
    "split, reversed, cat": lambda t, d: t.cat(d.wanting.split(4)[::-1]),
    "products of chunks": lambda t, d: [
        a * b for a, b in zip(d.wanting.chunk(2, 1), d.x.chunk(2, 1))
    ],
    "loop over rows": lambda t, d: sum(row.sum() for row in d.wanting),
    "list of rows": lambda t, d: list(d.x),
    "masked_select": lambda t, d: d.wanting.masked_select(d.mask),
    "masked_fill": lambda t, d: d.wanting.masked_fill(d.mask, -1e9),
    "masked_scatter": lambda t, d: gradient(t, d.wanting.masked_scatter(d.mask, d.x), d.wanting),
    "fill, put": lambda t, d: t.fill(d.wanting, 2.0).put(d.index, d.x[0, :4]),
    "as_strided_scatter": lambda t, d: d.x.as_strided_scatter(d.x[:2, :2], (2, 2), (8, 1)),
    "gather": lambda t, d: d.wanting.gather(1, d.labels[:, None]),
    "index_select": lambda t, d: d.wanting.index_select(0, d.index),
    "take_along_dim": lambda t, d: t.take_along_dim(d.x, d.labels[:, None], 1),
    "scatter_ into zeros": lambda t, d: t.zeros(16, 8).scatter_(1, d.labels[:, None], 1.0),
    "x[mask] = values": lambda t, d: d.written.__setitem__(d.mask, d.chosen),
    "index_put by a mask": lambda t, d: d.wanting.index_put((d.mask,), d.chosen),
    "repeat_interleave": lambda t, d: t.repeat_interleave(d.x, d.often, 1),
    "one_hot": lambda t, d: t.nn.functional.one_hot(d.labels, 8),
    "one_hot, classes counted": lambda t, d: t.nn.functional.one_hot(d.labels),
    "nonzero": lambda t, d: d.mask.nonzero(),
    "nonzero(as_tuple)": lambda t, d: d.mask.nonzero(as_tuple=True),
}

LAYERS: dict[str, Idiom] = {
    "linear": lambda t, d: d.linear(d.x),
    "mlp": lambda t, d: d.mlp(d.x),
    "layer with a hook": lambda t, d: d.hooked(d.x),
    "embedding": lambda t, d: d.embedding(d.index),
    "embedding bag": lambda t, d: d.bag(d.index, t.tensor([0, 2])),
    "layer norm": lambda t, d: d.layer_norm(d.wanting),
    "batch norm": lambda t, d: d.batch_norm(d.wanting),
    "group norm": lambda t, d: t.nn.functional.group_norm(d.image, 1),
    "instance norm": lambda t, d: t.nn.functional.instance_norm(d.image),
    "gru cell": lambda t, d: d.cell(d.x, d.x),
    "lstm": lambda t, d: d.lstm(d.x[None])[0],
    "attention": lambda t, d: d.attention(d.x[None], d.x[None], d.x[None])[0],
    "encoder layer": lambda t, d: d.encoder(d.x[None]),
    "scaled dot products": lambda t, d: t.nn.functional.scaled_dot_product_attention(
        d.x[None, None], d.x[None, None], d.x[None, None]
    ),
    "convolution": lambda t, d: d.convolution(d.image),
    "max pool": lambda t, d: t.nn.functional.max_pool2d(d.image, 2),
    "adaptive pool": lambda t, d: t.nn.functional.adaptive_avg_pool2d(d.image, 1),
    "dropout": lambda t, d: t.nn.functional.dropout(d.wanting, 0.5),
    "softmax": lambda t, d: d.wanting.softmax(-1),
    "gelu": lambda t, d: t.nn.functional.gelu(d.wanting),
    "silu": lambda t, d: t.nn.functional.silu(d.wanting),
    "prelu": lambda t, d: t.nn.functional.prelu(d.wanting, t.ones(1)),
    "unfold": lambda t, d: t.nn.functional.unfold(d.image, 3),
    "grid_sample": lambda t, d: t.nn.functional.grid_sample(
        d.image, t.zeros(1, 2, 2, 2), align_corners=False
    ),
    "affine_grid": lambda t, d: t.nn.functional.affine_grid(
        t.eye(2, 3)[None], (1, 3, 4, 4), align_corners=False
    ),
    "pixel_shuffle": lambda t, d: t.nn.functional.pixel_shuffle(t.ones(1, 4, 2, 2), 2),
    "interpolate nearest": lambda t, d: interpolated(t, d, "nearest"),
    "interpolate bilinear": lambda t, d: interpolated(t, d, "bilinear"),
    "interpolate bicubic": lambda t, d: interpolated(t, d, "bicubic"),
    "interpolate area": lambda t, d: interpolated(t, d, "area"),
    "interpolate antialias": lambda t, d: interpolated(t, d, "bilinear", antialias=True),
    "pad_sequence": lambda t, d: t.nn.utils.rnn.pad_sequence([d.x[:3], d.x[:5]]),
    "pack_padded_sequence": lambda t, d: t.nn.utils.rnn.pack_padded_sequence(
        d.x[None], [16], batch_first=True
    ),
}

TRAINING: dict[str, Idiom] = {
    "training step": training_step,
    "policy gradient": policy_gradient,
    "autograd function": lambda t, d: gradient(t, d.square_function.apply(d.wanting), d.wanting),
    "second derivative": twice,
    "checkpoint": checkpointed,
    "sgd step": lambda t, d: d.sgd.step(),
    "first step, new sizes": first_step,
    "schedule": lambda t, d: d.schedule.step(),
    "zero_grad": lambda t, d: d.adam.zero_grad(),
    "clip_grad_norm_": lambda t, d: t.nn.utils.clip_grad_norm_(d.trained.parameters(), 1.0),
    "data loader": lambda t, d: list(d.loader),
    "deepcopy": lambda t, d: copy.deepcopy(d.mlp),
    "state_dict": lambda t, d: d.mlp.state_dict(),
    "load_state_dict": lambda t, d: d.mlp.load_state_dict(d.state),
    "save, load": saved_and_loaded,
    "parameters": lambda t, d: sum(p.numel() for p in d.mlp.parameters()),
    "named_parameters": lambda t, d: dict(d.mlp.named_parameters()),
    "xavier_uniform_": lambda t, d: t.nn.init.xavier_uniform_(d.linear.weight),
    "new linear": lambda t, d: t.nn.Linear(8, 8),
    "weight_norm": lambda t, d: t.nn.utils.parametrizations.weight_norm(t.nn.Linear(3, 3)),
}

READING: dict[str, Idiom] = {
    "repr": lambda t, d: repr(d.x),
    "repr of an element": lambda t, d: repr(d.x[0, 0]),
    "item": lambda t, d: d.x[0, 0].item(),
    "tolist": lambda t, d: d.x.tolist(),
    "numpy": lambda t, d: d.x.numpy(),
    "tensor of floats": lambda t, d: t.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "tensor of integers": lambda t, d: t.tensor([1, 2, 3]),
    "to(dtype)": lambda t, d: d.x.to(t.float64),
    "to(cpu)": lambda t, d: d.x.to("cpu"),
    "len": lambda t, d: len(d.x),
    "bool of a comparison": lambda t, d: bool(d.x.sum() > 0),
    "equal": lambda t, d: t.equal(d.x, d.x),
    "allclose": lambda t, d: t.allclose(d.x, d.x),
    "isnan().any()": lambda t, d: t.isnan(d.x).any(),
    "accuracy": lambda t, d: (d.x.argmax(1) == d.labels).float().mean().item(),
}

NUMBERS: dict[str, Idiom] = {
    "randn": lambda t, d: t.randn(16, 8),
    "randperm": lambda t, d: t.randperm(16),
    "randint": lambda t, d: t.randint(0, 5, (3,)),
    "randint, new bound": lambda t, d: t.randint(0, next(d.sizes), (3,)),
    "multinomial": lambda t, d: t.multinomial(d.mask + 0.5, 1),
    "multinomial, several": lambda t, d: t.multinomial(d.mask + 0.5, 3),
    "categorical": lambda t, d: t.distributions.Categorical(logits=d.x).sample(),
    "normal, log_prob": lambda t, d: t.distributions.Normal(d.x, 1.0).log_prob(d.x),
    "normal, rsample": lambda t, d: t.distributions.Normal(d.wanting, 1.0).rsample(),
    "arange": lambda t, d: t.arange(10),
    "arange, new bound": lambda t, d: t.arange(0.0, next(d.sizes) / 8, 0.5),
    "linspace": lambda t, d: t.linspace(0, 1, 5),
    "linspace, new bound": lambda t, d: t.linspace(0, next(d.sizes) / 8, 5),
    "linspace of tensors": lambda t, d: t.linspace(d.low, d.high, 5),
    "logspace": lambda t, d: t.logspace(0, 1, 5),
    "logspace of tensors": lambda t, d: t.logspace(d.low, d.high, 5),
    "meshgrid": lambda t, d: t.meshgrid(t.arange(3), t.arange(3), indexing="ij"),
}

COUNTING: dict[str, Idiom] = {
    "topk": lambda t, d: d.x.topk(3),
    "sort": lambda t, d: d.x.sort(1),
    "bincount": lambda t, d: t.bincount(d.labels),
    "bincount, weights": lambda t, d: t.bincount(d.labels, d.x[:, 0]),
    "histc": lambda t, d: t.histc(d.x, 5),
    "histc, range": lambda t, d: t.histc(d.x, 5, -1, 1),
    "histogram": lambda t, d: t.histogram(d.x, 5),
    "histogram, edges": lambda t, d: t.histogram(d.x, d.edges),
    "unique": lambda t, d: t.unique(d.labels),
    "unique(dim)": lambda t, d: t.unique(d.labels.view(8, 2), dim=0),
    "isin": lambda t, d: t.isin(d.labels, d.index),
    "searchsorted": lambda t, d: t.searchsorted(d.edges, d.x),
    "searchsorted, sorter": lambda t, d: t.searchsorted(d.x, d.x, sorter=d.order),
    "bucketize": lambda t, d: t.bucketize(d.x, d.edges),
    "cumsum": lambda t, d: d.wanting.cumsum(0),
    "logcumsumexp": lambda t, d: d.x.logcumsumexp(1),
    "logsumexp": lambda t, d: d.wanting.logsumexp(1),
    "prod": lambda t, d: d.wanting.prod(1),
    "amax": lambda t, d: d.wanting.amax(1),
    "max(1)": lambda t, d: d.wanting.max(1),
    "aminmax": lambda t, d: t.aminmax(d.x),
    "std": lambda t, d: d.x.std(0),
    "var_mean": lambda t, d: t.var_mean(d.x, 1),
    "median": lambda t, d: d.x.median(),
    "quantile": lambda t, d: t.quantile(d.x, 0.5),
}

ALGEBRA: dict[str, Idiom] = {
    "einsum": lambda t, d: t.einsum("ij,kj->ik", d.x, d.x),
    "tensordot": lambda t, d: t.tensordot(d.x, d.x, ([1], [1])),
    "bmm": lambda t, d: t.bmm(d.x[None], d.x.t()[None]),
    "outer": lambda t, d: t.outer(d.x[0], d.x[1]),
    "kron": lambda t, d: t.kron(d.x[:2], d.x[:2]),
    "norm": lambda t, d: d.x.norm(dim=1, keepdim=True),
    "normalize": lambda t, d: t.nn.functional.normalize(d.wanting, dim=1),
    "cosine_similarity": lambda t, d: t.nn.functional.cosine_similarity(d.x, d.wanting),
    "cdist": lambda t, d: t.cdist(d.x, d.x),
    "pdist": lambda t, d: t.nn.functional.pdist(d.x),
    "cov": lambda t, d: t.cov(d.x),
    "corrcoef": lambda t, d: t.corrcoef(d.x),
    "renorm": lambda t, d: d.x.renorm(2, 0, 1.0),
    "svd": lambda t, d: t.linalg.svd(d.square),
    "inv": lambda t, d: t.linalg.inv(d.square),
    "solve": lambda t, d: t.linalg.solve(d.square, d.x[:4, :1]),
    "cholesky": lambda t, d: t.linalg.cholesky(d.square),
    "eigh": lambda t, d: t.linalg.eigh(d.square),
    "det": lambda t, d: t.det(d.square),
    "trace": lambda t, d: t.trace(d.x),
    "operator by name": lambda t, d: t.ops.aten.add.Tensor(d.x, d.x),
    "rfft": lambda t, d: t.fft.rfft(d.x),
    "stft": lambda t, d: t.stft(d.signal, 16, return_complex=True, window=t.hann_window(16)),
}

LOSSES: dict[str, Idiom] = {
    "cross_entropy": lambda t, d: t.nn.functional.cross_entropy(d.wanting, d.labels),
    "binary cross entropy": lambda t, d: t.nn.functional.binary_cross_entropy_with_logits(
        d.wanting, (d.x > 0).float()
    ),
    "mse_loss": lambda t, d: t.nn.functional.mse_loss(d.wanting, d.x),
    "smooth_l1_loss": lambda t, d: t.nn.functional.smooth_l1_loss(d.wanting, d.x),
    "kl_div": lambda t, d: t.nn.functional.kl_div(
        d.wanting.log_softmax(1), d.x.softmax(1), reduction="batchmean"
    ),
    "nll_loss": lambda t, d: t.nn.functional.nll_loss(d.wanting.log_softmax(1), d.labels),
    "triplet_margin_loss": lambda t, d: t.nn.functional.triplet_margin_loss(d.wanting, d.x, d.x),
    "ctc_loss": aligned,
}

SHAPES: dict[str, Idiom] = {
    "expand": lambda t, d: d.wanting[:, None].expand(16, 4, 8),
    "permute, contiguous": lambda t, d: d.image.permute(0, 2, 3, 1).contiguous(),
    "view": lambda t, d: d.image.view(1, -1),
    "flatten": lambda t, d: d.image.flatten(1),
    "repeat": lambda t, d: d.x.repeat(2, 2),
    "roll": lambda t, d: t.roll(d.x, 1, 0),
    "flip": lambda t, d: d.x.flip(0),
    "pad": lambda t, d: t.nn.functional.pad(d.x, (1, 1)),
    "clamp": lambda t, d: d.wanting.clamp(0, 1),
    "causal mask": lambda t, d: t.triu(t.full((8, 8), float("-inf")), 1),
    "block_diag": lambda t, d: t.block_diag(d.x, d.x),
    "cartesian_prod": lambda t, d: t.cartesian_prod(d.index, d.index),
    "combinations": lambda t, d: t.combinations(d.index),
    "diag": lambda t, d: t.diag(d.x[0]),
    "diagonal": lambda t, d: d.x.diagonal(),
    "polar": lambda t, d: t.polar(d.x.abs(), d.x),
    "view_as_complex": lambda t, d: t.view_as_complex(d.x.view(16, 4, 2)),
}
