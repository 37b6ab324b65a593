"""Tensors and storages as generated code sees them: field offsets, creation and plan execution.

Everything here works on the memory of the objects, so it is used only where
`heap_types.supported()` holds; `tensor.py` has the same verbs in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.native import heap_types, launch, row_copies
from rushlight.engine.native.launch import MOST_NUMBER_WORDS, MOST_OPERANDS, PLAN
from rushlight.engine.native.lowlevel import (
    Words,
    invoke,
    load,
    load8,
    load32,
    load_float,
    load_float32,
    stack,
    store,
    store_float,
    store_float32,
)
from rushlight.engine.native.memory import allocate, free_block
from rushlight.engine.native.python_api import (
    bool_from_word,
    clear_error,
    clear_weakrefs,
    complex_imag,
    complex_real,
    decref,
    error_occurred,
    float_as_double,
    float_from_double,
    generic_alloc,
    incref,
    long_as_signed,
    long_as_unsigned,
    long_as_word,
    long_from_word,
    object_free,
    tuple_new,
    tuple_set,
    type_slot,
    vectorcall,
)
from rushlight.engine.native.runtime import module
from rushlight.engine.native.shelves import put

# Element types whose numbers `element` reads.
ELEMENT_TYPES = (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32, dtypes.bool_)

# Importing a module of the run-time system makes its functions part of it.
assert row_copies.module is module

TENSOR_WORDS = ("_offset_", "_numel_", "_flags_", "_keys_")
TENSOR_SLOTS = ("_storage_", "_size_", "_stride_", "_dtype_", "_base", "_counter_", "_autograd_")
STORAGE_WORDS = ("_ptr", "_nbytes", "_version", "_device_code", "_flags")
STORAGE_OBJECTS = ("_owner",)
# Where Python keeps what it knows of a storage besides.
STORAGE_OFFSETS = ("__weaklistoffset__", "__dictoffset__")

# Bits of a tensor's ``_flags_`` above its dtype's code.
CONTIGUOUS = 1 << 8
# The tensor stands for a Python number and promotes like one.
WRAPPED_NUMBER = 1 << 9
CODE_MASK = 0xFF
NOT_AUTOGRAD = ~key_bits.AUTOGRAD

# The number of a type's tp_free slot.
SLOT_FREE = 74

# Bits of a storage's ``_flags``.
# `EXPORTED`: others, such as numpy's arrays, know the address of the bytes.
# `COPIED_LATER`: the bytes are those of a clone, too, until one of them is written.
# `LENT`: other storages lie in these bytes.
RESIZABLE, EXPORTED, COPIED_LATER, LENT = 1, 2, 4, 8
# Above the bits: the address of the tensor that views have been made of; `MANY` for several.
VIEWED_SHIFT, MANY = 8, 1

TENSOR_BASE = (
    heap_types.make_base("rushlight.TensorBase", TENSOR_WORDS)
    if heap_types.supported()
    else type("TensorBase", (), {"__slots__": TENSOR_WORDS})
)


class TENSOR:
    """Offsets of a tensor's fields; those of its Python slots are measured on a probe class."""

    offset, numel, flags, keys = (heap_types.HEADER + 8 * i for i in range(len(TENSOR_WORDS)))
    storage: int
    size: int
    stride: int
    dtype: int
    base: int
    counter: int
    autograd: int


class STORAGE:
    """Offsets of a storage's fields."""

    ptr, nbytes, version, device_code, flags, owner, weakrefs, attributes = (
        heap_types.HEADER + 8 * i
        for i in range(len(STORAGE_WORDS) + len(STORAGE_OBJECTS) + len(STORAGE_OFFSETS))
    )


def _measure_slots() -> None:
    """Find the offsets; where objects are plain, nothing that uses them runs, so any will do."""
    slots = (*TENSOR_SLOTS, "__dict__", "__weakref__")
    probe = type("Probe", (TENSOR_BASE,), {"__slots__": slots})
    for name in TENSOR_SLOTS:
        offset = heap_types.slot_offset(probe, name) if heap_types.supported() else 0
        setattr(TENSOR, name.strip("_"), offset)


_measure_slots()

# Called once, when the first storage is about to be made and the run-time system is compiled.
when_started: list[Callable[[], None]] = []

