"""Machine code from LLVM IR text, kept in memory and on disk.

One MCJIT engine lives as long as the process and is fed with objects only. An object comes from
the disk cache, or from the compiler and then goes there. Nothing is imported from llvmlite before
the first kernel is needed.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.native import object_cache, observe

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
_TIDYING = (
    "post_order_function_attributes", "always_inliner", "sroa", "simplify_cfg",
    "instruction_combine", "new_gvn", "simplify_cfg",
)  # fmt: skip
# Strength reduction takes a third of the time of code generation. Kernels gain nothing by it: their
# innermost strides are compiled in, and processors add scaled indices for nothing.
_SWITCHED_OFF = "disable-lsr"


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
    compiler = _get_compiler()
    if not callable(ir):
        observe.tell("ir", ir)
    said = identity if callable(ir) else ir
    digest = hashlib.blake2b(
        f"{optimise}|{compiler.salt}|{names}|{said}".encode(), digest_size=16
    ).hexdigest()
    with _lock:
        found = {name: _addresses.get(f"{name}_{digest}", 0) for name in names}
        if not all(found.values()):
            compiler.link(digest, ir, names, optimise)
            for name in names:
                found[name] = compiler.lookup(f"{name}_{digest}")
                _addresses[f"{name}_{digest}"] = found[name]
    return found


def assembly(ir: str, optimise: int = PLAIN) -> str:
    """The host's assembly for ``ir``, for people to read."""
    return _get_compiler().assembly(ir, optimise)


def host() -> tuple[str, str]:
    """The name of this machine's processor and its features, as LLVM spells them."""
    compiler = _get_compiler()
    return compiler.cpu, compiler.features


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
        self.cpu = llvm.get_host_cpu_name()
        self.features = llvm.get_host_cpu_features().flatten()
        version = ".".join(map(str, llvm.llvm_version_info))
        self.salt = (
            f"{version}|{llvm.get_process_triple()}|{self.cpu}|{self.features}|"
            f"{_TIDYING}|{_SWITCHED_OFF}"
        )
        self.engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), self._target_machine(jit=True)
        )
        # Code of the engine may run until the very end, when objects are released.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.engine))
        self._emitter: Any = None

    def _target_machine(self, jit: bool) -> Any:
        position: dict[str, str] = {} if jit else {"reloc": "pic", "codemodel": "small"}
        return self.llvm.Target.from_default_triple().create_target_machine(
            cpu=self.cpu, features=self.features, opt=2, jit=jit, **position
        )

    @property
    def emitter(self) -> Any:
        """The target machine that writes relocatable objects."""
        if self._emitter is None:
            self._emitter = self._target_machine(jit=False)
        return self._emitter

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
    def _own_options(self) -> Iterator[None]:
        """LLVM's options belong to the process: others who use it, as numba does, keep theirs."""
        self.llvm.set_option("", f"--{_SWITCHED_OFF}=true")
        try:
            yield
        finally:
            self.llvm.set_option("", f"--{_SWITCHED_OFF}=false")

    def link(
        self, digest: str, ir: str | Callable[[], str], names: tuple[str, ...], optimise: int
    ) -> None:
        code = object_cache.load(digest)
        if code is None:
            ir = ir() if callable(ir) else ir
            exported = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
            ir = re.sub(rf"@({exported})\b", rf"@\1_{digest}", ir)
            module = self.parse(ir, optimise)
            with self._own_options():
                code = self.emitter.emit_object(module)
            object_cache.store(digest, code)
        self.engine.add_object_file(self.llvm.ObjectFileRef.from_data(code))
        self.engine.finalize_object()

    def lookup(self, symbol: str) -> int:
        found = self.engine.get_function_address(symbol) or self.engine.get_global_value_address(
            symbol
        )
        if not found:
            raise RuntimeError(f"compiled object lacks the symbol {symbol}")
        return int(found)

    def assembly(self, ir: str, optimise: int) -> str:
        module = self.parse(ir, optimise)
        with self._own_options():
            return str(self.emitter.emit_assembly(module))


def _hold_lock_over_fork() -> None:
    """A child must not inherit the compiler's lock from a thread that does not exist there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
        )


_hold_lock_over_fork()
