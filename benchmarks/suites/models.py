"""Whole models: one training step each, and inference where it matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suites.autograd import values

Make = Callable[[Any], Callable[[], Any]]


def workloads() -> dict[str, Make]:
    return {
        "mlp 784-256-10": mlp,
        "gpt 4x128": gpt,
        "lstm 2x128": lstm,
        "resnet18 training": resnet(True),
        "resnet18 inference": resnet(False),
        "transformer encoder layer": encoder,
        "unet": unet,
        "adam 5M": adam,
    }


def training(t: Any, model: Any, optimizer: Any, loss: Callable[[], Any]) -> Callable[[], None]:
    model.train()

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def mlp(t: Any) -> Callable[[], None]:
    nn = t.nn
    t.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    x, y = values(t, 64, 784), t.arange(64) % 10
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    return training(t, model, optimizer, lambda: nn.functional.cross_entropy(model(x), y))


def as_it_is(model: Any) -> Any:
    return model


def gpt(t: Any, wrapped: Callable[[Any], Any] = as_it_is) -> Callable[[], None]:
    nn, F = t.nn, t.nn.functional
    t.manual_seed(0)
    width, heads, length, batch, words = 128, 4, 128, 8, 96

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            parts = self.attention(self.before(x)).split(width, 2)
            q, k, v = (p.view(batch, length, heads, -1).transpose(1, 2) for p in parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
            return x + self.narrow(F.gelu(self.wide(self.between(x))))

    class Model(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(4)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, index: Any) -> Any:
            x = self.words(index) + self.places(t.arange(length))
            return self.head(self.norm(self.blocks(x)))

    model = wrapped(Model())
    text = t.arange(batch * (length + 1)).reshape(batch, -1) * 31 % words
    x, y = text[:, :-1].contiguous(), text[:, 1:].contiguous()
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-4)
    return training(
        t, model, optimizer, lambda: F.cross_entropy(model(x).view(-1, words), y.view(-1))
    )


def lstm(t: Any) -> Callable[[], None]:
    nn = t.nn
    t.manual_seed(0)
    model = nn.LSTM(128, 128, 2, batch_first=True)
    x = values(t, 16, 64, 128)
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    return training(t, model, optimizer, lambda: model(x)[0].square().mean())


def resnet18(t: Any) -> Any:
    nn, F = t.nn, t.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, inside: int, outside: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn1, self.bn2 = nn.BatchNorm2d(outside), nn.BatchNorm2d(outside)
            self.shortcut = None
            if stride != 1 or inside != outside:
                conv = nn.Conv2d(inside, outside, 1, stride, bias=False)
                self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(outside))

        def forward(self, x: Any) -> Any:
            beside = x if self.shortcut is None else self.shortcut(x)
            x = F.relu(self.bn1(self.conv1(x)))
            return F.relu(self.bn2(self.conv2(x)) + beside)

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    inside = 64
    for outside, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inside, outside, stride), Block(outside, outside, 1)]
        inside = outside
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def resnet(trains: bool, wrapped: Callable[[Any], Any] = as_it_is) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        t.manual_seed(0)
        model = wrapped(resnet18(t))
        x, y = values(t, 4, 3, 64, 64), t.arange(4)
        if trains:
            optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
            cross_entropy = t.nn.functional.cross_entropy
            return training(t, model, optimizer, lambda: cross_entropy(model(x), y))
        model.eval()

        def infer() -> Any:
            with t.no_grad():
                return model(x)

        return infer

    return make


def encoder(t: Any) -> Callable[[], None]:
    t.manual_seed(0)
    model = t.nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, batch_first=True)
    x = values(t, 8, 128, 256)
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    return training(t, model, optimizer, lambda: model(x).square().mean())


def unet(t: Any) -> Callable[[], None]:
    nn, F = t.nn, t.nn.functional
    t.manual_seed(0)

    def double(inside: int, outside: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(),
            nn.Conv2d(outside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(),
        )  # fmt: skip

    class UNet(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.down1, self.down2, self.bottom = double(1, 16), double(16, 32), double(32, 64)
            self.rise2, self.rise1 = (nn.ConvTranspose2d(2 * n, n, 2, 2) for n in (32, 16))
            self.up2, self.up1 = double(64, 32), double(32, 16)
            self.last = nn.Conv2d(16, 2, 1)

        def forward(self, x: Any) -> Any:
            high = self.down1(x)
            low = self.down2(F.max_pool2d(high, 2))
            x = self.bottom(F.max_pool2d(low, 2))
            x = self.up2(t.cat([low, self.rise2(x)], 1))
            return self.last(self.up1(t.cat([high, self.rise1(x)], 1)))

    model = UNet()
    x = values(t, 2, 1, 64, 64)
    y = (t.arange(2 * 64 * 64) % 2).reshape(2, 64, 64)
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)
    return training(t, model, optimizer, lambda: F.cross_entropy(model(x), y))


def adam(t: Any) -> Callable[[], None]:
    sizes = [(1000, 1000)] * 4 + [(1000,)] * 20 + [(980, 1000)]
    parameters = [values(t, *size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = values(t, *p.shape)
    return t.optim.Adam(parameters, lr=1e-3).step  # type: ignore[no-any-return]
