"""Fourier transforms of overlapping pieces of a signal, and the way back."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import fourier as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.ops import answers
from rushlight.engine.ops.fourier.transforms import BY_N, BY_ROOT, NONE
from rushlight.engine.ops.kinds.views import composite


class Described:
    """The arguments of a call, as its messages begin."""

    def __init__(self, name: str, signal: Tensor, **given: Any) -> None:
        self.name, self.signal, self.given = name, signal, given

    def fail(self, why: str) -> RuntimeError:
        shape = ", ".join(map(str, self.signal._size_))
        words = ", ".join(
            f"{key}={_window_facts(value) if key == 'window' else value}"
            for key, value in self.given.items()
        )
        return RuntimeError(f"{self.name}({self.signal.type()}[{shape}], {words}): {why}")


def _window_facts(window: Tensor | None) -> str:
    if window is None:
        return "None"
    return f"{window.type()}{{{list(window._size_)}}}"


def _padded(x: Tensor, before: int, after: int) -> Tensor:
    """Zeros before and after the last dimension."""
    parts = [x]
    for place, count in ((0, before), (len(parts) + (before > 0), after)):
        if count:
            parts.insert(place, creation.new_zeros(x, (*x._size_[:-1], count)))
    return joining.cat(parts, -1) if len(parts) > 1 else x


def _full_window(window: Tensor | None, like: Tensor, kind: Any, length: int, n: int) -> Tensor:
    """A window in the middle of ``n`` places."""
    if window is None:
        window = creation.ones((length,), dtype=kind, device=like._storage_.device)
    before = (n - length) // 2
    return _padded(window, before, n - length - before)


def _check_sizes(
    described: Described, n_fft: int, hop: int, length: int, window: Tensor | None
) -> None:
    if hop <= 0:
        raise described.fail(f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise described.fail(f"expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and tuple(window._size_) != (length,):
        raise described.fail(
            f"expected a 1D window tensor of size equal to win_length={length}, but got window "
            f"with size {list(window._size_)}"
        )


@composite("stft.center")
def stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Tensor:
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    described = Described(
        "stft", self, n_fft=n_fft, hop_length=hop, win_length=length,
        window=window, normalized=int(normalized),
        onesided=None if onesided is None else int(onesided),
        return_complex=None if return_complex is None else int(return_complex),
    )  # fmt: skip
    is_complex = self._dtype_.is_complex or (window is not None and window._dtype_.is_complex)
    _check_return(is_complex, return_complex)
    if align_to_window is not None and center:
        raise RuntimeError("stft: align_to_window should only be set when center = false.")
    if align_to_window:
        raise NotImplementedError("stft: align_to_window=True is not implemented")
    if self._dtype_.category < FLOATING:
        raise described.fail("expected a tensor of floating point or complex values")
    if not 1 <= len(self._size_) <= 2:
        raise described.fail("expected a 1D or 2D tensor")
    x = self if len(self._size_) == 2 else views.unsqueeze(self, 0)
    if center:
        x = _reflected(x, n_fft // 2, pad_mode)
    if not 0 < n_fft <= x._size_[-1]:
        raise described.fail(f"expected 0 < n_fft < {x._size_[-1]}, but got n_fft={n_fft}")
    _check_sizes(described, n_fft, hop, length, window)
    half = not is_complex if onesided is None else onesided
    if is_complex and half:
        raise described.fail("Cannot have onesided output if window or input is complex")
    pieces = _windowed(views.unfold(x, 1, n_fft, hop), window, length, n_fft)
    mode = BY_ROOT if normalized else NONE
    if is_complex:
        made = calls._fft_c2c(pieces, [2], mode, True)
    else:
        made = calls._fft_r2c(pieces, [2], mode, half)
    made = views.transpose_int(made, 1, 2)
    made = made if len(self._size_) == 2 else views.squeeze_dim(made, 0)
    return views.view_as_real(made) if return_complex is False else made


def _windowed(pieces: Tensor, window: Tensor | None, length: int, n: int) -> Tensor:
    """Pieces of a signal, each times the window; one that is not given is 1 for ``length`` places."""
    if window is None and length == n:
        return pieces
    kind = pieces._dtype_ if window is None else None
    return maps.mul_Tensor(pieces, _full_window(window, pieces, kind, length, n))


def _check_return(is_complex: bool, return_complex: bool | None) -> None:
    """Real results in pairs must be asked for."""
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further "
            "require that return_complex=True in a future PyTorch release."
        )
    if return_complex is False:
        steps.warn(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will "
            "return complex tensors for all inputs, and return_complex=False will raise an error.\n"
            "Note: you can still call torch.view_as_real on the complex output to recover the old "
            "return format.",
            stacklevel=3,
        )


def _reflected(x: Tensor, count: int, mode: str) -> Tensor:
    """More of a signal on both sides: mirrored, repeated, periodic or zeros."""
    length = x._size_[-1]
    if not count:
        return x
    if mode == "constant":
        return _padded(x, count, count)
    if mode == "reflect":
        if count >= length:
            raise RuntimeError(
                f"Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({count}, {count}) at dimension 2 of input {[1, *x._size_]}"
            )
        before = views.flip(views.narrow(x, -1, 1, count), [-1])
        after = views.flip(views.narrow(x, -1, length - 1 - count, count), [-1])
    elif mode == "replicate":
        before = views.expand(views.narrow(x, -1, 0, 1), (*x._size_[:-1], count))
        after = views.expand(views.narrow(x, -1, length - 1, 1), (*x._size_[:-1], count))
    elif mode == "circular":
        if count > length:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        before, after = views.narrow(x, -1, length - count, count), views.narrow(x, -1, 0, count)
    else:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return joining.cat([before, x, after], -1)


@composite("stft")
def stft_uncentred(
    self: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Tensor:
    return calls.stft_center(
        self, n_fft, hop_length, win_length, window, False, "constant", normalized, onesided,
        return_complex, align_to_window,
    )  # fmt: skip


# -- the way back --


def overlap_added(pieces: Tensor, hop: int) -> Tensor:
    """The sum of pieces that begin ``hop`` places after each other.

    Pieces are cut into blocks of ``hop`` places; the k-th blocks of all pieces are a row of the
    signal's blocks, shifted by k.
    """
    channels, count, width = pieces._size_
    blocks = -(-width // hop)
    cut = _padded(pieces, 0, blocks * hop - width)
    cut = views.reshape(cut, (channels, count, blocks, hop))
    total: Tensor | None = None
    for k in range(blocks):
        row = views.reshape(views.select_int(cut, 2, k), (channels, count * hop))
        row = _padded(row, k * hop, (blocks - 1 - k) * hop)
        total = row if total is None else maps.add_Tensor(total, row)
    assert total is not None
    return views.narrow(total, 1, 0, width + hop * (count - 1))


@composite("istft")
def istft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> Tensor:
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    described = Described(
        "istft", self, n_fft=n_fft, hop_length=hop, win_length=width,
        window=window, center=int(center), normalized=int(normalized),
        onesided=None if onesided is None else int(onesided), length=length,
        return_complex=int(return_complex),
    )  # fmt: skip
    if not self._dtype_.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    if not self._numel_:
        raise described.fail("input tensor cannot be empty.")
    if not 2 <= len(self._size_) <= 3:
        raise described.fail(
            f"expected a tensor with 2 or 3 dimensions, but got {len(self._size_)}"
        )
    bins = self._size_[-2]
    half = bins != n_fft if onesided is None else onesided
    wanted = n_fft // 2 + 1 if half else n_fft
    if bins != wanted:
        kind = "onesided" if half else "twosided"
        raise described.fail(
            f"expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"n_fft{' / 2 + 1' if half else ''} when {kind}, but got {bins}"
        )
    if not 0 < hop <= width:
        raise described.fail("expected 0 < hop_length <= win_length")
    _check_sizes(described, n_fft, hop, width, window)
    if return_complex and half:
        raise described.fail("cannot have onesided output if return_complex=True")
    if not return_complex and window is not None and window._dtype_.is_complex:
        raise described.fail("Complex windows are incompatible with return_complex=False")
    x = self if len(self._size_) == 3 else views.unsqueeze(self, 0)
    made = _joined(x, n_fft, hop, width, window, normalized, half, return_complex, described,
                   (center, length))  # fmt: skip
    return made if len(self._size_) == 3 else views.squeeze_dim(made, 0)


def _joined(
    x: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None, normalized: bool,
    half: bool, return_complex: bool, described: Described, place: tuple[bool, int | None],
) -> Tensor:  # fmt: skip
    """The signal of three-dimensional input."""
    center, length = place
    mode = BY_ROOT if normalized else BY_N
    pieces = views.transpose_int(x, 1, 2)
    if return_complex:
        pieces = calls._fft_c2c(pieces, [2], mode, False)
    else:
        kept = pieces if half else views.narrow(pieces, 2, 0, n_fft // 2 + 1)
        pieces = calls._fft_c2r(kept, [2], mode, n_fft)
    full = _full_window(window, x, pieces._dtype_, width, n_fft)
    signal = overlap_added(maps.mul_Tensor(pieces, full), hop)
    squares = views.expand(maps.mul_Tensor(full, full), (1, x._size_[2], n_fft))
    weights = overlap_added(squares, hop)
    total = n_fft + hop * (x._size_[2] - 1)
    start = n_fft // 2 if center else 0
    if length is not None:
        end = start + length
    else:
        end = total - n_fft // 2 if center else total
    stop = min(end, total)
    signal = views.slice_Tensor(signal, 1, start, stop, 1)
    weights = views.slice_Tensor(weights, 1, start, stop, 1)
    if not answers.are_all(maps.gt_Scalar(maps.abs(weights), 1e-11)):
        raise described.fail("window overlap add min: 0")
    signal = maps.div_Tensor(signal, weights)
    if end > total:
        steps.warn(
            "The length of signal is shorter than the length parameter. Result is being padded "
            "with zeros in the tail. Please check your center and hop_length settings.",
            stacklevel=3,
        )
        signal = _padded(signal, 0, end - total)
    return copies.contiguous(signal)
