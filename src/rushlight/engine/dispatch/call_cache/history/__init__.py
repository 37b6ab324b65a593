"""The history of a repeated call: the node that autograd would make, made by machine code.

When Python makes a call, `engine.autograd.recording` makes a node of the operator's class, gives it
its edges and what its gradient needs, and attaches it to the result; the call cache notes the step
and its arguments. `words` turns the note into words: the class of the node, which arguments want
gradients, what is kept. When the call is repeated, `record` reads the words and makes the node
anew; `changes` does so where elements of a tensor are changed in place. `edges` are the small
functions on which both stand. The classes belong to `engine.autograd`, which tells their layout in
`facts`.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import Words

# Types and offsets of fields; the counter of steps; the list of those who watch nodes being made;
# whether somebody has hooks on saved tensors.
facts = Words(
    "meta_type", "meta_edge", "meta_retained", "meta_tangent", "accumulate_type", "null_node_type", "slices_type",
    "slices_step", "slices_replay", "slices_base_geometry", "slices_view_geometry", "slices_base",
    "node_edges", "node_saved", "node_seq", "node_outputs",
    "result_type", "result_tensor", "result_version", "result_output", "result_original",
    "view_type", "view_view", "view_edge", "view_seen", "view_made", "view_replay",
    "one_of_several", "steps", "watchers", "hooks",
)  # fmt: skip


# Arguments that may want gradients, and results that may have a history: each has a bit in a word.
MOST_TARGETS = MOST_WANTED = 60


# What the result of a step is: a new tensor, a view of the first target, an argument whose elements
# were changed, or a view that was made while nothing was recorded.
NEW, VIEW, CHANGED, UNRECORDED = 0, 1, 2, 3


class STEP:
    """Positions of the words that describe a step, in bytes."""

    # The class of its node; 0 for a result that has the history of the only target; how an unrecorded view
    # came to be.
    cls = 0
    targets = 8  # how many differentiable arguments
    kept = 16  # how many things are kept
    kind = 24  # `NEW` and its kin
    several = 32  # whether the result is a tuple of tensors
    wanted = 40  # of several results, those with a history, as bits
    first = 48  # for each target, the argument it is; then for each thing kept: kind, what, users
    kept_length = 24


KEPT_TENSOR, KEPT_RESULT, KEPT_SIZE, KEPT_DTYPE, KEPT_OBJECT, KEPT_PLAIN_RESULT = 1, 2, 3, 4, 5, 6
KEPT_NUMBER = 7

# How `record_step` ends.
DONE, FOR_PYTHON, FAILED = 0, -1, -2
