"""Random number generators: a seed and a position in its stream.

The streams are those of `native.mersenne`; the tensors that states travel in have PyTorch's layout,
so a state saved by one library continues in the other.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import threading
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native import mersenne, rejection, runtime
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.lowlevel import Function

DEFAULT_SEED = 67280421310721
# The state's tensor: seed, words left (and 1 more), seeded, words used, the words with 64 bits
# each; normal x, y, rho (y is the waiting half of a pair), whether it waits; a float of the same.
_HEADER = struct.Struct("<QiiQ")
_TAIL = struct.Struct("<8sd8si4x8s")
_WORDS_AT = _HEADER.size
_TAIL_AT = _WORDS_AT + 8 * mersenne.WORDS
STATE_BYTES = _TAIL_AT + _TAIL.size
# Made once: a new array type is garbage that only the collector finds.
_State = ctypes.c_char * STATE_BYTES


# What draws numbers later than the program asked for them: called before anybody looks at a stream.
put_off: list[Callable[[], None]] = []


def catch_up() -> None:
    """Draw what was put off, so that a stream is where the program expects it."""
    while put_off:
        put_off.pop()()


@functools.cache
def compiled(function: Function) -> Any:
    """A function of the stream, for Python to call."""
    return runtime.callable_from_python(function, rejection.module)


# The classes of generators for devices that have numbers of their own, by type.
kinds: dict[str, type[Generator]] = {}
# Called with a seed that is meant for the generators of all devices.
when_seeded: list[Callable[[int], object]] = []
# The last such seed.
last_seed: list[int] = []


class Generator:
    """A source of random numbers, for the ``generator`` argument of random operators.

    Args:
        device: where the numbers are used
    """

    __slots__ = ("__weakref__", "_block", "_device", "address", "uses")

    uses: int

    def __new__(cls, device: Any = "cpu") -> Generator:
        asked = devices.device(device)
        if cls is Generator and asked.type not in ("cpu", "meta") and asked.is_here:
            cls = kinds.get(asked.type, cls)
        made = object.__new__(cls)
        # How often calls that were not remembered had it.
        made.uses = 0
        return made

    def __init__(self, device: Any = "cpu") -> None:
        self._device = devices.device(device)
        if self._device.type not in ("cpu", "meta"):
            raise RuntimeError(
                f"Device type {self._device.type} is not supported for torch.Generator() api."
            )
        self._block = (ctypes.c_char * mersenne.BLOCK_BYTES)()
        self.address = ctypes.addressof(self._block)
        self.manual_seed(DEFAULT_SEED)

    @property
    def device(self) -> devices.device:
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of a seed; gives the generator."""
        if not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        catch_up()
        compiled(mersenne.start)(self.address, _signed(seed))
        return self

    def seed(self) -> int:
        """Start the stream of a seed that nobody can foresee; gives the seed."""
        chosen = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed that the stream started with."""
        return int(ctypes.c_uint64.from_address(self.address + mersenne.SEED).value)

    def _word(self, position: int) -> ctypes.c_int64:
        return ctypes.c_int64.from_address(self.address + position)

    def get_state(self) -> Tensor:
        """The place in the stream, as a tensor of bytes."""
        catch_up()
        carried = ctypes.string_at(self.address + mersenne.CARRIED, 24)
        waits = self._word(mersenne.HALF_WAITS).value
        half = ctypes.c_double.from_address(self.address + mersenne.HALF).value
        left, used = self._word(mersenne.LEFT).value, self._word(mersenne.NEXT).value
        waiting = half if waits else 0.0
        made = tensors.empty((STATE_BYTES,), dtypes.uint8)
        place = tensors.data_pointer(made)
        content = _State.from_address(place)
        _HEADER.pack_into(content, 0, self.initial_seed(), left, 1, used)
        compiled(mersenne.write_words)(self.address, place + _WORDS_AT)
        _TAIL.pack_into(content, _TAIL_AT, carried[:8], waiting, carried[8:16], waits, carried[16:])
        return made

    def set_state(self, new_state: Tensor) -> Generator:
        """Continue from a state that `get_state` gave."""
        catch_up()
        whole = _whole_state(new_state)
        place = tensors.data_pointer(whole)
        content = ctypes.string_at(place, STATE_BYTES)
        seed, left, seeded, used = _HEADER.unpack_from(content)
        if not seeded or not (used <= mersenne.WORDS and 0 < left <= mersenne.WORDS):
            raise RuntimeError("Invalid mt19937 state")
        x, half, rho, waits, single = _TAIL.unpack_from(content, _TAIL_AT)
        self._word(mersenne.SEED).value = _signed(seed)
        self._word(mersenne.LEFT).value = left
        self._word(mersenne.NEXT).value = used
        self._word(mersenne.HALF_WAITS).value = waits
        ctypes.c_double.from_address(self.address + mersenne.HALF).value = half
        ctypes.memmove(self.address + mersenne.CARRIED, x + rho + single, 24)
        compiled(mersenne.read_words)(self.address, place + _WORDS_AT)
        return self

    def clone_state(self) -> Generator:
        """A generator that goes on from the same place by itself."""
        catch_up()
        made = Generator(self._device)
        ctypes.memmove(made.address, self.address, mersenne.BLOCK_BYTES)
        return made

    def graphsafe_get_state(self) -> Generator:
        return self.clone_state()

    def graphsafe_set_state(self, state: Generator) -> Generator:
        catch_up()
        ctypes.memmove(self.address, state.address, mersenne.BLOCK_BYTES)
        return self

    def __reduce__(self) -> Any:
        return _restored, (self._device, self.get_state())

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def _restored(device: devices.device, state: Tensor) -> Generator:
    return Generator(device).set_state(state)


def _signed(seed: int) -> int:
    """A seed as a signed 64-bit word; negative seeds count from the top."""
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError("Overflow when unpacking long long")
    return seed - (1 << 64) if seed >= 1 << 63 else seed


def _whole_state(state: Any) -> Tensor:
    """A state's tensor, checked, with its bytes one after the other."""
    if not isinstance(state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
    if state._dtype_ is not dtypes.uint8 or state._storage_.device is not devices.cpu:
        raise TypeError("RNG state must be a torch.ByteTensor")
    if state._numel_ != STATE_BYTES:
        raise RuntimeError(
            f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG state "
            f"size to be {state._numel_}"
        )
    return state if state._stride_ == (1,) else state.contiguous()  # type: ignore[attr-defined, no-any-return]


def seed_everything(seed: int) -> None:
    """Start the streams of a seed on the devices besides the host."""
    last_seed[:] = [seed]
    for start in when_seeded:
        start(seed)


_default: Generator | None = None
_lock = threading.Lock()
hold_over_fork(_lock)


def default_generator() -> Generator:
    """The generator of calls that name none; made when it is first needed."""
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = Generator()
    return _default