# Objects that generated code needs, as addresses; set when the classes exist.
types = Words(
    "tensor", "parameter", "storage", "none", "refuse", "reword", "memory_error", "counter",
    "counter_value", "shared_version", "shared_tensor", "meaning", "captured", "meaning_value",
    "meaning_layer", "meaning_dim", "meaning_views",
)  # fmt: skip


class TEMPLATE:
    """Positions of the words that describe a new tensor, in bytes."""

    size = 0
    stride = 8
    dtype = 16
    flags = 24
    keys = 32
    numel = 40
    nbytes = 48
    length = 56


class WRAPPER:
    """Of a tensor without memory: positions of the words behind those of its template, in bytes."""

    offset = TEMPLATE.length
    device_code = TEMPLATE.length + 8


# How a plan's operand is found from its Python argument.
TENSOR_OPERAND, INT_OPERAND, FLOAT64_OPERAND, FLOAT32_OPERAND = 0, 1, 2, 3
COMPLEX128_OPERAND, COMPLEX64_OPERAND, POINTER_OPERAND = 4, 5, 6
# Not an argument: the plan's offset for this operand is its address.
CONSTANT_OPERAND = 7


@module.function
def forget_storage(storage: int) -> None:
    """Let go of what programs have attached to a storage."""
    if load(storage + STORAGE.weakrefs) != 0:
        clear_weakrefs(storage)
    attributes = load(storage + STORAGE.attributes)
    if attributes != 0:
        store(storage + STORAGE.attributes, 0)
        decref(attributes)


@module.entry
def storage_dealloc(storage: int) -> None:
    """Release a storage: its owner, or the allocator, takes the memory back."""
    if (load(storage + STORAGE.weakrefs) | load(storage + STORAGE.attributes)) != 0:
        forget_storage(storage)
    owner = load(storage + STORAGE.owner)
    if owner != 0:
        if put(owner) == 0:
            decref(owner)
    else:
        free_block(load(storage + STORAGE.ptr))
    kind = load(storage + heap_types.TYPE_OFFSET)
    if kind == types.storage:
        object_free(storage)
    else:
        invoke(type_slot(kind, SLOT_FREE), storage)
    decref(kind)


@module.function
def report_out_of_memory(nbytes: int) -> None:
    """Set the error for a request that cannot be met; Python knows how to word it."""
    arguments = stack(1)
    number = long_from_word(nbytes)
    store(arguments, number)
    vectorcall(types.refuse, arguments, 1, 0)
    decref(number)


@module.function
def new_storage(nbytes: int) -> int:
    """A new CPU storage of its own memory; 0 with an error set when there is none left."""
    data = allocate(nbytes)
    if data == -1:
        report_out_of_memory(nbytes)
        return 0
    made = generic_alloc(types.storage, 0)
    if made == 0:
        free_block(data)
        return 0
    store(made + STORAGE.ptr, data)
    store(made + STORAGE.nbytes, nbytes)
    store(made + STORAGE.flags, RESIZABLE)
    return made


@module.function
def fill_tensor(made: int, storage: int, size: int, stride: int, dtype: int, base: int) -> None:
    """Set a new tensor's object fields; ``storage``'s reference is taken over."""
    incref(size)
    incref(stride)
    incref(dtype)
    incref(base)
    incref(types.none)
    incref(types.none)
    store(made + TENSOR.storage, storage)
    store(made + TENSOR.size, size)
    store(made + TENSOR.stride, stride)
    store(made + TENSOR.dtype, dtype)
    store(made + TENSOR.base, base)
    store(made + TENSOR.counter, types.none)
    store(made + TENSOR.autograd, types.none)


@module.function
def fill_as_told(made: int, storage: int, template: int) -> None:
    """Set a new tensor's fields as a template says; ``storage``'s reference is taken over."""
    fill_tensor(
        made,
        storage,
        load(template + TEMPLATE.size),
        load(template + TEMPLATE.stride),
        load(template + TEMPLATE.dtype),
        types.none,
    )
    store(made + TENSOR.numel, load(template + TEMPLATE.numel))
    store(made + TENSOR.flags, load(template + TEMPLATE.flags))
    store(made + TENSOR.keys, load(template + TEMPLATE.keys))


