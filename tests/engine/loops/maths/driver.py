"""Runs an expression over numpy arrays: a straight-line vector loop without any kernel machinery.

The maths is tested with the smallest printer that can run it, so that a wrong last bit is never
the loop machinery's fault.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.engine.loops.expr import BITS, UNSIGNED, Value, arg, schedule
from rushlight.engine.native import machine

LANES = 8
NUMPY = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f32": np.float32, "f64": np.float64,
}  # fmt: skip
NAMES = {np.dtype(v): k for k, v in NUMPY.items()}
COMPARE = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "rem": "frem"}
INTRINSICS = {
    "fma": "fma", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint", "copysign": "copysign", "minimum": "minimum", "maximum": "maximum",
}  # fmt: skip


def scalar_type(t: str) -> str:
    if t in ("f32", "f64"):
        return {"f32": "float", "f64": "double"}[t]
    return f"i{BITS[t]}"


def vector_type(t: str) -> str:
    return f"<{LANES} x {scalar_type(t)}>"


def literal(t: str, value: Any) -> str:
    if t == "bool":
        return "true" if value else "false"
    if t in ("f32", "f64"):
        if t == "f32":
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"
    return str(value)


def convert(name: str, source: Value, to: str, operand: str) -> str:
    a, b = vector_type(source.type), vector_type(to)
    if source.is_float:
        if to in ("f32", "f64"):
            return f"{name} = {'fpext' if to == 'f64' else 'fptrunc'} {a} {operand} to {b}"
        return f"{name} = fpto{'u' if to in UNSIGNED else 's'}i {a} {operand} to {b}"
    unsigned = source.type in UNSIGNED or source.is_bool
    if to in ("f32", "f64"):
        return f"{name} = {'u' if unsigned else 's'}itofp {a} {operand} to {b}"
    if BITS[to] == BITS[source.type]:
        return f"{name} = bitcast {a} {operand} to {b}"
    grow = "zext" if unsigned else "sext"
    return f"{name} = {grow if BITS[to] > BITS[source.type] else 'trunc'} {a} {operand} to {b}"


class Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.globals: dict[str, str] = {}
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def intrinsic(self, op: str, result: str, types: Sequence[str], suffix: str) -> str:
        name = f"@llvm.{op}.{suffix}"
        self.globals[name] = f"declare {result} {name}({', '.join(types)})"
        return name

    def emit(self, name: str, v: Value, ops: list[str]) -> None:
        t = vector_type(v.type)
        source = v.args[0] if v.args else v
        s = vector_type(source.type)
        op = v.op
        out = self.lines.append
        suffix = f"v{LANES}{'f' if v.is_float else 'i'}{BITS[v.type]}"
        if op in INTRINSICS and v.is_float:
            f = self.intrinsic(INTRINSICS[op], t, [t] * len(ops), suffix)
            out(f"{name} = call {t} {f}({', '.join(f'{t} {o}' for o in ops)})")
        elif op in ("minimum", "maximum"):
            kind = ("u" if v.type in UNSIGNED else "s") + op[:3]
            f = self.intrinsic(kind, t, [t, t], suffix)
            out(f"{name} = call {t} {f}({t} {ops[0]}, {t} {ops[1]})")
        elif op in FLOAT_OPS:
            kind = op
            if v.is_float:
                kind = FLOAT_OPS[op]
            elif op in ("div", "rem"):
                kind = ("u" if v.type in UNSIGNED else "s") + op
            out(f"{name} = {kind} {t} {ops[0]}, {ops[1]}")
        elif op == "neg":
            out(
                f"{name} = fneg {t} {ops[0]}"
                if v.is_float
                else f"{name} = sub {t} zeroinitializer, {ops[0]}"
            )
        elif op == "abs":
            if v.is_float:
                f = self.intrinsic("fabs", t, [t], suffix)
                out(f"{name} = call {t} {f}({t} {ops[0]})")
            else:
                f = self.intrinsic("abs", t, [t, "i1"], suffix)
                out(f"{name} = call {t} {f}({t} {ops[0]}, i1 false)")
        elif op == "clz":
            f = self.intrinsic("ctlz", t, [t, "i1"], suffix)
            out(f"{name} = call {t} {f}({t} {ops[0]}, i1 false)")
        elif op in COMPARE:
            if source.is_float:
                out(f"{name} = fcmp {COMPARE[op]} {s} {ops[0]}, {ops[1]}")
            else:
                sign = "u" if source.type in UNSIGNED or source.is_bool else "s"
                kind = op if op in ("eq", "ne") else sign + op
                out(f"{name} = icmp {kind} {s} {ops[0]}, {ops[1]}")
        elif op in ("and", "or", "xor"):
            out(f"{name} = {op} {t} {ops[0]}, {ops[1]}")
        elif op == "not":
            ones = ", ".join([f"{scalar_type(v.type)} -1"] * LANES)
            out(f"{name} = xor {t} {ops[0]}, <{ones}>")
        elif op == "shl":
            out(f"{name} = shl {t} {ops[0]}, {ops[1]}")
        elif op == "shr":
            out(f"{name} = {'lshr' if v.type in UNSIGNED else 'ashr'} {t} {ops[0]}, {ops[1]}")
        elif op == "mulhi":
            bits = BITS[v.type]
            wide = f"<{LANES} x i{2 * bits}>"
            grow = "zext" if v.type in UNSIGNED else "sext"
            a, b, p, q = (self.fresh() for _ in range(4))
            out(f"{a} = {grow} {t} {ops[0]} to {wide}")
            out(f"{b} = {grow} {t} {ops[1]} to {wide}")
            out(f"{p} = mul {wide} {a}, {b}")
            shift = ", ".join([f"i{2 * bits} {bits}"] * LANES)
            out(f"{q} = lshr {wide} {p}, <{shift}>")
            out(f"{name} = trunc {wide} {q} to {t}")
        elif op == "select":
            mask = f"<{LANES} x i1>"
            out(f"{name} = select {mask} {ops[0]}, {t} {ops[1]}, {t} {ops[2]}")
        elif op == "convert":
            out(convert(name, source, v.type, ops[0]))
        elif op == "bitcast":
            out(f"{name} = bitcast {s} {ops[0]} to {t}")
        elif op == "table":
            key = f"@table{len(self.globals)}"
            e = scalar_type(v.type)
            items = ", ".join(f"{e} {literal(v.type, x)}" for x in v.attr)
            self.globals[key] = f"{key} = private constant [{len(v.attr)} x {e}] [{items}]"
            p = self.fresh()
            out(f"{p} = getelementptr {e}, ptr {key}, {s} {ops[0]}")
            mask = ", ".join(["i1 true"] * LANES)
            types = [f"<{LANES} x ptr>", "i32", f"<{LANES} x i1>", t]
            f = self.intrinsic("masked.gather", t, types, f"{suffix}.v{LANES}p0")
            operands = f"<{LANES} x ptr> {p}, i32 1, <{LANES} x i1> <{mask}>, {t} undef"
            out(f"{name} = call {t} {f}({operands})")
        else:
            raise NotImplementedError(op)


def print_kernel(outputs: Sequence[Value]) -> str:
    order, outs = schedule(outputs)
    printer = Printer()
    names: dict[int, str] = {}
    for i, v in enumerate(order):
        t = vector_type(v.type)
        if v.op == "const":
            e = scalar_type(v.type)
            lanes = ", ".join([f"{e} {literal(v.type, v.attr)}"] * LANES)
            names[id(v)] = f"<{lanes}>"
            continue
        names[id(v)] = name = f"%v{i}"
        if v.op == "arg":
            k, memory = v.attr + len(outs), "i8" if v.is_bool else scalar_type(v.type)
            raw = f"%raw{k}" if v.is_bool else name
            printer.lines += [
                f"%pp{k} = getelementptr ptr, ptr %data, i64 {k}",
                f"%p{k} = load ptr, ptr %pp{k}",
                f"%a{k} = getelementptr {memory}, ptr %p{k}, i64 %i",
                f"{raw} = load <{LANES} x {memory}>, ptr %a{k}, align 1",
            ]
            if v.is_bool:
                printer.lines.append(f"{name} = trunc <{LANES} x i8> %raw{k} to {t}")
        else:
            printer.emit(name, v, [names[id(a)] for a in v.args])
    for k, v in enumerate(outs):
        t, name = vector_type(v.type), names[id(v)]
        memory = scalar_type(v.type)
        if v.is_bool:
            printer.lines.append(f"%ob{k} = zext {t} {name} to <{LANES} x i8>")
            t, name, memory = f"<{LANES} x i8>", f"%ob{k}", "i8"
        printer.lines += [
            f"%pp{k} = getelementptr ptr, ptr %data, i64 {k}",
            f"%p{k} = load ptr, ptr %pp{k}",
            f"%a{k} = getelementptr {memory}, ptr %p{k}, i64 %i",
            f"store {t} {name}, ptr %a{k}, align 1",
        ]
    body = "\n  ".join(printer.lines)
    declarations = "\n".join(printer.globals.values())
    return f"""{declarations}
define void @KERNEL(ptr %data, ptr %sizes, ptr %strides) {{
entry:
  %n = load i64, ptr %sizes
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  {body}
  %next = add i64 %i, {LANES}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def trace(function: Callable[..., Any], types: Sequence[str]) -> list[Value]:
    results = function(*(arg(i, t) for i, t in enumerate(types)))
    return list(results) if isinstance(results, (tuple, list)) else [results]


def run(function: Callable[..., Any], *inputs: np.ndarray) -> Any:
    """The function's value (or tuple of values) for each element of the inputs."""
    outputs = trace(function, [NAMES[x.dtype] for x in inputs])
    n = inputs[0].size
    padded = -(-n // LANES) * LANES
    arrays = [np.empty(padded, NUMPY[v.type]) for v in outputs]
    for x in inputs:
        full = np.ones(padded, x.dtype)
        full[:n] = x
        arrays.append(full)
    data = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    sizes = (ctypes.c_int64 * 1)(padded)
    kernel = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(machine.address(print_kernel(outputs)))
    kernel(data, sizes, None)
    results = tuple(a[:n] for a in arrays[: len(outputs)])
    return results if len(results) > 1 else results[0]
