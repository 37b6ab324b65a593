"""The kernel language: Python's syntax for machine code.

The allocator, the thread pool, the launcher, the entries under hot operators and the kernels of
products must be machine code, but they should read like the rest of the project. A function of the
language is never executed by Python as it stands: its source is rewritten into a function that
writes LLVM IR when Python runs it. Every variable is a value of compiled code, with a kind: a 64-bit
word (an address, a count, a Python object), a real number, a place in memory, a vector, a mask.
What Python knows already is a constant: an ``if`` that it can decide leaves only one of its
branches, and a loop over anything else than ``range`` repeats its body.

Supported: assignment, ``if``, ``while``, ``for … in range``, ``break``, ``continue``, ``return``,
arithmetic, comparisons, ``and``/``or``/``not``, conditional expressions, calls. ``//`` and ``%`` of
words truncate like the machine's division; ``>>`` is arithmetic. See ``docs/low_level_language.md``.
"""

from rushlight.engine.native.lowlevel.functions import apart, define, inlined, kernel_text
from rushlight.engine.native.lowlevel.memory import (
    element,
    entry,
    fence,
    gather,
    load,
    load8,
    load32,
    load_float,
    load_float32,
    load_masked,
    place,
    pointer,
    prefetch,
    room,
    scatter,
    stack,
    store,
    store8,
    store32,
    store_float,
    store_float32,
    store_masked,
    store_together,
    stream,
)
from rushlight.engine.native.lowlevel.modules import Extern, Function, Module, Part, extern, include
from rushlight.engine.native.lowlevel.numbers import (
    absolute,
    address_of,
    bits_as,
    count_of,
    divided,
    extended,
    immediate,
    in_every_lane,
    intrinsic,
    is_within,
    leading_zeros,
    left_over,
    maximum,
    minimum,
    multiply_add,
    narrowed,
    select,
    shifted,
    to_float,
    to_integer,
    unordered,
)
from rushlight.engine.native.lowlevel.shared import Words, lasting
from rushlight.engine.native.lowlevel.sharing import (
    atomic_add,
    atomic_load,
    atomic_store,
    invoke,
    pause,
    swap_if,
)
from rushlight.engine.native.lowlevel.text import Text
from rushlight.engine.native.lowlevel.values import (
    Mask,
    Pointer,
    Scalar,
    Value,
    Vector,
    constant,
    vector_of,
)
from rushlight.engine.native.lowlevel.vectors import (
    broadcast,
    first_lanes,
    lane,
    lane_mask,
    lanes_from,
    put_lane,
    registers,
    shuffle,
    sum_of_lanes,
    transpose,
    unroll,
)