@module.function
def tensor_in(storage: int, template: int) -> int:
    """A new tensor in a storage, whose reference is taken over, as the template says; 0 with an error set on failure."""
    made = generic_alloc(types.tensor, 0)
    if made == 0:
        decref(storage)
        return 0
    fill_as_told(made, storage, template)
    return made


@module.function
def storage_over(owner: int, data: int, nbytes: int) -> int:
    """A new storage of memory that an object keeps, whose reference is taken over; 0 with an error set on failure."""
    made = generic_alloc(types.storage, 0)
    if made == 0:
        decref(owner)
        return 0
    store(made + STORAGE.owner, owner)
    store(made + STORAGE.ptr, data)
    store(made + STORAGE.nbytes, nbytes)
    return made


@module.function
def new_tensor(template: int) -> int:
    """A new uninitialised tensor as the template says; 0 with an error set on failure."""
    storage = new_storage(load(template + TEMPLATE.nbytes))
    if storage == 0:
        return 0
    return tensor_in(storage, template)


@module.function
def new_view(base: int, size: int, stride: int, offset: int, numel: int, flags: int) -> int:
    """A tensor over the same storage with other metadata; it remembers the tensor it is a view of."""
    made = generic_alloc(types.tensor, 0)
    if made == 0:
        return 0
    storage = load(base + TENSOR.storage)
    incref(storage)
    root = load(base + TENSOR.base)
    if root == types.none:
        root = base
    fill_tensor(made, storage, size, stride, load(base + TENSOR.dtype), root)
    counter = load(base + TENSOR.counter)
    if counter != types.none:
        incref(counter)
        store(made + TENSOR.counter, counter)
    store(made + TENSOR.offset, offset)
    store(made + TENSOR.numel, numel)
    store(made + TENSOR.flags, flags)
    # Whether the view has a history is not for this function to say.
    store(made + TENSOR.keys, load(base + TENSOR.keys) & NOT_AUTOGRAD)
    return made


@module.function
def note_viewed(base: int) -> None:
    """Remember that there may be views of a tensor."""
    storage = load(base + TENSOR.storage)
    root = load(base + TENSOR.base)
    if root == types.none:
        root = base
    flags = load(storage + STORAGE.flags)
    known = flags >> VIEWED_SHIFT
    if known == 0:
        store(storage + STORAGE.flags, flags | (root << VIEWED_SHIFT))
    elif known != root and known != MANY:
        bits = flags & ((1 << VIEWED_SHIFT) - 1)
        store(storage + STORAGE.flags, bits | (MANY << VIEWED_SHIFT))


@module.function
def forget_base(view: int) -> None:
    """Let a view count as a tensor of its own."""
    decref(load(view + TENSOR.base))
    incref(types.none)
    store(view + TENSOR.base, types.none)


@module.function
def count_apart(tensor: int) -> None:
    """Let a new tensor count its versions apart from its storage's, from 0 on."""
    counter = generic_alloc(types.counter, 0)
    store(counter + types.counter_value, long_from_word(0))
    decref(load(tensor + TENSOR.counter))
    store(tensor + TENSOR.counter, counter)


@module.function
def version_of(tensor: int) -> int:
    """How often a tensor's elements were changed; of one that stands for another, that one's."""
    counter = load(tensor + TENSOR.counter)
    while load(counter + heap_types.TYPE_OFFSET) == types.shared_version:
        tensor = load(counter + types.shared_tensor)
        counter = load(tensor + TENSOR.counter)
    if counter == types.none:
        return load(load(tensor + TENSOR.storage) + STORAGE.version)
    return long_as_signed(load(counter + types.counter_value))


@module.function
def bump_version(tensor: int) -> None:
    """Count a change of a tensor's elements."""
    counter = load(tensor + TENSOR.counter)
    if counter == types.none:
        storage = load(tensor + TENSOR.storage)
        store(storage + STORAGE.version, load(storage + STORAGE.version) + 1)
        return
    former = load(counter + types.counter_value)
    store(counter + types.counter_value, long_from_word(long_as_signed(former) + 1))
    decref(former)


