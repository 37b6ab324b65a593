"""Machine code from LLVM IR text, kept in memory and on disk.

An object comes from the disk cache, or from the compiler and then goes there; the linker puts it
into memory. Nothing is imported from llvmlite before something must be compiled: loading LLVM takes
longer than all else that a small program does. What it says about the processor is kept on disk, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import platform
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.native import linker, object_cache, observe
from rushlight.engine.native.digest import digest as digest_of_bytes
from rushlight.engine.native.forks import hold_over_fork

_lock = threading.RLock()
_addresses: dict[str, int] = {}
# Texts that were asked for lately: a text that is kept somewhere need not be read again.
_recent: dict[tuple[str, int], int] = {}
_MOST_RECENT = 4096
_compiler: _Compiler | None = None

# What is done with a text before code is generated: nothing, which suits text that is written in
# explicit vectors; a few passes, for control flow on words; or all of LLVM's -O2, which takes ten
# times as long and makes vectors of loops.
PLAIN, TIDY, FULLY = 0, 1, 2
# Variables become registers before functions are inlined: that is done once for each function.
_TIDYING = (
    "sroa", "simplify_cfg", "always_inliner", "instruction_combine", "new_gvn", "simplify_cfg",
)  # fmt: skip
# Strength reduction takes a third of the time of code generation. Kernels gain nothing by it: their
# innermost strides are compiled in, and processors add scaled indices for nothing. The scheduler behind
# register allocation asks for analyses and then, at these levels, does nothing on x86; other processors that
# run ahead of what they wait for do without.
_SWITCHES = {"disable-lsr": True, "disable-post-ra": True}
# How much is done for the code of kernels, and for control flow on words: that is as fast with less, and if
# instructions are chosen one by one, which takes half the time.
_LEVEL, _LEVEL_TO_TIDY = 2, 1
_SWITCHES_TO_TIDY = _SWITCHES | {"fast-isel": True}
# A kernel of so many characters has few values at a time: their order needs no second thought.
_SHORT = 1 << 14
_SWITCHES_IF_SHORT = _SWITCHES | {"enable-misched": False}
_DIGEST_AT_END = re.compile(r"_([0-9a-f]{32})$")
# Lines of /proc/cpuinfo.
_OF_THE_PROCESSOR = (
    "vendor_id", "cpu family", "model", "stepping", "flags",
    "Features", "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision",
)  # fmt: skip


def address(ir: str, optimise: int = PLAIN) -> int:
    """The address of the function that ``ir`` defines under the name ``@KERNEL``."""
    key = ir, optimise
    found = _recent.get(key)
    if found is None or observe.is_heard():
        if len(_recent) >= _MOST_RECENT:
            _recent.clear()
        found = _recent[key] = library(ir, ("KERNEL",), optimise)["KERNEL"]
    return found


def library(
    ir: str | Callable[[], str], names: tuple[str, ...], optimise: int = PLAIN, identity: str = ""
) -> dict[str, int]:
    """The addresses of the functions or globals called ``@<name>`` in ``ir``, for each name.

    The same text gives the same addresses: it is compiled and linked once per process. Where an
    ``identity`` says what the text would be, it is asked for only if there is no code yet.
    """
    if not callable(ir):
        observe.tell("ir", (ir, optimise))
    return _library(ir, names, optimise, identity)


def _library(
    ir: str | Callable[[], str], names: tuple[str, ...], optimise: int, identity: str = ""
) -> dict[str, int]:
    digest = _digest_of(identity if callable(ir) else ir, names, optimise)
    symbols = [f"{name}_{digest}" for name in names]
    with _lock:
        if not all(symbol in _addresses for symbol in symbols):
            found = _kept(digest, symbols)
            if found is None:
                code = _compile(digest, ir() if callable(ir) else ir, names, optimise)
                object_cache.store(digest, code)
                found = _linked(code, symbols)
            missing = [symbol for symbol in symbols if not found.get(symbol)]
            if missing:
                raise RuntimeError(f"compiled object lacks the symbols {', '.join(missing)}")
            _addresses.update((symbol, found[symbol]) for symbol in symbols)
        return {name: _addresses[symbol] for name, symbol in zip(names, symbols)}


def _compile(digest: str, ir: str, names: tuple[str, ...], optimise: int) -> bytes:
    """The object of a text; what it exports has the digest in its name.

    Helper functions that other texts have, too, are objects of their own.
    """
    from rushlight.engine.native import common_code

    divisible = optimise == PLAIN and linker.is_for_this_system()
    cut = common_code.cut(ir) if divisible else None
    if cut is not None:
        _library(cut.helpers, cut.names, optimise)
        ir = _named(cut.rest, cut.names, _digest_of(cut.helpers, cut.names, optimise))
    return _get_compiler().compile(_named(ir, names, digest), optimise)


def _named(ir: str, names: tuple[str, ...], digest: str) -> str:
    """A text where some names have a digest at their end."""
    found = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"@({found})\b", rf"@\1_{digest}", ir)


def _kept(digest: str, symbols: list[str]) -> dict[str, int] | None:
    """What the object on disk defines; None if it is not there, or what it refers to is not."""
    code = object_cache.load(digest)
    try:
        return None if code is None else _linked(code, symbols)
    except LookupError:
        return None


def _linked(code: bytes, symbols: list[str]) -> dict[str, int]:
    return linker.link(code, _of_other_object) or _get_compiler().link(code, symbols)


def _of_other_object(symbol: str) -> int | None:
    """The address of a helper function; None if a name is not one of an object's."""
    digest = _DIGEST_AT_END.search(symbol)
    if digest is None or symbol in _addresses:
        return _addresses.get(symbol)
    found = _kept(digest[1], [symbol])
    if found is None or symbol not in found:
        raise LookupError(f"no object defines {symbol}")
    _addresses.update(found)
    return found[symbol]


