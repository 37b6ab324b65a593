"""Compiled programs: ours by `compile`, PyTorch's as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suites import models
from suites.autograd import values

Make = Callable[[Any], Callable[[], Any]]
Program = Callable[..., Any]
Compile = Callable[[Any, Program], Program]


def compiled(t: Any, program: Program) -> Program:
    """The program, compiled where it is ours."""
    made: Program = t.compile(program) if t.__name__ == "rushlight" else program
    return made


def workloads(compile: Compile = compiled) -> dict[str, Make]:
    """The workloads, whose programs ``compile`` is given together with their library."""
    found: dict[str, Make] = {}
    for title, (program, shapes) in PROGRAMS.items():
        found[title] = inference(compile, program, shapes)
    for title in STEPS_OF:
        found[f"{title} step"] = step(compile, *PROGRAMS[title])
    found["cross entropy step of an mlp"] = network(compile, mlp, (64, 784))
    found["gpt block step"] = network(compile, block, (4, 128, 128))
    found["encoder inference"] = network(compile, encoder, (4, 64, 128), training=False)
    return found


def inference(compile: Compile, program: Program, shapes: Any) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        args = [values(t, *shape) for shape in shapes]
        run = compile(t, lambda *args: program(t, *args))

        def call() -> Any:
            with t.no_grad():
                return run(*args)

        return call

    return make


def step(compile: Compile, program: Program, shapes: Any) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        args = [values(t, *shape).requires_grad_() for shape in shapes]
        run = compile(t, lambda *args: program(t, *args).sum())

        def call() -> None:
            for x in args:
                x.grad = None
            run(*args).backward()

        return call

    return make


def network(
    compile: Compile, build: Callable[[Any], Any], shape: Any, training: bool = True
) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        t.manual_seed(0)
        model = build(t).train(training)
        x = values(t, *shape)
        run = compile(t, model)
        if not training:

            def infer() -> Any:
                with t.no_grad():
                    return run(x)

            return infer
        optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
        return models.training(t, model, optimizer, lambda: run(x).square().mean())

    return make


def chain(t: Any, x: Any) -> Any:
    for _ in range(5):
        x = (t.sin(x) * 1.1 + 0.1).clamp(-1, 1).tanh()
    return x


def tiny(t: Any, a: Any, b: Any) -> Any:
    for _ in range(10):
        a = a * b
        a = a + b
    return a


def gelu_by_hand(t: Any, x: Any) -> Any:
    return 0.5 * x * (1 + t.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def rms_norm(t: Any, x: Any, weight: Any) -> Any:
    return x * t.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight


def layer_norm_by_hand(t: Any, x: Any, weight: Any, bias: Any) -> Any:
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / t.sqrt(variance + 1e-5) * weight + bias


def softmax_by_hand(t: Any, x: Any) -> Any:
    e = t.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def masked_softmax(t: Any, x: Any, y: Any) -> Any:
    return t.softmax((x * 0.125).masked_fill(y > 0, -1e9), -1)


def residual_norm(t: Any, x: Any, y: Any, weight: Any, bias: Any) -> Any:
    F = t.nn.functional
    return F.gelu(F.layer_norm(x + y, (x.shape[-1],), weight, bias))


def adam(t: Any, p: Any, g: Any, m: Any, v: Any) -> Any:
    m = m * 0.9 + g * 0.1
    v = v.abs() * 0.999 + g * g * 0.001
    return p - 1e-3 * (m / 0.1) / ((v / 0.001).sqrt() + 1e-8), m, v


def rotary(t: Any, q: Any, cos: Any, sin: Any) -> Any:
    half = q.shape[-1] // 2
    return q * cos + t.cat((-q[..., half:], q[..., :half]), -1) * sin


def masked_loss(t: Any, x: Any, y: Any, w: Any) -> Any:
    return ((x - y).abs() * w).sum() / w.abs().sum().clamp(min=1)


def gelu_mlp(t: Any, x: Any, w: Any, b: Any, v: Any) -> Any:
    F = t.nn.functional
    return F.linear(F.gelu(F.linear(x, w, b)), v)


def pendulum(t: Any, angle: Any, speed: Any) -> Any:
    for _ in range(8):
        speed = speed - 0.01 * t.sin(angle) - 0.001 * speed
        angle = angle + 0.01 * speed
    return angle + speed


def lstm_cell(t: Any, x: Any, c: Any) -> Any:
    i, f, g, o = x.chunk(4, -1)
    c = t.sigmoid(f) * c + t.sigmoid(i) * t.tanh(g)
    return t.sigmoid(o) * t.tanh(c)


def augmented(t: Any, image: Any, noise: Any) -> Any:
    image = (image * 1.2 + 0.1).clamp(0, 1)
    grey = image.mean(0, keepdim=True)
    return ((image - grey) * 0.8 + grey + noise * 0.05).clamp(0, 1).pow(1.5)


PROGRAMS: dict[str, tuple[Program, Any]] = {
    "chain of 15, 1M": (chain, [(1 << 20,)]),
    "chain of 15, 1K": (chain, [(1 << 10,)]),
    "20 tiny operators": (tiny, [(4,), (4,)]),
    "gelu by hand": (gelu_by_hand, [(512, 1024)]),
    "rms norm": (rms_norm, [(512, 1024), (1024,)]),
    "layer norm by hand": (layer_norm_by_hand, [(512, 1024), (1024,), (1024,)]),
    "softmax by hand": (softmax_by_hand, [(512, 1024)]),
    "masked softmax": (masked_softmax, [(8, 128, 128), (128, 128)]),
    "residual, norm and gelu": (residual_norm, [(512, 1024), (512, 1024), (1024,), (1024,)]),
    "adam by hand, 1M": (adam, [(1 << 20,)] * 4),
    "rotary embedding": (rotary, [(4, 8, 128, 64), (128, 64), (128, 64)]),
    "masked loss": (masked_loss, [(256, 1024)] * 3),
    "gelu mlp": (gelu_mlp, [(256, 256), (1024, 256), (1024,), (256, 1024)]),
    "pendulum of 8 steps": (pendulum, [(4096,), (4096,)]),
    "lstm cell by hand": (lstm_cell, [(64, 1024), (64, 256)]),
    "image augmentation": (augmented, [(3, 224, 224), (3, 224, 224)]),
}
# Those whose gradients are computed, too.
STEPS_OF = [
    "gelu by hand", "rms norm", "softmax by hand", "masked loss", "gelu mlp", "pendulum of 8 steps",
]  # fmt: skip


def mlp(t: Any) -> Any:
    nn = t.nn
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10), nn.LogSoftmax(-1))


def encoder(t: Any) -> Any:
    return t.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)


def block(t: Any) -> Any:
    nn, F = t.nn, t.nn.functional
    width, heads = 128, 4

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            size = x.shape
            parts = self.attention(self.before(x)).split(width, 2)
            q, k, v = (p.view(*size[:2], heads, -1).transpose(1, 2) for p in parts)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(size))
            return x + self.narrow(F.gelu(self.wide(self.between(x))))

    return Block()
