"""Functions that are translated when compiled code calls them.

An inlined function becomes part of its caller. One that is compiled apart becomes a function of the
machine's, once for all calls with the same constants: its keyword-only parameters are known when
code is written, the others when it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from rushlight.engine.native.garbage import uncollected
from rushlight.engine.native.lowlevel import control
from rushlight.engine.native.lowlevel.rewriting import rewritten
from rushlight.engine.native.lowlevel.source import refuse
from rushlight.engine.native.lowlevel.text import Text, here, is_written, writing
from rushlight.engine.native.lowlevel.values import (
    BIT,
    POINTER,
    WORD,
    Value,
    lifted,
)

Source = TypeVar("Source", bound=Callable[..., Any])

# What annotations of parameters say about their kinds.
_KINDS = {"int": WORD, "bool": BIT, "Pointer": POINTER}


class _Translated:
    """A function of the language, or the method of an object that Python knows."""

    def __init__(self, source: Callable[..., Any]) -> None:
        functools.update_wrapper(self, source)
        self.source = source

    @functools.cached_property
    def writer(self) -> Callable[..., Any]:
        return rewritten(self.source)

    def __get__(self, owner: Any, _: Any) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *arguments: Any, **constants: Any) -> Any:
        raise NotImplementedError


class _Inlined(_Translated):
    def __call__(self, *arguments: Any, **constants: Any) -> Any:
        if not is_written():
            raise TypeError(f"{self.source.__name__} runs only as part of compiled code")
        text = here()
        end = control.Inline()
        text.returns.append(end)
        self.writer(*arguments, **constants)
        control.leave()
        text.returns.pop()
        return end.result()


class _Apart(_Translated):
    def __init__(self, source: Callable[..., Any]) -> None:
        super().__init__(source)
        # What was written for an owner, which does not change once it is made, serves every module.
        self._written: WeakKeyDictionary[Any, dict[Hashable, Text]] = WeakKeyDictionary()

    def __call__(self, *arguments: Any, **constants: Any) -> None:
        owner, *given = arguments
        values = [lifted(x) for x in given]
        name = self.defined(owner, [x.kind for x in values], constants)
        here().do(f"call void @{name}({', '.join(map(repr, values))})")

    def defined(self, owner: Any, kinds: list[str], constants: dict[str, Any]) -> str:
        """The name of the function for these constants; what is not there yet is translated."""
        outer = here()
        facts = (*kinds, *constants.values())
        name = self.source.__name__ + "x".join(str(x) for x in constants.values())
        if (self, id(owner), facts) not in outer.helpers:
            written = self._written.setdefault(owner, {})
            if facts not in written:
                written[facts] = self._translated(name, owner, kinds, constants)
            outer.take(written[facts])
            outer.helpers[self, id(owner), facts] = name
        return name

    def _translated(
        self, name: str, owner: Any, kinds: list[str], constants: dict[str, Any]
    ) -> Text:
        """A text that has the function, and what it calls, as its helpers."""
        names = self.source.__code__.co_varnames[1 : len(kinds) + 1]  # type: ignore[attr-defined]
        values = [Value(kind, f"%p.{name}") for name, kind in zip(names, kinds, strict=True)]
        text = Text()
        text.returns.append(control.Apart(""))
        with writing(text):
            self.writer(owner, *values, **constants)
        parameters = ", ".join(map(repr, values))
        text.define(name, text.function(f"define internal void @{name}({parameters}) noinline"))
        return text


def inlined(source: Source) -> Source:
    """A function with control flow of the machine's, which becomes part of those that call it."""
    return _Inlined(source)  # type: ignore[return-value]


def apart(source: Source) -> Source:
    """A method that stays a function of its own. Keyword-only parameters are constants."""
    return _Apart(source)  # type: ignore[return-value]


def define(method: Any, **constants: Any) -> None:
    """Have a method that is compiled apart even if nothing calls it.

    Kernels of a family that have the same functions share their code. What its parameters are is
    what their annotations say: ``int``, ``bool`` or ``Pointer``.
    """
    function, (owner,) = method.func, method.args
    kinds = []
    for name, annotation in function.source.__annotations__.items():
        if name not in (*constants, "return"):
            if annotation not in _KINDS:
                raise TypeError(f"{name} of {function.source.__name__} has no kind: {annotation}")
            kinds.append(_KINDS[annotation])
    function.defined(owner, kinds, constants)


def kernel_text(
    run: Callable[..., None],
    parameters: str = "ptr %data, ptr %sizes, ptr %strides",
    **module: str,
) -> str:
    """The text of a kernel, a method of an object.

    Its parameters are the addresses of the operands' pointers, of the sizes, and of the strides,
    unless other ones are said: kinds and names.
    """
    text = Text()
    given = (parameter.split() for parameter in parameters.split(", "))
    with uncollected(), writing(text):
        run(*(Value(kind, name) for kind, name in given))
    return text.module(parameters, **module)


def refused(source: Callable[..., Any], write: Callable[[], None]) -> None:
    """Translate; what cannot be is said with its line."""
    try:
        write()
    except SyntaxError:
        raise
    except (TypeError, ValueError, AttributeError, NameError, LookupError) as error:
        refuse(source, error)