@module.function
def tensor_over(template: int, data: int, owner: int) -> int:
    """A new tensor over memory that an object keeps alive."""
    incref(owner)
    storage = storage_over(owner, data, load(template + TEMPLATE.nbytes))
    if storage == 0:
        return 0
    return tensor_in(storage, template)


@module.function
def without_memory(template: int, kind: int) -> int:
    """A new tensor of a class, over a storage whose bytes are nowhere; the class stands for these."""
    storage = generic_alloc(types.storage, 0)
    if storage == 0:
        return 0
    incref(kind)
    store(storage + STORAGE.owner, kind)
    store(storage + STORAGE.nbytes, load(template + TEMPLATE.nbytes))
    store(storage + STORAGE.device_code, load(template + WRAPPER.device_code))
    made = generic_alloc(kind, 0)
    if made == 0:
        decref(storage)
        return 0
    fill_as_told(made, storage, template)
    store(made + TENSOR.offset, load(template + WRAPPER.offset))
    return made


@module.function
def first_byte(tensor: int, itemsize: int) -> int:
    """The address of a tensor's first element."""
    return (
        load(load(tensor + TENSOR.storage) + STORAGE.ptr) + load(tensor + TENSOR.offset) * itemsize
    )


@module.function
def integer_word(number: int) -> int:
    """The 64 bits of an integer with or without a sign; sets an error if it has more."""
    value = long_as_signed(number)
    if value == -1 and error_occurred() != 0:
        clear_error()
        return long_as_unsigned(number)
    return value


@module.function
def operand_pointer(argument: int, kind: int, itemsize: int, scratch: int) -> int:
    """The address of an operand's first element; numbers are written to ``scratch``."""
    if kind == TENSOR_OPERAND:
        return first_byte(argument, itemsize)
    if kind == POINTER_OPERAND:
        return long_as_word(argument)
    if kind == INT_OPERAND:
        store(scratch, integer_word(argument))
    elif kind == FLOAT64_OPERAND:
        store_float(scratch, float_as_double(argument))
    elif kind == FLOAT32_OPERAND:
        store_float32(scratch, float_as_double(argument))
    elif kind == COMPLEX128_OPERAND:
        store_float(scratch, complex_real(argument))
        store_float(scratch + 8, complex_imag(argument))
    else:
        store_float32(scratch, complex_real(argument))
        store_float32(scratch + 4, complex_imag(argument))
    return scratch


@module.function
def run_operands(plan: int, arguments: int) -> int:
    """Run a loop or a chain of loops on Python arguments; 0 on success."""
    if load(plan + PLAN.kernel) != 0:
        return run_loop(plan, arguments)
    chosen = stack(MOST_OPERANDS)
    for k in range(load(plan + PLAN.dims)):
        link = plan + PLAN.sizes + k * 16
        loop = load(link)
        indices = load(link + 8)
        for j in range(load(loop + PLAN.operands)):
            store(chosen + j * 8, load(arguments + load8(indices + j) * 8))
        if run_loop(loop, chosen) != 0:
            return -1
    return 0


@module.function
def run_loop(plan: int, arguments: int) -> int:
    """Run a loop on Python arguments (tensors, numbers, addresses); 0 on success."""
    pointers = stack(MOST_OPERANDS)
    scratch = stack(MOST_NUMBER_WORDS)
    operands = load(plan + PLAN.operands)
    kinds = load(plan + PLAN.kinds)
    offsets = load(plan + PLAN.offsets)
    numbers = 0
    used = 0
    for k in range(operands):
        kind = load8(kinds + 2 * k)
        itemsize = load8(kinds + 2 * k + 1)
        pointer = 0
        if kind != CONSTANT_OPERAND:
            argument = load(arguments + used * 8)
            pointer = operand_pointer(argument, kind, itemsize, scratch + k * 16)
            used += 1
        if offsets != 0:
            pointer += load(offsets + k * 8)
        store(pointers + k * 8, pointer)
        numbers = numbers | kind
    if numbers != 0 and error_occurred() != 0:
        return -1
    launch.run_plan(plan, pointers)
    return 0