def assembly(ir: str, optimise: int = PLAIN, chosen_for: str = "") -> str:
    """The host's assembly for ``ir``, for people to read.

    ``chosen_for`` is the text by whose length LLVM's options are chosen, where ``ir`` is that text with
    more in it.
    """
    return _get_compiler().assembly(ir, optimise, chosen_for or ir)


def host() -> tuple[str, str]:
    """The name of this machine's processor and its features, as LLVM spells them."""
    facts = _facts()
    return facts["cpu"], facts["features"]


def _digest_of(said: str, names: tuple[str, ...], optimise: int) -> str:
    return _digest(f"{optimise}|{_salt()}|{names}|{said}")


def _digest(text: str) -> str:
    return digest_of_bytes(text.encode()).hex()


@functools.cache
def _salt() -> str:
    """What decides the code of a text, besides the text."""
    switches = f"{_SWITCHES_TO_TIDY}|{_SWITCHES_IF_SHORT}|{_SHORT}"
    return f"{_facts()}|{_TIDYING}|{_LEVEL}|{_LEVEL_TO_TIDY}|{switches}"


@functools.cache
def _facts() -> dict[str, str]:
    """LLVM's version, and what it says about this machine; kept on disk for this installation."""
    place = _installation()
    digest = _digest(f"facts of lines|{place}")
    kept = object_cache.load(digest) if place else None
    if kept is not None:
        return dict(line.split("=", 1) for line in kept.decode().split("\n"))
    facts = _get_compiler().facts
    if place:
        object_cache.store(digest, "\n".join(map("=".join, facts.items())).encode())
    return facts


def _installation() -> str:
    """The processor and the LLVM that are here, told without asking LLVM; empty if that is unknown."""
    found = importlib.util.find_spec("llvmlite")
    try:
        package = found.origin if found and found.origin else ""
        library = os.stat(os.path.join(os.path.dirname(package), "binding", "libllvmlite.so"))
        processor = _processor()
    except OSError:
        return ""
    return f"{package}|{library.st_mtime_ns}|{library.st_size}|{platform.machine()}|{processor}"


