"""Pooling over windows that begin at random places, so many of them as are wanted."""

from __future__ import annotations

from typing import Any

from rushlight.engine.generated import functions
from rushlight.engine.ops.kinds.views import composite


def _check(name: str, image: Any, kernel: Any, wanted: Any, samples: Any) -> None:
    count = len(kernel)
    if image.dim() not in (count + 1, count + 2) or 0 in image.shape[-count - 1 :]:
        raise RuntimeError(
            f"{name}(): Expected {count + 1}D or {count + 2}D tensor with non-empty dimensions, but "
            f"got {list(image.shape)}"
        )
    batch = image.shape[0] if image.dim() == count + 2 else 1
    fits = samples.dim() == 3 and samples.shape[0] >= batch
    if not fits or tuple(samples.shape[1:]) != (image.shape[-count - 1], count):
        raise RuntimeError(
            f"{name}(): Expected _random_samples of size {[batch, image.shape[-count - 1], count]}, "
            f"but got {list(samples.shape)}"
        )
    if samples.dtype != image.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    for n, k, o in zip(image.shape[-count:], kernel, wanted):
        if o + k - 1 > n:
            raise RuntimeError(
                f"{name}(): pool size {k} and output size {o} are too large for an input of {n}"
            )
        if o <= 0 or k <= 0:
            raise RuntimeError(f"{name}(): pool and output sizes must be greater than zero")


def _starts(sample: Any, n: int, kernel: int, wanted: int) -> Any:
    """Where the windows begin along a dimension, for each sample."""
    last = sample.new_full((*sample.shape, 1), n - kernel).long()
    if wanted == 1:
        return last
    step = sample.new_full((), n - kernel) / (wanted - 1)
    steps: Any = functions.arange(wanted - 1, device=sample.device).to(sample.dtype)
    sample = sample.unsqueeze(-1)
    begun = ((steps + sample) * step).long() - (sample * step).long()
    return functions.cat([begun, last], -1)


def _register(name: str, count: int) -> None:
    @composite(name)
    def pool(self: Any, kernel: Any, wanted: Any, samples: Any) -> Any:
        kernel, wanted = (tuple(v) * count if len(v) == 1 else tuple(v) for v in (kernel, wanted))
        _check(name, self, kernel, wanted, samples)
        inside = self.shape[-count:]
        image = self if self.dim() == count + 2 else self.unsqueeze(0)
        samples = samples[: image.shape[0]]
        flat: Any = 0
        for d, (n, k, o) in enumerate(zip(inside, kernel, wanted)):
            # Images of two dimensions take the samples last dimension first.
            sample = samples[..., count - 1 - d if count == 2 else d]
            places = _starts(sample, n, k, o).unsqueeze(-1)
            places = places + functions.arange(k, device=self.device)
            shape = [1] * (2 * count)
            shape[d], shape[count + d] = o, k
            flat = flat * n + places.reshape(*sample.shape, *shape)
        table = flat.flatten(2 + count)
        pixels = image.flatten(2)
        windows = pixels.detach().gather(2, table.flatten(2)).reshape(table.shape)
        best = windows.argmax(-1, keepdim=True)
        found = table.gather(-1, best).squeeze(-1)
        values = pixels.gather(2, found.flatten(2)).reshape(found.shape)
        shape = [*self.shape[: self.dim() - count], *wanted]
        return values.reshape(shape), found.reshape(shape)


_register("fractional_max_pool2d", 2)
_register("fractional_max_pool3d", 3)