@module.entry
def execute(context: int, arguments: int, count: int) -> int:
    """Python: ``execute(plan, *operands)``, outputs first; returns None."""
    plan = long_as_signed(load(arguments))
    if run_operands(plan, arguments + 8) != 0:
        return 0
    incref(types.none)
    return types.none


@module.function
def produce_into(plan: int, templates: int, outputs: int, inputs: int) -> int:
    """Create a plan's outputs, run it on them and the inputs; one tensor or a tuple of them.

    ``outputs`` counts the results in its low 16 bits and, above, tensors that only the plan's own
    loops use.
    """
    visible = outputs & 0xFFFF
    made_count = visible + (outputs >> 16)
    arguments = stack(MOST_OPERANDS)
    for k in range(made_count):
        made = new_tensor(templates + k * TEMPLATE.length)
        if made == 0:
            for j in range(k):
                decref(load(arguments + j * 8))
            return 0
        store(arguments + k * 8, made)
    return fill_made(plan, arguments, visible, made_count, inputs)


@module.function
def fill_made(plan: int, arguments: int, visible: int, made_count: int, inputs: int) -> int:
    """Run a plan on new tensors, the first arguments, and inputs; the results as `produce_into` gives them."""
    failed = 0
    if plan != 0:
        for k in range(made_count, load(plan + PLAN.operands)):
            store(arguments + k * 8, load(inputs + (k - made_count) * 8))
        failed = run_operands(plan, arguments)
    kept = 0 if failed != 0 else visible
    for j in range(kept, made_count):
        decref(load(arguments + j * 8))
    if failed != 0:
        return 0
    return load(arguments) if visible == 1 else results_together(arguments, visible)


@module.function
def results_together(results: int, count: int) -> int:
    """Several results as a tuple, which takes their references over; 0 on failure."""
    made = tuple_new(count)
    for k in range(count):
        if made == 0:
            decref(load(results + k * 8))
        else:
            tuple_set(made, k, load(results + k * 8))
    return made


@module.entry
def produce(context: int, arguments: int, count: int) -> int:
    """Python: ``produce(plan, templates, outputs, *inputs)`` returns the new tensor or tensors."""
    plan = long_as_signed(load(arguments))
    templates = long_as_signed(load(arguments + 8))
    outputs = long_as_signed(load(arguments + 16))
    return produce_into(plan, templates, outputs, arguments + 24)


@module.function
def element_size(code: int) -> int:
    """How many bytes an element of one of `ELEMENT_TYPES` has."""
    if code == dtypes.bool_.code:
        return 1
    if code == dtypes.float32.code or code == dtypes.int32.code:
        return 4
    return 8


@module.function
def element_at(data: int, code: int) -> int:
    """The Python number in memory; 0 without an error for types not handled here."""
    if code == dtypes.float32.code:
        return float_from_double(load_float32(data))
    if code == dtypes.float64.code:
        return float_from_double(load_float(data))
    if code == dtypes.int64.code:
        return long_from_word(load(data))
    if code == dtypes.int32.code:
        return long_from_word(load32(data))
    if code == dtypes.bool_.code:
        return bool_from_word(load8(data))
    return 0


@module.function
def element(tensor: int) -> int:
    """The Python number of a one-element tensor; 0 without an error for types not handled here."""
    code = load(tensor + TENSOR.flags) & CODE_MASK
    data = load(load(tensor + TENSOR.storage) + STORAGE.ptr)
    return element_at(data + load(tensor + TENSOR.offset) * element_size(code), code)


@module.entry
def create(context: int, arguments: int, count: int) -> int:
    """Python: ``create(template)`` returns a new tensor."""
    return new_tensor(long_as_signed(load(arguments)))


@module.entry
def wrap(context: int, arguments: int, count: int) -> int:
    """Python: ``wrap(template, class)`` returns a new tensor of a class that has no memory of its own."""
    return without_memory(long_as_signed(load(arguments)), load(arguments + 8))


@module.entry
def view(context: int, arguments: int, count: int) -> int:
    """Python: ``view(base, size, stride, offset, numel, flags)`` returns a view."""
    return new_view(
        load(arguments),
        load(arguments + 8),
        load(arguments + 16),
        long_as_signed(load(arguments + 24)),
        long_as_signed(load(arguments + 32)),
        long_as_signed(load(arguments + 40)),
    )
