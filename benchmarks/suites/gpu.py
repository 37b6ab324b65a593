"""The same work on a GPU, timed by events of the device: beside the PyTorch that is installed there.

It needs an NVIDIA GPU with its driver, and a PyTorch that is built with CUDA; without such a PyTorch there are times
and shares of the bandwidth, and no ratios.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from suites import models
from suites.autograd import values
from suites.models import Make, Setting

ON_GPU = Setting("cuda")
# Elements of large operands: several times what the caches of today's GPUs hold.
LARGE = 1 << 26
ROWS = 1 << 14
CALLS, MOST_CALLS = 5, 2000

FIRST_RESULT = "import {0} as torch; a = torch.ones(4, 4, device='cuda'); b = (a + a).cpu()"


class Work(NamedTuple):
    """What is measured.

    Args:
        make: makes a call for one of the libraries
        moved: how many bytes of the device's memory it reads and writes, where these decide its time; 0 elsewhere
    """

    make: Make
    moved: int = 0


class Side(NamedTuple):
    """What a library was measured with: seconds a call, or why there are none."""

    seconds: float | None
    why: str = ""


def workloads(setting: Setting = ON_GPU) -> dict[str, Work]:
    return {
        **copies(setting), **elementwise(setting), **rows(setting), **products(setting),
        **networks(setting), **steps(setting),
    }  # fmt: skip


def on_device(setting: Setting, function: Callable[..., Any], *sizes: tuple[int, ...], kind: str = "float32",
              gradients: bool = False) -> Make:  # fmt: skip
    """A call of a function of the library and of tensors of some sizes; with gradients, and a pass backwards."""

    def make(t: Any) -> Callable[[], Any]:
        inputs = [setting.data(t, *size).to(getattr(t, kind)) for size in sizes]
        if not gradients:
            return lambda: function(t, *inputs)
        for x in inputs:
            x.requires_grad_()
        grad = t.ones_like(function(t, *inputs))
        return lambda: t.autograd.grad(function(t, *inputs), inputs, grad)

    return make


def copies(setting: Setting) -> dict[str, Work]:
    """Within the device, and to and from memory of the host that is pinned."""
    n = setting.of(LARGE)

    def within(t: Any) -> Callable[[], Any]:
        given = setting.data(t, n)
        made = t.empty_like(given)
        return lambda: made.copy_(given)

    def between(to_device: bool) -> Make:
        def make(t: Any) -> Callable[[], Any]:
            host = values(t, n).pin_memory()
            there = host.to(setting.device)
            given, made = (host, there) if to_device else (there, host)
            return lambda: made.copy_(given, non_blocking=True)

        return make

    side = setting.of(8192, 64)
    turned = on_device(setting, lambda t, x: x.t().contiguous(), (side, side))
    cast = on_device(setting, lambda t, x: x.to(t.bfloat16), (n,))
    joined = on_device(setting, lambda t, x, y: t.cat([x, y]), (n // 2,), (n // 2,))
    return {
        "copy": Work(within, 8 * n),
        "copy of a transposed matrix": Work(turned, 8 * side * side),
        "to bfloat16": Work(cast, 6 * n),
        "cat": Work(joined, 8 * (n // 2) * 2),
        "to the device, pinned": Work(between(True)),
        "to the host, pinned": Work(between(False)),
    }


def elementwise(setting: Setting) -> dict[str, Work]:
    n = setting.of(LARGE)
    side = setting.of(8192, 64)

    def work(function: Callable[..., Any], operands: int, kind: str = "float32") -> Work:
        item = 2 if kind == "bfloat16" else 4
        make = on_device(setting, function, *[(n,)] * operands, kind=kind)
        return Work(make, (operands + 1) * item * n)

    rows = on_device(setting, lambda t, x, y: x + y, (side, side), (side,))
    tiny = {
        "a + b 4x4": on_device(setting, lambda t, x, y: x + y, (4, 4), (4, 4)),
        "a.relu() 4x4": on_device(setting, lambda t, x: x.relu(), (4, 4)),
        "a.sum() 4x4": on_device(setting, lambda t, x: x.sum(), (4, 4)),
        "a @ b 4x4": on_device(setting, lambda t, x, y: x @ y, (4, 4), (4, 4)),
        "a * b 4x4, backward": on_device(setting, lambda t, x, y: x * y, (4, 4), (4, 4), gradients=True),
    }  # fmt: skip
    return {
        "add": work(lambda t, x, y: x + y, 2),
        "add bfloat16": work(lambda t, x, y: x + y, 2, "bfloat16"),
        "mul scalar": work(lambda t, x: x * 1.5, 1),
        "exp": work(lambda t, x: x.exp(), 1),
        "gelu": work(lambda t, x: t.nn.functional.gelu(x), 1),
        "gelu bfloat16": work(lambda t, x: t.nn.functional.gelu(x), 1, "bfloat16"),
        "addcmul": work(lambda t, x, y, z: t.addcmul(x, y, z, value=0.5), 3),
        "add rows": Work(rows, 8 * side * side),
        **{f"tiny: {title}": Work(make) for title, make in tiny.items()},
    }


def rows(setting: Setting) -> dict[str, Work]:
    """Reductions, softmax, norms, losses."""
    many, wide = setting.of(ROWS, 32), setting.of(4096, 32)
    found: dict[str, Work] = {}

    def both(
        title: str, function: Callable[..., Any], *sizes: tuple[int, ...], kind: str = "float32"
    ) -> None:
        found[title] = Work(on_device(setting, function, *sizes, kind=kind))
        found[f"{title}, backward"] = Work(
            on_device(setting, function, *sizes, kind=kind, gradients=True)
        )

    size = (many, wide)
    for title, call in {
        "sum": lambda t, x: x.sum(), "sum of rows": lambda t, x: x.sum(1), "sum of columns": lambda t, x: x.sum(0),
        "argmax of rows": lambda t, x: x.argmax(1), "var of rows": lambda t, x: x.var(1),
        "cumsum of rows": lambda t, x: x.cumsum(1),
    }.items():  # fmt: skip
        found[title] = Work(on_device(setting, call, size))
    both("softmax", lambda t, x: t.softmax(x, -1), size)
    both("softmax bfloat16", lambda t, x: t.softmax(x, -1), size, kind="bfloat16")
    both(
        "layer_norm",
        lambda t, x, w, b: t.nn.functional.layer_norm(x, (wide,), w, b),
        size,
        (wide,),
        (wide,),
    )

    def loss(t: Any, x: Any) -> Any:
        return t.nn.functional.cross_entropy(x, x.detach().argmax(1))

    both("cross_entropy", loss, size)
    return found


def products(setting: Setting) -> dict[str, Work]:
    found: dict[str, Work] = {}

    def linear(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.linear(x, w, b)

    for kind in ("float32", "bfloat16"):
        for n in (512, 2048, 8192):
            n = setting.of(n, 16)
            square = on_device(setting, lambda t, x, y: x @ y, (n, n), (n, n), kind=kind)
            found[f"product {n} {kind}"] = Work(square)
        m, k, n = setting.of(4096, 16), setting.of(1024, 16), setting.of(4096, 16)
        layer = on_device(setting, linear, (m, k), (n, k), (n,), kind=kind)
        found[f"linear {kind}"] = Work(layer)
        b, n = setting.of(256, 2), setting.of(256, 16)
        batch = on_device(setting, lambda t, x, y: t.bmm(x, y), (b, n, n), (b, n, n), kind=kind)
        found[f"bmm {kind}"] = Work(batch)
    return found


def networks(setting: Setting) -> dict[str, Work]:
    """Convolutions and attention, forwards and backwards."""
    found: dict[str, Work] = {}

    def both(title: str, function: Callable[..., Any], *sizes: tuple[int, ...]) -> None:
        for kind in ("float32", "bfloat16"):
            found[f"{title} {kind}"] = Work(on_device(setting, function, *sizes, kind=kind))
            backward = on_device(setting, function, *sizes, kind=kind, gradients=True)
            found[f"{title} {kind}, backward"] = Work(backward)

    images, channels, side = setting.of(64, 2), setting.of(64, 2), setting.of(56, 4)

    def convolution(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.conv2d(x, w, b, padding=1)

    both(
        "conv2d 3x3", convolution, (images, channels, side, side), (channels, channels, 3, 3), (channels,)
    )  # fmt: skip
    size = setting.of(16, 1), setting.of(16, 2), setting.of(1024, 16), setting.of(64, 8)

    def attend(t: Any, q: Any, k: Any, v: Any) -> Any:
        return t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    both("attention, causal", attend, size, size, size)
    return found


def steps(setting: Setting) -> dict[str, Work]:
    """A step of training of each model, as it is and compiled."""
    makers: dict[str, tuple[Callable[..., Any], str | None]] = {
        "mlp": (models.mlp, None), "gpt": (models.gpt, None), "gpt bfloat16": (models.gpt, "bfloat16"),
        "resnet18": (lambda t, there: models.resnet(True, there)(t), None), "unet": (models.unet, None),
    }  # fmt: skip
    found = {}
    for title, (maker, kind) in makers.items():
        for compiled in (False, True):
            made = _step(maker, setting._replace(autocast=kind), compiled)
            found[f"step: {title}{', compiled' if compiled else ''}"] = Work(made)
    return found


def _step(maker: Callable[..., Any], setting: Setting, compiled: bool) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        wrapped = t.compile if compiled else setting.wrapped
        return maker(t, setting._replace(wrapped=wrapped))  # type: ignore[no-any-return]

    return make


# -- times --
def timed(t: Any, call: Callable[[], Any], repeats: int) -> float:
    """Seconds per call between two events of the current stream."""
    start, end = (t.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3 / repeats  # type: ignore[no-any-return]


def repetitions(t: Any, call: Callable[[], Any], budget: float) -> int:
    """How many calls take about ``budget`` seconds, after some that find out what is faster."""
    for _ in range(CALLS):
        call()
    once = max(min(timed(t, call, 1) for _ in range(3)), 1e-6)
    return max(1, min(int(budget / once), MOST_CALLS))


def sides_of(work: Work, libraries: Sequence[Any], rounds: int, budget: float) -> list[Side]:
    """The median seconds of each library, which are measured in turns; one that fails does not stop the others."""
    found: list[Side] = []
    calls: dict[int, tuple[Callable[[], Any], int]] = {}
    for k, t in enumerate(libraries):
        found.append(Side(None))
        try:
            call = work.make(t)
            calls[k] = call, repetitions(t, call, budget)
        except Exception as error:
            found[k] = Side(None, f"{type(error).__name__}: {str(error).splitlines()[:1]}")
    times: dict[int, list[float]] = {k: [] for k in calls}
    for round_ in range(rounds):
        for k in sorted(calls, reverse=bool(round_ % 2)):
            call, repeats = calls[k]
            times[k].append(timed(libraries[k], call, repeats))
    for k, measured in times.items():
        found[k] = Side(statistics.median(measured))
    return found


def bandwidth(t: Any, nbytes: int, rounds: int) -> float:
    """Bytes a second that the driver's own copies within the device read and write, at best."""
    import rushlight
    from rushlight.engine.cuda import driver, streams

    given, made = (t.empty(nbytes, dtype=t.uint8, device="cuda") for _ in range(2))
    places = made.data_ptr(), given.data_ptr()

    def copy() -> None:
        driver.copy_within(*places, nbytes, streams.current(0).handle)

    copy()
    return 2 * nbytes / min(timed(rushlight, copy, 10) for _ in range(rounds))


