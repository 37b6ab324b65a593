"""What the passes tell each other about a program."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.engine.native.records import dataclass

__all__ = [
    "AOTConfig",
    "BackwardSignature",
    "GraphSignature",
    "InputAliasInfo",
    "MutationType",
    "OutputAliasInfo",
    "OutputType",
    "SerializableAOTDispatchCompiler",
    "SubclassCreationMeta",
    "ViewAndMutationMeta",
]


class OutputType(enum.Enum):
    """What a result shares with others."""

    non_alias = 1
    # A view of an argument, or the argument itself: made again outside of the graph.
    alias_of_input = 2
    is_input = 3
    # A view of a value of the graph, which becomes one more result, if it is none yet.
    alias_of_intermediate_save_as_output = 4
    alias_of_intermediate = 5
    alias_of_intermediate_base_is_user_output = 6
    # A view of something that nobody else sees.
    unsafe_view_alias = 7


class MutationType(enum.Enum):
    """Where a change of an argument is made."""

    NOT_MUTATED = 1
    MUTATED_IN_GRAPH = 2
    MUTATED_OUT_GRAPH = 3


class Varies(enum.Enum):
    """What a gradient is like that was traced with symbols for sizes, where nothing else is known of it any more."""

    VARIES = enum.auto()


VARIES = Varies.VARIES


@dataclass
class InputAliasInfo:
    """What a program does to an argument.

    Args:
        is_leaf: whether no recorded step made it
        mutates_data: whether its elements are changed
        mutates_metadata: whether its sizes and strides are changed
        mutations_under_no_grad_or_inference_mode: whether that is never recorded
        requires_grad: whether it wants a gradient
        keep_input_mutations: whether the graph may make the change
        steps: the views that lead from what it was to what it is; None if sizes and strides do
    """

    is_leaf: bool
    mutates_data: bool
    mutates_metadata: bool
    mutations_under_no_grad_or_inference_mode: bool
    requires_grad: bool
    keep_input_mutations: bool
    steps: tuple[Any, ...] | None = None

    @property
    def mutation_type(self) -> MutationType:
        """Where the change is made."""
        if not self.mutates_data and not self.mutates_metadata:
            return MutationType.NOT_MUTATED
        unseen = not self.requires_grad or self.mutations_under_no_grad_or_inference_mode
        if self.keep_input_mutations and unseen and not self.mutates_metadata:
            return MutationType.MUTATED_IN_GRAPH
        return MutationType.MUTATED_OUT_GRAPH


@dataclass
class OutputAliasInfo:
    """What a result is.

    Args:
        output_type: what it shares with others
        raw_type: its class
        base_idx: the place of the argument, the result or the kept value that it is a view of
        requires_grad: whether it has a history
        steps: the views that lead to it from there; None where sizes and strides have to do
    """

    output_type: OutputType
    raw_type: type
    base_idx: int | None
    requires_grad: bool
    steps: tuple[Any, ...] | None = None


@dataclass
class SubclassCreationMeta:
    """How a tensor of a class is put together.

    Args:
        flat_tensor_start_idx: the place of its first part among all parts
        arg_count: how many parts it has
        attrs: the names of its parts, and what they are
        meta: what its class says of it
        outer_size: its size
        outer_stride: its strides
        original_subclass_type: its class
    """

    flat_tensor_start_idx: int
    arg_count: int
    attrs: dict[str, Any]
    meta: Any
    outer_size: Any
    outer_stride: Any
    original_subclass_type: type


@dataclass
class ViewAndMutationMeta:
    """What a program does, besides computing.

    Args:
        input_info: of each argument
        output_info: of each result
        num_intermediate_bases: how many values the graph returns because results are views of them
        traced_tangents: what gradients of results are like
        subclass_inp_meta: how arguments are put together of what the graph takes
        subclass_fw_graph_out_meta: how results are put together of what the graph returns
        is_train: whether gradients are wanted
    """

    input_info: list[InputAliasInfo]
    output_info: list[OutputAliasInfo]
    num_intermediate_bases: int
    keep_input_mutations: bool
    traced_tangents: list[Any]
    subclass_inp_meta: list[int | SubclassCreationMeta]
    subclass_fw_graph_out_meta: list[int | SubclassCreationMeta]
    is_train: bool

    @property
    def mutated_inp_runtime_indices(self) -> list[int]:
        """The arguments whose change is made outside of the graph."""
        out = MutationType.MUTATED_OUT_GRAPH
        return [k for k, info in enumerate(self.input_info) if info.mutation_type is out]

    @property
    def mutated_graph_handled_indices(self) -> list[int]:
        """The arguments that the graph changes."""
        inside = MutationType.MUTATED_IN_GRAPH
        return [k for k, info in enumerate(self.input_info) if info.mutation_type is inside]

    @property
    def num_mutated_inp_runtime_indices(self) -> int:
        return len(self.mutated_inp_runtime_indices)

    @property
    def num_outputs(self) -> int:
        return len(self.output_info)

    @property
    def num_forward_returns(self) -> int:
        """How many values the forward graph returns, before those that are kept for the backward one."""
        return self.num_mutated_inp_runtime_indices + self.num_outputs + self.num_intermediate_bases

    @property
    def output_types(self) -> list[OutputType]:
        return [info.output_type for info in self.output_info]


@dataclass
class AOTConfig:
    """How a program is compiled.

    Args:
        fw_compiler: makes a function of the forward graph
        bw_compiler: makes one of the backward graph
        partition_fn: cuts the joint graph
        decompositions: what operators are traced as
        num_params_buffers: how many of the first arguments stay where they are
        aot_id: the number of the program
        keep_inference_input_mutations: whether graphs may change arguments
        is_export: whether the graph is all that is wanted
        no_tangents: whether the first result is a loss whose gradient is 1
        dynamic_shapes: whether sizes are symbols
        inference_compiler: makes a function of a graph without gradients
        pre_dispatch: whether operators are seen above autograd
        disable_functionalization: whether writes of the program stay in the graph
    """

    fw_compiler: Callable[..., Any] | None
    bw_compiler: Callable[..., Any] | None
    partition_fn: Callable[..., Any] | None
    decompositions: Mapping[Any, Callable[..., Any]]
    num_params_buffers: int
    aot_id: int
    keep_inference_input_mutations: bool
    is_export: bool = False
    no_tangents: bool = False
    dynamic_shapes: bool = False
    inference_compiler: Callable[..., Any] | None = None
    pre_dispatch: bool = False
    disable_functionalization: bool = False


@dataclass
class BackwardSignature:
    """What the results of an exported backward graph are.

    Args:
        gradients_to_parameters: names of results, and of the parameters that they are gradients of
        gradients_to_user_inputs: the same for arguments
        loss_output: the name of the loss
    """

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclass
class GraphSignature:
    """What the arguments and results of an exported graph are.

    Args:
        parameters: names of the module's parameters
        buffers: names of its buffers
        user_inputs: names of the graph's arguments that are the program's
        user_outputs: names of its results that are the program's
        inputs_to_parameters: arguments that are parameters
        inputs_to_buffers: arguments that are buffers
        buffers_to_mutate: results that buffers become
        parameters_to_mutate: results that parameters become
        user_inputs_to_mutate: results that the program's arguments become
        in_spec: how the arguments were nested
        out_spec: how the results were
        backward_signature: of a graph with gradients
    """

    parameters: list[str]
    buffers: list[str]
    user_inputs: list[str]
    user_outputs: list[str]
    inputs_to_parameters: dict[str, str]
    inputs_to_buffers: dict[str, str]
    buffers_to_mutate: dict[str, str]
    parameters_to_mutate: dict[str, str]
    user_inputs_to_mutate: dict[str, str]
    in_spec: Any
    out_spec: Any
    backward_signature: BackwardSignature | None
    input_tokens: Sequence[str] = ()
    output_tokens: Sequence[str] = ()

    @classmethod
    def from_tracing_metadata(
        cls,
        *,
        in_spec: Any,
        out_spec: Any,
        graph_input_names: list[str],
        graph_output_names: list[str],
        view_mutation_metadata: ViewAndMutationMeta,
        named_parameters: list[str],
        named_buffers: list[str],
        num_user_outputs: int,
        trace_joint: bool,
        loss_index: int | None,
        backward_signature: BackwardSignature | None,
    ) -> GraphSignature:
        """The signature of a graph whose first arguments are parameters and buffers."""
        count, past = len(named_parameters), len(named_parameters) + len(named_buffers)
        parameters = dict(zip(graph_input_names[:count], named_parameters))
        buffers = dict(zip(graph_input_names[count:past], named_buffers))
        changed: dict[str, str] = {}
        of_parameters: dict[str, str] = {}
        of_users: dict[str, str] = {}
        indices = view_mutation_metadata.mutated_inp_runtime_indices
        for output, index in zip(graph_output_names, indices):
            name = graph_input_names[index]
            if name in buffers:
                changed[output] = buffers[name]
            elif name in parameters:
                of_parameters[output] = parameters[name]
            else:
                of_users[output] = name
        first = len(indices)
        return cls(
            parameters=named_parameters,
            buffers=named_buffers,
            user_inputs=graph_input_names[past:],
            user_outputs=graph_output_names[first : first + num_user_outputs],
            inputs_to_parameters=parameters,
            inputs_to_buffers=buffers,
            buffers_to_mutate=changed,
            parameters_to_mutate=of_parameters,
            user_inputs_to_mutate=of_users,
            in_spec=in_spec,
            out_spec=out_spec,
            backward_signature=backward_signature,
        )


class SerializableAOTDispatchCompiler:
    """A compiler whose functions depend on the graph, its arguments and settings only, so they may be kept.

    Args:
        output_code_ty: what the functions are
        compiler_fn: takes a graph and example arguments
    """

    def __init__(self, output_code_ty: type, compiler_fn: Callable[..., Any]) -> None:
        self.output_code_ty = output_code_ty
        self.compiler_fn = compiler_fn

    def __call__(self, gm: Any, example_inputs: Sequence[Any]) -> Any:
        return self.compiler_fn(gm, example_inputs)
