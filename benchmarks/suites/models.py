"""Whole models: one training step each, and inference where it matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from suites.autograd import values

Make = Callable[[Any], Callable[[], Any]]


class Setting(NamedTuple):
    """Where models are, and how large: tests take small ones.

    Args:
        device: the type of the device
        share: what widths, lengths and sides of images are divided by
        wrapped: what is made of a model before it is trained
        autocast: the type that products are made in, by its name; None for the model's own
    """

    device: str = "cpu"
    share: int = 1
    wrapped: Callable[[Any], Any] = lambda model: model
    autocast: str | None = None

    def of(self, size: int, least: int = 1) -> int:
        """A size here, from the one on the CPU."""
        return max(size // self.share, least)

    def data(self, t: Any, *size: int) -> Any:
        return values(t, *size).to(self.device)

    def ready(self, model: Any) -> Any:
        """A model on the device, wrapped."""
        return self.wrapped(model.to(self.device))

    def loss(self, t: Any, found: Callable[[], Any]) -> Callable[[], Any]:
        """How a loss is found: with products in another type, if one is asked for."""
        if self.autocast is None:
            return found

        def run() -> Any:
            with t.autocast(self.device, dtype=getattr(t, self.autocast)):
                return found()

        return run


ON_CPU = Setting()


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


def mlp(t: Any, setting: Setting = ON_CPU) -> Callable[[], None]:
    nn = t.nn
    t.manual_seed(0)
    given, inside, batch = setting.of(784), setting.of(256), setting.of(64)
    model = setting.ready(nn.Sequential(nn.Linear(given, inside), nn.ReLU(), nn.Linear(inside, 10)))
    x, y = setting.data(t, batch, given), (t.arange(batch) % 10).to(setting.device)
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    loss = setting.loss(t, lambda: nn.functional.cross_entropy(model(x), y))
    return training(t, model, optimizer, loss)


def gpt(t: Any, setting: Setting = ON_CPU) -> Callable[[], None]:
    nn, F = t.nn, t.nn.functional
    t.manual_seed(0)
    width, length, batch = setting.of(128, 8), setting.of(128), setting.of(8, 2)
    heads, words = 4, 96

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
            x = self.words(index) + self.places(t.arange(length, device=index.device))
            return self.head(self.norm(self.blocks(x)))

    model = setting.ready(Model())
    text = (t.arange(batch * (length + 1)).reshape(batch, -1) * 31 % words).to(setting.device)
    x, y = text[:, :-1].contiguous(), text[:, 1:].contiguous()
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-4)
    loss = setting.loss(t, lambda: F.cross_entropy(model(x).view(-1, words), y.view(-1)))
    return training(t, model, optimizer, loss)


def lstm(t: Any) -> Callable[[], None]:
    nn = t.nn
    t.manual_seed(0)
    model = nn.LSTM(128, 128, 2, batch_first=True)
    x = values(t, 16, 64, 128)
    optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
    return training(t, model, optimizer, lambda: model(x)[0].square().mean())


def resnet18(t: Any, width: int = 64) -> Any:
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

    layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    inside = width
    for outside, stride in ((width, 1), (2 * width, 2), (4 * width, 2), (8 * width, 2)):
        layers += [Block(inside, outside, stride), Block(outside, outside, 1)]
        inside = outside
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 10))


def resnet(trains: bool, setting: Setting = ON_CPU) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        t.manual_seed(0)
        model = setting.ready(resnet18(t, setting.of(64, 2)))
        side = setting.of(64, 4)
        x, y = setting.data(t, 4, 3, side, side), t.arange(4).to(setting.device)
        if trains:
            optimizer = t.optim.SGD(model.parameters(), lr=1e-3)
            loss = setting.loss(t, lambda: t.nn.functional.cross_entropy(model(x), y))
            return training(t, model, optimizer, loss)
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


def unet(t: Any, setting: Setting = ON_CPU) -> Callable[[], None]:
    nn, F = t.nn, t.nn.functional
    t.manual_seed(0)
    width, side = setting.of(16, 2), setting.of(64, 4)

    def double(inside: int, outside: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(),
            nn.Conv2d(outside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(),
        )  # fmt: skip

    class UNet(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            first, second, third = width, 2 * width, 4 * width
            self.down1, self.down2 = double(1, first), double(first, second)
            self.bottom = double(second, third)
            self.rise2, self.rise1 = (nn.ConvTranspose2d(2 * n, n, 2, 2) for n in (second, first))
            self.up2, self.up1 = double(third, second), double(second, first)
            self.last = nn.Conv2d(first, 2, 1)

        def forward(self, x: Any) -> Any:
            high = self.down1(x)
            low = self.down2(F.max_pool2d(high, 2))
            x = self.bottom(F.max_pool2d(low, 2))
            x = self.up2(t.cat([low, self.rise2(x)], 1))
            return self.last(self.up1(t.cat([high, self.rise1(x)], 1)))

    model = setting.ready(UNet())
    x = setting.data(t, 2, 1, side, side)
    y = (t.arange(2 * side * side) % 2).reshape(2, side, side).to(setting.device)
    optimizer = t.optim.Adam(model.parameters(), lr=1e-3)
    loss = setting.loss(t, lambda: F.cross_entropy(model(x), y))
    return training(t, model, optimizer, loss)


def adam(t: Any) -> Callable[[], None]:
    sizes = [(1000, 1000)] * 4 + [(1000,)] * 20 + [(980, 1000)]
    parameters = [values(t, *size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = values(t, *p.shape)
    return t.optim.Adam(parameters, lr=1e-3).step  # type: ignore[no-any-return]