def first_result(library: str, rounds: int) -> Side:
    """From the start of a program to its first result on the host, less the interpreter's own start."""
    with tempfile.TemporaryDirectory() as cache:

        def seconds(code: str) -> float:
            start = time.perf_counter()
            environment = {**os.environ, "RUSHLIGHT_CACHE_DIR": cache}
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            return time.perf_counter() - start

        program = FIRST_RESULT.format(library)
        try:
            seconds(program)
            whole = statistics.median(seconds(program) for _ in range(rounds))
        except subprocess.CalledProcessError as error:
            return Side(None, f"the program ended with {error.returncode}")
        return Side(whole - statistics.median(seconds("pass") for _ in range(rounds)))


# -- the whole --
def what_is_missing(rushlight: Any, torch: Any) -> str:
    """Why nothing can be measured, or why there are no ratios; nothing if all is there."""
    if not rushlight.cuda.is_available():
        return "no GPU: the suite needs an NVIDIA GPU and its driver (libcuda.so.1, which `nvidia-smi` uses, too)"
    if torch is None:
        return "no PyTorch: there are no ratios. `pip install torch` on this machine brings one with CUDA"
    if not torch.cuda.is_available():
        return (
            f"PyTorch {torch.__version__} sees no GPU here: there are no ratios. A build with CUDA comes with "
            "`pip install torch --index-url https://download.pytorch.org/whl/cu128`"
        )
    return ""


