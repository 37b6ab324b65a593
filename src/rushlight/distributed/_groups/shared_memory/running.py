"""Runs a process's part of a collective in machine code, without the interpreter's lock.

The part is a program: instructions of six words, an operation and its operands. An operand is a register and
an offset, so that a program can be used again for other tensors and later rounds. Waiting is a short spin,
then sleep in the kernel until somebody who posts wakes the sleepers; a wait that takes long gives control
back to Python, which looks whether the others are alive, and runs the program on from there.
"""

from __future__ import annotations

import ctypes

from rushlight.engine.native.lowlevel import (
    Module,
    atomic_add,
    atomic_load,
    atomic_store,
    invoke,
    load,
    pause,
    stack,
    store,
)
from rushlight.engine.native.machine import TIDY
from rushlight.engine.native.python_api import memcpy, sched_yield, syscall
from rushlight.engine.native.threads import FUTEX

module = Module("collectives", optimise=TIDY)

# Operations. A word that processes wait on is followed by the number of those asleep.
COPY = 0  # to, from, bytes
POST = 1  # word, value
WAIT = 2  # word, value, rank: until the word is at least the value
CHECK = 3  # word, value, rank: the word has to be the value
CALL = 4  # operands (an address of pairs), how many, elements, kernel
WRITE = 5  # word, value
INSTRUCTION_BYTES = 48

# Where a run stopped: the instruction, and the rank that it is about.
AT, RANK = 0, 8
# How a run ended.
WAITING, FINISHED, MISMATCH = 0, 1, 2

_PAUSES = 2000
_YIELDS = 20
_FUTEX_WAIT, _FUTEX_WAKE = 0, 1
_SLEEP_NANOSECONDS = 50_000_000
_EVERYBODY = 2147483647
_LOW = 0xFFFFFFFF
_MOST_OPERANDS = 32


@module.function
def is_reached(word: int, value: int) -> int:
    """Wait until a word is at least a value; 0 if that took so long that Python should look."""
    tries = 0
    while atomic_load(word) < value:
        if tries >= _PAUSES + _YIELDS:
            limit = stack(2)
            store(limit, 0)
            store(limit + 8, _SLEEP_NANOSECONDS)
            atomic_add(word + 8, 1)
            present = atomic_load(word)
            if present < value:
                syscall(FUTEX, word, _FUTEX_WAIT, present & _LOW, limit, 0, 0)
            atomic_add(word + 8, -1)
            return 1 if atomic_load(word) >= value else 0
        if tries >= _PAUSES:
            sched_yield()
        else:
            pause()
        tries += 1
    return 1


@module.function
def post(word: int, value: int) -> None:
    atomic_store(word, value)
    if atomic_load(word + 8) != 0:
        syscall(FUTEX, word, _FUTEX_WAKE, _EVERYBODY, 0, 0, 0)


@module.function
def call_kernel(kernel: int, operands: int, count: int, elements: int, registers: int) -> None:
    data = stack(_MOST_OPERANDS)
    sizes = stack(2)
    strides = stack(2 * _MOST_OPERANDS)
    for k in range(count):
        pair = operands + k * 16
        store(data + k * 8, load(registers + load(pair) * 8) + load(pair + 8))
    for k in range(2 * count):
        store(strides + k * 8, 0)
    store(sizes, elements)
    store(sizes + 8, 1)
    invoke(kernel, data, sizes, strides)


@module.entry
def run(program: int, count: int, registers: int, state: int) -> int:
    """Run a program on from where it stopped; how that ended."""
    at = load(state + AT)
    while at < count:
        instruction = program + at * INSTRUCTION_BYTES
        operation = load(instruction)
        first = load(registers + load(instruction + 8) * 8) + load(instruction + 16)
        if operation == CALL:
            call_kernel(
                load(instruction + 40), load(instruction + 16), load(instruction + 24),
                load(instruction + 32), registers,
            )  # fmt: skip
        else:
            second = load(registers + load(instruction + 24) * 8) + load(instruction + 32)
            last = load(instruction + 40)
            if operation == COPY:
                if first != second:
                    memcpy(first, second, last)
            elif operation == POST:
                post(first, second)
            elif operation == WAIT:
                if is_reached(first, second) == 0:
                    store(state + AT, at)
                    store(state + RANK, last)
                    return WAITING
            elif operation == CHECK:
                if load(first) != second:
                    store(state + RANK, last)
                    return MISMATCH
            else:
                store(first, second)
        at += 1
    store(state + AT, at)
    return FINISHED


# Unlike the functions of the engine, this one lets other Python threads run meanwhile.
run_unlocked = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)(module.address(run))