def _processor() -> str:
    """What the system says about the processor: its model and what it can do."""
    with contextlib.suppress(OSError), open("/sys/devices/system/cpu/modalias") as file:
        said = file.read()
        if said.startswith("cpu:type:x86,"):
            # Says it all, while /proc/cpuinfo waits until every core has told its frequency.
            return said
    with open("/proc/cpuinfo") as file:
        first = file.read(1 << 14).partition("\n\n")[0]
    # the clock's frequency, for one, changes all the time
    return str([line for line in first.splitlines() if line.startswith(_OF_THE_PROCESSOR)])


def _get_compiler() -> _Compiler:
    global _compiler
    if _compiler is None:
        with _lock:
            if _compiler is None:
                _compiler = _Compiler()
    return _compiler


class _Compiler:
    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm = llvm
        self.facts = {
            "version": ".".join(map(str, llvm.llvm_version_info)),
            "triple": llvm.get_process_triple(),
            "cpu": llvm.get_host_cpu_name(),
            "features": llvm.get_host_cpu_features().flatten(),
        }

    def _target_machine(self, jit: bool, level: int = _LEVEL) -> Any:
        position: dict[str, str] = {} if jit else {"reloc": "pic", "codemodel": "small"}
        return self.llvm.Target.from_default_triple().create_target_machine(
            cpu=self.facts["cpu"], features=self.facts["features"], opt=level, jit=jit, **position
        )

    @functools.cached_property
    def emitter(self) -> Any:
        """The target machine that writes relocatable objects."""
        return self._target_machine(jit=False)

    @functools.cached_property
    def quick_emitter(self) -> Any:
        """The same for text that is tidied: a machine keeps how it chooses instructions."""
        return self._target_machine(jit=False, level=_LEVEL_TO_TIDY)

    @functools.cached_property
    def engine(self) -> Any:
        """LLVM's own linker, for objects that ours does not understand."""
        llvm = self.llvm
        made = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._target_machine(jit=True))
        # Its code may run until the very end, when objects are released.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        return made

    def parse(self, ir: str, optimise: int) -> Any:
        llvm = self.llvm
        module = llvm.parse_assembly(ir)
        module.verify()
        if optimise != PLAIN:
            options = llvm.create_pipeline_tuning_options(speed_level=2)
            builder = llvm.create_pass_builder(self.emitter, options)
            passes = self._tidying() if optimise == TIDY else builder.getModulePassManager()
            passes.run(module, builder)
        return module

    def _tidying(self) -> Any:
        passes = self.llvm.create_new_module_pass_manager()
        for name in _TIDYING:
            getattr(passes, f"add_{name}_pass")()
        return passes

    @contextmanager
    def _emitter_for(self, ir: str, optimise: int) -> Iterator[Any]:
        """The machine to write code with, while LLVM's options are as it needs them.

        They belong to the process: others who use LLVM, as numba does, keep theirs.
        """
        is_short = optimise == PLAIN and len(ir) < _SHORT
        switches = _SWITCHES_IF_SHORT if is_short else _SWITCHES
        if optimise == TIDY:
            switches = _SWITCHES_TO_TIDY
        try:
            self._switch(switches)
            yield self.quick_emitter if optimise == TIDY else self.emitter
        finally:
            self._switch({name: not value for name, value in switches.items()})

    def _switch(self, switches: dict[str, bool]) -> None:
        for name, value in switches.items():
            self.llvm.set_option("", f"--{name}={str(value).lower()}")

    def compile(self, ir: str, optimise: int) -> bytes:
        module = self.parse(ir, optimise)
        with self._emitter_for(ir, optimise) as emitter:
            return bytes(emitter.emit_object(module))

    def link(self, code: bytes, symbols: list[str]) -> dict[str, int]:
        for symbol, address in _addresses.items():
            self.llvm.add_symbol(symbol, address)
        self.engine.add_object_file(self.llvm.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        engine = self.engine
        return {
            symbol: engine.get_function_address(symbol) or engine.get_global_value_address(symbol)
            for symbol in symbols
        }

    def assembly(self, ir: str, optimise: int, chosen_for: str) -> str:
        module = self.parse(ir, optimise)
        with self._emitter_for(chosen_for, optimise) as emitter:
            return str(emitter.emit_assembly(module))


hold_over_fork(_lock)