def installed(name: str) -> Any:
    """A library; None where it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


def measure(
    rounds: int, budget: float, only: str, setting: Setting = ON_GPU, with_processes: bool = True
) -> dict[str, float]:
    """The ratio of every workload; none without a PyTorch that has CUDA, an exception without a GPU."""
    import rushlight

    torch = installed("torch")
    missing = what_is_missing(rushlight, torch)
    if not rushlight.cuda.is_available():
        raise SystemExit(missing)
    print(missing or f"PyTorch {torch.__version__}", "on", rushlight.cuda.get_device_name(0))
    libraries = [rushlight] if missing else [rushlight, torch]
    most = bandwidth(rushlight, 4 * setting.of(LARGE), rounds)
    print(f"{'bandwidth of copies':38s} {most / 1e9:10.0f} GB/s")
    ratios: dict[str, float] = {}
    for title, work in workloads(setting).items():
        if only in title:
            sides = sides_of(work, libraries, rounds, budget)
            share = work.moved / sides[0].seconds / most if sides[0].seconds else 0.0
            ratios |= report(title, sides, share if work.moved else None)
    if with_processes and only in "import to the first result":
        sides = [first_result(t.__name__, min(rounds, 5)) for t in libraries]
        ratios |= report("import to the first result", sides, None)
    return ratios


def report(title: str, sides: list[Side], share: float | None) -> dict[str, float]:
    """Print a line, and return the ratio if both have been measured; infinite if ours has failed."""
    shown = " ".join(
        f"{1e6 * s.seconds:12.1f} us" if s.seconds else f"{'failed':>15s}" for s in sides
    )
    ours, theirs = sides[0].seconds, sides[-1].seconds
    ratio = ours / theirs if len(sides) > 1 and ours and theirs else None
    share_text = "" if share is None else f"   {share:4.0%} of the bandwidth"
    ratio_text = "        " if ratio is None else f"   {ratio:5.2f}"
    print(f"{title:38s} {shown}{ratio_text}{share_text}", flush=True)
    for side in sides:
        if side.why:
            print(f"    {side.why}")
    if ratio is not None:
        return {title: ratio}
    return {title: float("inf")} if len(sides) > 1 or not ours else {}
