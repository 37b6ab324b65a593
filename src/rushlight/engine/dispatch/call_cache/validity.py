"""When what is remembered of calls holds no longer.

`state.switches.generation` is a part of every key: whoever changes what calls do raises it, and no
call that was remembered before is ever found again. A binding lets go of them when it is next
missed. Settings that programs switch to and fro, as `sdpa_kernel` does, have a word for each combination: calls that were
remembered under the same settings are found again.
"""

from __future__ import annotations

from collections.abc import Hashable

from rushlight.engine.core import library_settings, state
from rushlight.engine.dispatch import registry

_words, _GENERATION = state.switches.places("generation")


class _Settings:
    """The combination that is chosen, the words of all that were since everything was forgotten, and the highest word.

    How often the word has changed, too: within a call it may have been another one, and be back.
    """

    chosen: Hashable = library_settings.chosen
    words: dict[Hashable, int]
    last = changes = 0

    def __init__(self) -> None:
        self.words = {}


_settings = _Settings()


def generation() -> int:
    """The word that keys have now."""
    return _words[_GENERATION]  # type: ignore[no-any-return]


def changes() -> int:
    """How often that word has changed; a call made meanwhile may have been made under either."""
    return _settings.changes


def forget_calls() -> None:
    """Let no remembered call be found again, after a change of something that they depend on."""
    _settings.words = {}
    _choose(_settings.chosen)


def remember_under(settings: Hashable) -> None:
    """Let only calls be found that were remembered under these settings.

    Args:
        settings: all that is switched to and fro, and decides what calls do
    """
    _settings.words.setdefault(_settings.chosen, generation())
    _choose(settings)


def _choose(settings: Hashable) -> None:
    word = _settings.words.get(settings)
    if word is None:
        _settings.last += 1
        word = _settings.words[settings] = _settings.last
    _settings.chosen = settings
    _settings.changes += 1
    state.switches.generation = word


registry.when_changed.append(forget_calls)
