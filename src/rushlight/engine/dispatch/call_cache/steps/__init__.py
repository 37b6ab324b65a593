"""The kinds of steps."""

from rushlight.engine.dispatch.call_cache.steps.arrays import Adopted, Exported
from rushlight.engine.dispatch.call_cache.steps.changes import Changed, Kept
from rushlight.engine.dispatch.call_cache.steps.lists import FromLists
from rushlight.engine.dispatch.call_cache.steps.notes import (
    ByValue,
    Constant,
    OfSizes,
    Record,
    Shadow,
    Unrepeatable,
    warn,
    without_history,
)
from rushlight.engine.dispatch.call_cache.steps.produced import Produced, Rows, StatusChecked
from rushlight.engine.dispatch.call_cache.steps.sized import Sized
from rushlight.engine.dispatch.call_cache.steps.told import Told
from rushlight.engine.dispatch.call_cache.steps.values import (
    Element,
    HeldInteger,
    Index,
    Known,
    NestedList,
    Same,
)
from rushlight.engine.dispatch.call_cache.steps.views import OtherView, Place, View, Views
from rushlight.engine.dispatch.call_cache.steps.wrapped import Wrapped
from rushlight.engine.dispatch.call_cache.steps.written import Mapped, Written
