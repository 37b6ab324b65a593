"""Whole processes from the start to the end of twenty steps: what somebody waits who tries a program.

Once every kernel is new, for the cache on disk is empty; then again with the cache that this left.
BERT and ViT are those of transformers where it is installed, else written out below.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suites import models, varying
from suites.autograd import values
from suites.models import training

Make = Callable[[Any], Callable[[], Any]]

PROGRAM = """
import sys
if {ours}:
    import rushlight
    rushlight.install_as_torch()
import torch
sys.path.insert(0, {folder!r})
from suites import cold
torch.set_num_threads({threads})
step = cold.programs()[{title!r}](torch)
for _ in range(20):
    step()
"""


def programs() -> dict[str, Make]:
    return {
        "mlp": models.mlp,
        "resnet18": models.resnet(True),
        "gpt": models.gpt,
        "lstm": models.lstm,
        "bert": bert,
        "vit": vit,
        "vae": vae,
        "policy gradient": policy_gradient,
        "generation": varying.generation,
        "packed lstm": varying.packed_lstm,
        "graph convolution": varying.graph_convolution,
    }


def measure(threads: int, rounds: int, only: str) -> dict[str, float]:
    """Ratios of wall time, with an empty cache and with a filled one."""
    ratios: dict[str, float] = {}
    for title in programs():
        if only and only not in title:
            continue
        seconds(title, False, threads, "")
        times: list[list[float]] = [[], [], []]
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                times[0].append(seconds(title, True, threads, cache))
                times[1].append(seconds(title, True, threads, cache))
            times[2].append(seconds(title, False, threads, ""))
        cold, warm, theirs = map(statistics.median, times)
        for what, ours in (("empty cache", cold), ("filled cache", warm)):
            ratios[f"{title}, {what}"] = ours / theirs
            print(
                f"{title + ', ' + what:34s} {ours:7.2f} s {theirs:7.2f} s   {ours / theirs:5.2f}",
                flush=True,
            )
    for what in ("empty cache", "filled cache"):
        chosen = [ratio for title, ratio in ratios.items() if title.endswith(what)]
        print(f"{what}: geomean {statistics.geometric_mean(chosen):.2f}, worst {max(chosen):.2f}")
    return ratios


def seconds(title: str, ours: bool, threads: int, cache: str) -> float:
    """The wall-clock time of a fresh interpreter that makes twenty steps."""
    folder = str(Path(__file__).parent.parent)
    code = PROGRAM.format(ours=ours, folder=folder, title=title, threads=threads)
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": cache}
    # installed packages have their bytecode written
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=surroundings)
    return time.perf_counter() - start


SHAPE = {
    "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 512,
}  # fmt: skip


def bert(t: Any) -> Callable[[], None]:
    """Words behind a mask are guessed; texts have different lengths."""
    F, words, batch, length = t.nn.functional, 1000, 8, 64
    t.manual_seed(0)
    text = t.arange(batch * length).reshape(batch, length) * 31 % words
    mask = (t.arange(length) < t.arange(length, length - batch, -1)[:, None]).long()
    if importlib.util.find_spec("transformers"):
        from transformers import BertConfig, BertForMaskedLM

        model = BertForMaskedLM(BertConfig(vocab_size=words, **SHAPE))
        guess = lambda: model(text, attention_mask=mask).logits
    else:
        model = Encoders(t, words, length, words)
        guess = lambda: model(text, mask == 0)
    hidden = text.masked_fill(t.arange(length) % 7 != 0, -100)
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-4)
    return training(
        t, model, optimizer, lambda: F.cross_entropy(guess().view(-1, words), hidden.view(-1))
    )


def vit(t: Any) -> Callable[[], None]:
    F, side, patch, batch = t.nn.functional, 64, 8, 8
    t.manual_seed(0)
    x, y = values(t, batch, 3, side, side), t.arange(batch)
    if importlib.util.find_spec("transformers"):
        from transformers import ViTConfig, ViTForImageClassification

        config = ViTConfig(image_size=side, patch_size=patch, num_labels=10, **SHAPE)
        model = ViTForImageClassification(config)
        guess = lambda: model(x).logits
    else:
        model = Encoders(t, 0, (side // patch) ** 2 + 1, 10)
        model.patches = t.nn.Conv2d(3, SHAPE["hidden_size"], patch, patch)
        guess = lambda: model(model.patches(x).flatten(2).mT)[:, 0]
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-4)
    return training(t, model, optimizer, lambda: F.cross_entropy(guess(), y))


def Encoders(t: Any, words: int, length: int, classes: int) -> Any:
    """Layers of attention over words, or over vectors behind one that is learned."""
    nn = t.nn
    width, heads, wide = (
        SHAPE[name] for name in ("hidden_size", "num_attention_heads", "intermediate_size")
    )

    class Layer(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.wide, self.narrow = nn.Linear(width, wide), nn.Linear(wide, width)
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.dropout = nn.Dropout(0.1)

        def forward(self, x: Any, mask: Any) -> Any:
            q, k, v = (
                layer(x).unflatten(-1, (heads, -1)).transpose(1, 2)
                for layer in (self.query, self.key, self.value)
            )
            y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = self.first(x + self.dropout(self.out(y.transpose(1, 2).flatten(2))))
            return self.second(x + self.dropout(self.narrow(nn.functional.gelu(self.wide(x)))))

    class Model(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            if words:
                self.words, self.types = nn.Embedding(words, width), nn.Embedding(2, width)
            else:
                self.token = nn.Parameter(t.zeros(1, 1, width))
            self.places = nn.Parameter(t.randn(1, length, width) * 0.02)
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)
            self.layers = nn.ModuleList(Layer() for _ in range(SHAPE["num_hidden_layers"]))

        def forward(self, x: Any, padding: Any = None) -> Any:
            if words:
                x = self.words(x) + self.types(t.zeros_like(x))
            else:
                x = t.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
            mask = None
            if padding is not None:
                mask = t.zeros(padding.shape).masked_fill(padding, float("-inf"))[:, None, None]
            x = self.norm(x + self.places)
            for layer in self.layers:
                x = layer(x, mask)
            return self.head(x)

    return Model()


def vae(t: Any) -> Callable[[], None]:
    nn, F = t.nn, t.nn.functional
    t.manual_seed(0)
    inside = nn.Sequential(nn.Linear(784, 400), nn.ReLU(), nn.Linear(400, 40))
    outside = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784), nn.Sigmoid())
    model = nn.ModuleList([inside, outside])
    x = values(t, 128, 784).abs().clamp(max=1)
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)

    def loss() -> Any:
        mean, logvar = inside(x).chunk(2, 1)
        z = mean + t.randn_like(mean) * (logvar / 2).exp()
        distance = (1 + logvar - mean.square() - logvar.exp()).sum() / -2
        return F.binary_cross_entropy(outside(z), x, reduction="sum") + distance

    return training(t, model, optimizer, loss)


def policy_gradient(t: Any) -> Callable[[], None]:
    """A step is an episode: a pole is kept upright for a while, then the policy learns from it."""
    nn = t.nn
    t.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 2))
    optimizer = t.optim.Adam(model.parameters(), lr=1e-2)

    def step() -> None:
        state, chances, rewards = t.rand(4) * 0.1 - 0.05, [], []
        while len(rewards) < 100 and abs(float(state[2])) < 0.4:
            choice = t.distributions.Categorical(logits=model(state))
            action = choice.sample()
            chances.append(choice.log_prob(action))
            push = 10.0 * int(action) - 5.0
            place, speed, angle, turn = state.tolist()
            falling = 10 * angle - push
            state = t.tensor(
                [
                    place + 0.02 * speed,
                    speed + 0.02 * push,
                    angle + 0.02 * turn,
                    turn + 0.02 * falling,
                ]
            )
            rewards.append(1.0)
        gained, returns = 0.0, []
        for reward in reversed(rewards):
            gained = reward + 0.99 * gained
            returns.insert(0, gained)
        aims = t.tensor(returns)
        aims = (aims - aims.mean()) / (aims.std() + 1e-5)
        optimizer.zero_grad()
        (-t.stack(chances) * aims).sum().backward()
        optimizer.step()

    return step
