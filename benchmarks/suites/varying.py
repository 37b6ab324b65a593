"""Programs in which nearly every step has new sizes: text, graphs, boxes, ragged batches.

The sizes come from a generator of Python's that starts alike on both sides, and both sides make as
many steps, so the k-th step is the same work for both. Data are cut out of tensors made before.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from suites.autograd import values
from suites.models import training

Make = Callable[[Any], Callable[[], Any]]

# How many steps a side makes before it is the other's turn.
STEPS = 8


def workloads() -> dict[str, Make]:
    return {
        "pointwise and reductions": pointwise,
        "statistics of columns": statistics_of_columns,
        "generation with a growing cache": generation,
        "beam search": beam_search,
        "encoder, padded batches": encoder,
        "packed lstm": packed_lstm,
        "curriculum of lengths, gru": curriculum,
        "graph convolution": graph_convolution,
        "policy gradient": policy_gradient,
        "images of changing size": images,
        "boxes thinned by overlap": boxes,
        "growing cat": growing_cat,
        "ragged batches": ragged,
        "nearest neighbours": neighbours,
        "voxels of point clouds": voxels,
        "batches of changing size, mlp": changing_batches,
        "signals of changing length": signals,
        "numbers of ever new value": numbers,
        "gradients of samples": samples,
        "gradients of samples, transformer": sentences,
        "jvp of a network, curvature": curvature,
        "vmap of ever new batches": batches,
    }


def pointwise(t: Any) -> Callable[[], Any]:
    sizes, pool = Random(1), values(t, 100_000)

    def step() -> Any:
        x = pool[: sizes.randrange(16, 4096)]
        return (x * 2 + 1).softmax(0).sum()

    return step


def statistics_of_columns(t: Any) -> Callable[[], Any]:
    sizes, pool = Random(2), values(t, 100_000)

    def step() -> Any:
        rows, columns = sizes.randrange(8, 200), sizes.randrange(4, 100)
        x = pool[: rows * columns].view(rows, columns)
        centred = x - x.mean(0, keepdim=True)
        scaled = centred / (centred.square().mean(0, keepdim=True).sqrt() + 1e-5)
        return scaled.amax(1), scaled.clamp(-1, 1).sum(1), scaled.t().abs().mean(0)

    return step


def generation(t: Any) -> Callable[[], Any]:
    """One token a step; each text has a batch and a prompt of its own."""
    sizes, F = Random(3), t.nn.functional
    t.manual_seed(0)
    width, heads, words, layers = 128, 4, 96, 2
    embedding, head = t.nn.Embedding(words, width), t.nn.Linear(width, words)
    norms = [t.nn.LayerNorm(width) for _ in range(layers)]
    projections = [t.nn.Linear(width, 3 * width) for _ in range(layers)]
    feed = [t.nn.Linear(width, width) for _ in range(layers)]
    prompts = t.arange(8 * 512).reshape(8, 512) * 31 % words
    state: dict[str, Any] = {"left": 0}

    def begin() -> None:
        batch, length = sizes.randrange(1, 9), sizes.randrange(8, 256)
        state["left"], state["words"] = sizes.randrange(30, 90), prompts[:batch, :length]
        state["keys"], state["values"] = [None] * layers, [None] * layers

    def step() -> Any:
        if not state["left"]:
            begin()
        state["left"] -= 1
        with t.no_grad():
            x = embedding(state["words"])
            batch, length = state["words"].shape
            for i in range(layers):
                parts = projections[i](norms[i](x)).chunk(3, -1)
                q, k, v = (p.view(batch, length, heads, -1).transpose(1, 2) for p in parts)
                if state["keys"][i] is not None:
                    k = t.cat([state["keys"][i], k], 2)
                    v = t.cat([state["values"][i], v], 2)
                state["keys"][i], state["values"][i] = k, v
                y = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
                x = x + F.gelu(feed[i](y.transpose(1, 2).reshape(batch, length, width)))
            state["words"] = head(x[:, -1]).argmax(-1, keepdim=True)
        return state["words"]

    return step


def beam_search(t: Any) -> Callable[[], Any]:
    """One place of a text a step: the best continuations of a number of beams that changes."""
    sizes, F = Random(4), t.nn.functional
    t.manual_seed(0)
    words, width = 300, 64
    embedding, cell = t.nn.Embedding(words, width), t.nn.GRUCell(width, width)
    head = t.nn.Linear(width, words)
    state: dict[str, Any] = {"left": 0}

    def step() -> Any:
        with t.no_grad():
            if not state["left"]:
                state["left"] = sizes.randrange(20, 60)
                state["texts"] = t.zeros(1, 1, dtype=t.long)
                state["hidden"], state["scores"] = t.zeros(1, width), t.zeros(1)
            state["left"] -= 1
            beams = sizes.randrange(3, 40)
            hidden = cell(embedding(state["texts"][:, -1]), state["hidden"])
            scores = state["scores"][:, None] + F.log_softmax(head(hidden), -1)
            best, place = scores.view(-1).topk(beams)
            beam, word = place // words, place % words
            state["texts"] = t.cat([state["texts"][beam], word[:, None]], 1)
            state["hidden"], state["scores"] = hidden[beam], best
        return best

    return step


def encoder(t: Any) -> Callable[[], Any]:
    sizes = Random(5)
    t.manual_seed(0)
    layer = t.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    model = t.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    head, embedding = t.nn.Linear(64, 5), t.nn.Embedding(100, 64)
    parameters = [*model.parameters(), *head.parameters(), *embedding.parameters()]
    optimizer = t.optim.AdamW(parameters, lr=1e-4)
    text = t.arange(32 * 100).reshape(32, 100) * 31 % 100

    def loss() -> Any:
        batch, longest = sizes.randrange(2, 17), sizes.randrange(5, 80)
        lengths = t.tensor([sizes.randrange(1, longest + 1) for _ in range(batch)])
        padding = t.arange(longest) >= lengths[:, None]
        padding[:, 0] = False
        x = model(embedding(text[:batch, :longest]), src_key_padding_mask=padding)
        kept = (~padding)[..., None]
        means = (x * kept).sum(1) / kept.sum(1)
        return t.nn.functional.cross_entropy(head(means), t.arange(batch) % 5)

    return training(t, model, optimizer, loss)


def packed_lstm(t: Any) -> Callable[[], Any]:
    sizes, rnn = Random(6), t.nn.utils.rnn
    t.manual_seed(0)
    model = t.nn.LSTM(32, 64, batch_first=True)
    pool = values(t, 16, 60, 32)
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)

    def loss() -> Any:
        batch = sizes.randrange(2, 17)
        lengths = sorted((sizes.randrange(3, 60) for _ in range(batch)), reverse=True)
        packed = rnn.pack_padded_sequence(pool[:batch, : lengths[0]], lengths, batch_first=True)
        out, kept = rnn.pad_packed_sequence(model(packed)[0], batch_first=True)
        return out[t.arange(batch), kept - 1].square().mean()

    return training(t, model, optimizer, loss)


def curriculum(t: Any) -> Callable[[], Any]:
    """Texts become longer by one place a step."""
    F = t.nn.functional
    t.manual_seed(0)
    embedding, gru, head = t.nn.Embedding(60, 48), t.nn.GRU(48, 64), t.nn.Linear(64, 60)
    parameters = [p for module in (embedding, gru, head) for p in module.parameters()]
    optimizer = t.optim.Adam(parameters, lr=1e-3)
    text = t.arange(2000 * 8).reshape(2000, 8) * 31 % 60
    length = [4]

    def loss() -> Any:
        length[0] = 4 + (length[0] - 3) % 120
        x, y = text[: length[0]], text[1 : length[0] + 1]
        return F.cross_entropy(head(gru(embedding(x))[0]).flatten(0, 1), y.flatten())

    return training(t, gru, optimizer, loss)


def graph_convolution(t: Any) -> Callable[[], Any]:
    """Messages along edges are added up at the nodes; each graph has a size of its own."""
    sizes, F = Random(8), t.nn.functional
    t.manual_seed(0)
    first, second, last = t.nn.Linear(16, 32), t.nn.Linear(32, 32), t.nn.Linear(32, 4)
    model = t.nn.ModuleList([first, second, last])
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)
    features, ends = values(t, 400, 16), t.arange(2 * 2000).reshape(2, 2000) * 7919

    def loss() -> Any:
        nodes, edges = sizes.randrange(20, 400), sizes.randrange(50, 2000)
        source, target = ends[:, :edges] % nodes
        degree = t.zeros(nodes).scatter_add_(0, target, t.ones(edges)) + 1
        x = features[:nodes]
        for layer in (first, second):
            message = layer(x)[source] / degree[source].sqrt()[:, None]
            summed = t.zeros(nodes, 32).index_add(0, target, message)
            x = F.relu(summed / degree.sqrt()[:, None])
        return F.cross_entropy(last(x.mean(0, keepdim=True)), target[:1] % 4)

    return training(t, model, optimizer, loss)


def policy_gradient(t: Any) -> Callable[[], Any]:
    """A step learns from an episode, and episodes end when they do."""
    sizes, nn = Random(9), t.nn
    t.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 3))
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)
    seen, gained = values(t, 500, 6), values(t, 500)

    def loss() -> Any:
        length = sizes.randrange(5, 300)
        chance = t.distributions.Categorical(logits=model(seen[:length]))
        actions = chance.sample()
        returns = gained[:length].flip(0).cumsum(0).flip(0)
        returns = (returns - returns.mean()) / (returns.std() + 1e-5)
        return -(chance.log_prob(actions) * returns).sum() - 0.01 * chance.entropy().mean()

    return training(t, model, optimizer, loss)


def images(t: Any) -> Callable[[], Any]:
    sizes, nn = Random(10), t.nn
    t.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(128, 10),
    )  # fmt: skip
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    pool = values(t, 4, 3, 96, 96)

    def loss() -> Any:
        batch, high, wide = (sizes.randrange(*pair) for pair in ((1, 5), (24, 96), (24, 96)))
        y = t.arange(batch) % 10
        return nn.functional.cross_entropy(model(pool[:batch, :, :high, :wide]), y)

    return training(t, model, optimizer, loss)


def boxes(t: Any) -> Callable[[], Any]:
    """Boxes chosen by a mask, then those that overlap a better one are left out."""
    sizes = Random(11)
    t.manual_seed(0)
    corners, scores = t.rand(2000, 2) * 100, t.rand(2000)
    found = t.cat([corners, corners + 2 + t.rand(2000, 2) * 20], 1)

    def step() -> Any:
        count, least = sizes.randrange(50, 2000), 0.9 + sizes.random() * 0.08
        chosen = scores[:count] > least
        here, score = found[:count][chosen], scores[:count][chosen]
        order = score.argsort(descending=True)
        here, kept = here[order], []
        area = (here[:, 2] - here[:, 0]) * (here[:, 3] - here[:, 1])
        left = t.arange(len(here))
        while left.numel():
            best, left = left[0], left[1:]
            kept.append(best)
            low = t.maximum(here[best, :2], here[left, :2])
            high = t.minimum(here[best, 2:], here[left, 2:])
            common = (high - low).clamp(min=0).prod(1)
            left = left[common / (area[best] + area[left] - common) < 0.2]
        return here[t.stack(kept)] if kept else here

    return step


def growing_cat(t: Any) -> Callable[[], Any]:
    sizes, rows = Random(12), values(t, 64, 24)
    state: dict[str, Any] = {"seen": rows[:1], "until": 200}

    def step() -> Any:
        if len(state["seen"]) > state["until"]:
            state.update(seen=rows[:1], until=sizes.randrange(200, 800))
        fresh = rows[: sizes.randrange(1, 8)]
        state["seen"] = t.cat([state["seen"], fresh])
        nearest = (state["seen"] @ fresh[-1]).softmax(0)
        return nearest @ state["seen"]

    return step


def ragged(t: Any) -> Callable[[], Any]:
    """Pieces of different lengths: apart, padded, pooled with a mask, and put one after another."""
    sizes, rnn = Random(13), t.nn.utils.rnn
    weight, pool = values(t, 16, 32).requires_grad_(), values(t, 3000, 16)

    def step() -> Any:
        weight.grad = None
        lengths = [sizes.randrange(1, 60) for _ in range(sizes.randrange(2, 20))]
        pieces = pool[: sum(lengths)].split(lengths)
        padded = rnn.pad_sequence(pieces, batch_first=True)
        inside = t.arange(padded.shape[1]) < t.tensor(lengths)[:, None]
        y = (padded @ weight).masked_fill(~inside[..., None], float("-inf")).amax(1)
        joined = t.cat([piece - piece.mean(0) for piece in pieces])
        (y.square().mean() + (joined @ weight).relu().mean()).backward()
        return weight.grad

    return step


def neighbours(t: Any) -> Callable[[], Any]:
    sizes = Random(14)
    t.manual_seed(0)
    known, classes, asked = t.rand(600, 8), t.arange(600) % 7, t.rand(200, 8)

    def step() -> Any:
        points, questions = sizes.randrange(50, 600), sizes.randrange(5, 200)
        distance = t.cdist(asked[:questions], known[:points])
        near, place = distance.topk(sizes.randrange(1, 12), largest=False)
        votes = t.nn.functional.one_hot(classes[:points][place], 7)
        return (votes * (1 / (near + 1e-3))[..., None]).sum(1).argmax(1)

    return step


def voxels(t: Any) -> Callable[[], Any]:
    """Points that share a cell are replaced by their mean."""
    sizes = Random(15)
    t.manual_seed(0)
    points = t.rand(3000, 3)

    def step() -> Any:
        here = points[: sizes.randrange(100, 3000)]
        side = sizes.randrange(3, 12)
        cell = (here * side).long()
        number = (cell[:, 0] * side + cell[:, 1]) * side + cell[:, 2]
        taken, inverse, count = number.unique(return_inverse=True, return_counts=True)
        sums = t.zeros(len(taken), 3).index_add_(0, inverse, here)
        return sums / count[:, None]

    return step


def changing_batches(t: Any) -> Callable[[], Any]:
    sizes, nn = Random(16), t.nn
    t.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 10))
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = values(t, 512, 64), t.arange(512) % 10

    def loss() -> Any:
        rows = sizes.randrange(1, 512)
        return nn.functional.cross_entropy(model(x[:rows]), y[:rows])

    return training(t, model, optimizer, loss)


def signals(t: Any) -> Callable[[], Any]:
    sizes, nn = Random(17), t.nn
    t.manual_seed(0)
    model = nn.Sequential(
        nn.Conv1d(1, 16, 9, 2, 4), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 32, 5, padding=2), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(),
        nn.Linear(32, 4),
    )  # fmt: skip
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)
    pool = values(t, 8, 1, 2000)

    def loss() -> Any:
        batch, length = sizes.randrange(1, 9), sizes.randrange(100, 2000)
        x = pool[:batch, :, :length]
        x = (x - x.mean(2, keepdim=True)) / x.std(2, keepdim=True)
        return nn.functional.cross_entropy(model(x), t.arange(batch) % 4)

    return training(t, model, optimizer, loss)


def numbers(t: Any) -> Callable[[], Any]:
    """Sizes that stay, and numbers that do not: rates, bounds, moduli, factors."""
    given = Random(17)
    x, y, places = values(t, 40, 30), values(t, 40, 30), t.arange(500)

    def step() -> Any:
        rate, bound, modulus = given.random(), given.random() * 3, given.randrange(2, 10_000)
        z = x.add(y, alpha=-rate).clamp(-bound, bound).lerp(y, rate)
        z = t.nn.functional.leaky_relu(z, rate).masked_fill(z > bound, bound) * rate
        z[0, 0] = bound
        return z.sum() + t.full((3,), rate).sum() + (places % modulus).sum() + t.tensor(rate)

    return step


def samples(t: Any) -> Callable[[], Any]:
    """A gradient for each sample of batches of changing size."""
    sizes, pool = Random(18), values(t, 300, 20)
    weights = values(t, 20, 32), values(t, 32, 5)

    def loss(first: Any, second: Any, x: Any) -> Any:
        return (t.tanh(x @ first) @ second).logsumexp(0)

    each = t.func.vmap(t.func.grad(loss, argnums=(0, 1)), in_dims=(None, None, 0))
    return lambda: each(*weights, pool[: sizes.randrange(1, 300)])


def sentences(t: Any) -> Callable[[], Any]:
    """A gradient for each sentence of a batch: attention over changing lengths."""
    sizes, nn = Random(19), t.nn
    t.manual_seed(0)
    model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    weights, pool = dict(model.named_parameters()), values(t, 16, 40, 16)

    def loss(own: Any, x: Any) -> Any:
        return t.func.functional_call(model, own, (x[None],)).square().mean()

    each = t.func.vmap(t.func.grad(loss), in_dims=(None, 0))
    return lambda: each(weights, pool[: sizes.randrange(1, 16), : sizes.randrange(2, 40)])


def curvature(t: Any) -> Callable[[], Any]:
    sizes, pool, weight = Random(20), values(t, 300, 20), values(t, 20, 20)

    def loss(w: Any, x: Any) -> Any:
        return t.tanh(x @ w).square().mean()

    def step() -> Any:
        x = pool[: sizes.randrange(1, 300)]
        slope = t.func.grad(loss)
        return t.func.jvp(lambda w: slope(w, x), (weight,), (weight.cos(),))

    return step


def batches(t: Any) -> Callable[[], Any]:
    sizes, pool = Random(21), values(t, 300, 50)
    each = t.func.vmap(lambda x, y: (x * y).softmax(0).cumsum(0) + y.amax(0))

    def step() -> Any:
        rows, columns = sizes.randrange(1, 300), sizes.randrange(1, 50)
        x = pool[:rows, :columns]
        return each(x, x + 1)

    return step
