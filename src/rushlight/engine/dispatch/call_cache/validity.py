"""When what is remembered of calls holds no longer.

`state.switches.generation` is a part of every key: whoever changes what calls do raises it, and no
call that was remembered before is ever found again. A binding lets go of them when it is next
missed.
"""

from __future__ import annotations

from rushlight.engine.core import state
from rushlight.engine.dispatch import registry

_words, _GENERATION = state.switches.places("generation")


def generation() -> int:
    """The word that keys have now; a call made while it changed may have been the old or the new one."""
    return _words[_GENERATION]  # type: ignore[no-any-return]


def forget_calls() -> None:
    """Let no remembered call be found again, after a change of something that they depend on."""
    state.switches.generation += 1


registry.when_changed.append(forget_calls)
