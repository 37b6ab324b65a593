"""Programs that were compiled with their gradients, found again by their graph: in this process, then on disk.

Layers of a model that are compiled one by one have the same graph, and so has a function that is captured again, by
this process or by the next. Then neither the joint graph is traced, nor cut, nor compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.utils import counters
from rushlight._functorch import config as settings
from rushlight._functorch._aot_autograd.schemas import AOTConfig, SerializableAOTDispatchCompiler

__all__ = ["AOTAutogradCache", "BypassAOTAutogradCache", "autograd_cache_key"]


class BypassAOTAutogradCache(Exception):
    """What becomes of a program depends on more than can be written down."""


def _key_and_details(
    mod: Any, args: Sequence[Any], config: AOTConfig, is_for_all: bool = False
) -> tuple[str, Any]:
    """What tells a program from others, of this process or ``for all``, and the text that this is made of."""
    # The cache of graphs knows what a graph depends on; it is above this package.
    from rushlight._inductor.codecache import BypassFxGraphCache, FxGraphHashDetails
    from rushlight._inductor.program_files import StableDetails

    try:
        details = (StableDetails if is_for_all else FxGraphHashDetails)(mod, args)
        names = [name for name in vars(settings) if not name.startswith("_") and name != "patch"]
        plain = (bool, int, float, str, type(None), list, dict)
        found = {n: getattr(settings, n) for n in names if isinstance(getattr(settings, n), plain)}
        details.lines.append(details.text(found))
        numbers = (
            config.num_params_buffers, config.keep_inference_input_mutations, config.dynamic_shapes,
        )  # fmt: skip
        details.lines.append(details.text(numbers))
        for compiler in (config.fw_compiler, config.bw_compiler, config.inference_compiler):
            details.lines.append(_compiler(compiler, details))
        details.lines.append(details.named(config.partition_fn))
        for op, fn in config.decompositions.items():
            details.lines.append(f"{details.named(op)}: {details.named(fn)}")
    except BypassFxGraphCache as error:
        raise BypassAOTAutogradCache(str(error)) from error
    return "a" + details.key, details


def _compiler(compiler: Any, details: Any) -> str:
    if not isinstance(compiler, SerializableAOTDispatchCompiler):
        raise BypassAOTAutogradCache(f"{compiler} may give something else next time")
    code = getattr(compiler.compiler_fn, "__code__", compiler.compiler_fn)
    return f"{details.named(compiler.output_code_ty)} by {details.named(code)}"


def autograd_cache_key(
    gm: Any, example_inputs: Sequence[Any], config: AOTConfig, fx_config: Any = None
) -> tuple[str, list[str]]:
    """What tells a program, and how it is compiled, from others, and the text that this is made of.

    Args:
        gm: the program's graph
        example_inputs: its arguments
        config: how it is compiled
        fx_config: accepted; settings are read where they are
    """
    key, details = _key_and_details(gm, example_inputs, config)
    return key, details.lines


class AOTAutogradCache:
    """The programs that were compiled in this process."""

    _made: Any = None

    @classmethod
    def clear(cls) -> None:
        """Forget all programs."""
        cls._made = None

    @classmethod
    def load(
        cls, mod: Any, args: Sequence[Any], config: AOTConfig, compile_program: Callable[[Any], Any]
    ) -> Any:
        """What was compiled, or what is compiled now.

        Args:
            mod: the program's graph
            args: its arguments
            config: how it is compiled
            compile_program: compiles it, and tells what it is given of the graphs that it has compiled
        """
        if not settings.enable_autograd_cache or not isinstance(
            config.fw_compiler, SerializableAOTDispatchCompiler
        ):
            return compile_program(None)
        counts = counters["aot_autograd"]
        try:
            key, details = _key_and_details(mod, args, config)
        except BypassAOTAutogradCache:
            counts["autograd_cache_bypass"] += 1
            if settings.strict_autograd_cache:
                raise
            return compile_program(None)
        made = cls._cache().lookup(key, list(details.symbols.values()))
        if made is not None:
            counts["autograd_cache_hit"] += 1
            return made
        made, keep = cls._on_disk(mod, args, config)
        if made is not None:
            counts["autograd_cache_hit"] += 1
            counts["autograd_cache_hit_on_disk"] += 1
        else:
            counts["autograd_cache_miss"] += 1
            made = compile_program(keep)
        cls._cache().save(key, details, made)
        counts["autograd_cache_saved"] += 1
        return made

    @staticmethod
    def _on_disk(mod: Any, args: Sequence[Any], config: AOTConfig) -> tuple[Any, Any]:
        """The program as it is on disk, or None; and what writes it."""
        from rushlight._inductor import program_files

        try:
            _, details = _key_and_details(mod, args, config, is_for_all=True)
        except BypassAOTAutogradCache:
            return None, None
        name, symbols = program_files.file_of(details.lines), list(details.symbols.values())
        save = functools.partial(program_files.save, name, symbols)
        return program_files.load(name, symbols, config), save

    @classmethod
    def _cache(cls) -> Any:
        from rushlight._inductor.codecache import GuardedCache

        if cls._made is None:
            cls._made = GuardedCache()
        return cls._made
