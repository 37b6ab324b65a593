"""The memory of calls: what a public function did, done again by machine code.

`key` says which calls are alike, `recorder` notes what a call does, `steps` are the kinds of what it may do,
`sequence` makes one step of them, `table` keeps it, `replay` does it again, `classes` does so for other
sizes, and `validity` says when all of that holds no longer. A `binding` is what all this is for: a public
function.
"""

from rushlight.engine.dispatch.call_cache.binding import (
    MOST_SLOTS,
    Binding,
    bindings,
    count_as_plain,
    graph_function,
    is_wanted,
    let_overrides_answer,
    no_numbers,
    no_sizes,
    overridable_function,
    public_function,
    public_method,
    remembered,
)
from rushlight.engine.dispatch.call_cache.key import (
    HAS_SUBSCRIPT,
    TAKES_ARRAYS,
    TAKES_LISTS,
    Numbers,
    Sizes,
)
from rushlight.engine.dispatch.call_cache.validity import forget_calls, remember_under
