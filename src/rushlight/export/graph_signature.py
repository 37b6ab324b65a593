"""What the inputs and outputs of an exported graph are."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass

__all__ = [
    "ArgumentSpec",
    "ConstantArgument",
    "CustomObjArgument",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "InputKind",
    "InputSpec",
    "OutputKind",
    "OutputSpec",
    "SymBoolArgument",
    "SymFloatArgument",
    "SymIntArgument",
    "TensorArgument",
    "TokenArgument",
]


@dataclass
class TensorArgument:
    """A tensor, by the name of its node."""

    name: str


@dataclass
class TokenArgument:
    """What keeps effects in order, by the name of its node."""

    name: str


@dataclass
class SymIntArgument:
    """A symbolic integer, by the name of its node."""

    name: str


@dataclass
class SymFloatArgument:
    """A symbolic float, by the name of its node."""

    name: str


@dataclass
class SymBoolArgument:
    """A symbolic truth value, by the name of its node."""

    name: str


@dataclass
class CustomObjArgument:
    """An object of a class of TorchScript, by the name of its node."""

    name: str
    class_fqn: str
    fake_val: Any = None


@dataclass
class ConstantArgument:
    """What is always the same; outputs of this kind have no name."""

    name: str
    value: int | float | bool | str | None


_NAMED = (
    TensorArgument, SymIntArgument, SymFloatArgument, SymBoolArgument, CustomObjArgument,
    TokenArgument,
)  # fmt: skip
ArgumentSpec = (
    TensorArgument
    | SymIntArgument
    | SymFloatArgument
    | SymBoolArgument
    | ConstantArgument
    | CustomObjArgument
    | TokenArgument
)


class InputKind(enum.Enum):
    """Where an input of a graph comes from."""

    USER_INPUT = enum.auto()
    PARAMETER = enum.auto()
    BUFFER = enum.auto()
    CONSTANT_TENSOR = enum.auto()
    CUSTOM_OBJ = enum.auto()
    TOKEN = enum.auto()


class OutputKind(enum.Enum):
    """What becomes of an output of a graph."""

    USER_OUTPUT = enum.auto()
    LOSS_OUTPUT = enum.auto()
    BUFFER_MUTATION = enum.auto()
    PARAMETER_MUTATION = enum.auto()
    GRADIENT_TO_PARAMETER = enum.auto()
    GRADIENT_TO_USER_INPUT = enum.auto()
    USER_INPUT_MUTATION = enum.auto()
    TOKEN = enum.auto()


def _check_argument(arg: Any) -> None:
    if not isinstance(arg, ArgumentSpec):
        raise AssertionError(f"expected valid arg type, got {type(arg)}")


@dataclass
class InputSpec:
    """An input of a graph.

    Args:
        kind: where it comes from
        arg: its node
        target: the name of the parameter, buffer or constant that it is
        persistent: of a buffer, whether it is in the state dictionary
    """

    kind: InputKind
    arg: ArgumentSpec
    target: str | None
    persistent: bool | None = None

    def __post_init__(self) -> None:
        if self.kind is InputKind.BUFFER and self.persistent is None:
            raise AssertionError("Failed to specify persistent flag on BUFFER.")
        _check_argument(self.arg)

    def __str__(self) -> str:
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return _described(self) + persistent


@dataclass
class OutputSpec:
    """An output of a graph.

    Args:
        kind: what becomes of it
        arg: its node
        target: the name of what it is written to, or the gradient of
    """

    kind: OutputKind
    arg: ArgumentSpec
    target: str | None

    def __post_init__(self) -> None:
        _check_argument(self.arg)

    def __str__(self) -> str:
        return _described(self)


def _described(spec: InputSpec | OutputSpec) -> str:
    target = "" if spec.target is None else f" target='{spec.target}'"
    return f"{spec.arg.name}: {spec.kind.name}{target}"


@dataclass
class ExportBackwardSignature:
    """Which outputs of a graph are gradients, and which one is the loss."""

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclass
class ExportGraphSignature:
    """All inputs and outputs of a graph, in order."""

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(s.target for s in self.input_specs if s.kind is kind and s.target is not None)

    def _by_node(self, specs: Any, kind: Any) -> Mapping[str, str]:
        return MappingProxyType({s.arg.name: s.target for s in specs if s.kind is kind})

    @property
    def parameters(self) -> Collection[str]:
        """The names of parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> Collection[str]:
        """The names of buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> Collection[str]:
        """The names of buffers that are not in the state dictionary."""
        return tuple(
            s.target
            for s in self.input_specs
            if s.kind is InputKind.BUFFER and s.persistent is False and s.target is not None
        )

    @property
    def lifted_tensor_constants(self) -> Collection[str]:
        """The names of tensors that the program has written down."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def lifted_custom_objs(self) -> Collection[str]:
        """The names of objects of TorchScript's classes."""
        return self._targets(InputKind.CUSTOM_OBJ)

    @property
    def user_inputs(self) -> Collection[Any]:
        """The nodes of the program's own inputs; of constants their values."""
        return tuple(
            _name_or_value(s.arg) for s in self.input_specs if s.kind is InputKind.USER_INPUT
        )

    @property
    def user_outputs(self) -> Collection[Any]:
        """The nodes of the program's own outputs; of constants their values."""
        kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
        return tuple(_name_or_value(s.arg) for s in self.output_specs if s.kind in kinds)

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """The names of parameters by their nodes."""
        return self._by_node(self.input_specs, InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """The names of buffers by their nodes."""
        return self._by_node(self.input_specs, InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> Mapping[str, str]:
        """The names of constants by their nodes."""
        return self._by_node(self.input_specs, InputKind.CONSTANT_TENSOR)

    @property
    def inputs_to_lifted_custom_objs(self) -> Mapping[str, str]:
        """The names of objects by their nodes."""
        return self._by_node(self.input_specs, InputKind.CUSTOM_OBJ)

    @property
    def buffers_to_mutate(self) -> Mapping[str, str]:
        """The buffers that the program changes, by the nodes of their new values."""
        return self._by_node(self.output_specs, OutputKind.BUFFER_MUTATION)

    @property
    def parameters_to_mutate(self) -> Mapping[str, str]:
        """The parameters that the program changes, by the nodes of their new values."""
        return self._by_node(self.output_specs, OutputKind.PARAMETER_MUTATION)

    @property
    def user_inputs_to_mutate(self) -> Mapping[str, str]:
        """The inputs that the program changes, by the nodes of their new values."""
        return self._by_node(self.output_specs, OutputKind.USER_INPUT_MUTATION)

    @property
    def backward_signature(self) -> ExportBackwardSignature | None:
        """The loss and its gradients, if the graph has them."""
        losses = [s.arg.name for s in self.output_specs if s.kind is OutputKind.LOSS_OUTPUT]
        if not losses:
            return None
        if len(losses) > 1:
            raise AssertionError("multiple LOSS_OUTPUT specs found")
        return ExportBackwardSignature(
            dict(self._by_node(self.output_specs, OutputKind.GRADIENT_TO_PARAMETER)),
            dict(self._by_node(self.output_specs, OutputKind.GRADIENT_TO_USER_INPUT)),
            losses[0],
        )

    @property
    def assertion_dep_token(self) -> Mapping[int, str] | None:
        """Nothing: checks are nodes."""
        return None

    @property
    def input_tokens(self) -> Collection[str]:
        """The nodes of tokens that come in."""
        return tuple(s.arg.name for s in self.input_specs if s.kind is InputKind.TOKEN)

    @property
    def output_tokens(self) -> Collection[str]:
        """The nodes of tokens that go out."""
        return tuple(s.arg.name for s in self.output_specs if s.kind is OutputKind.TOKEN)

    def replace_all_uses(self, old: str, new: str) -> None:
        """Let a node have another name."""
        for name in (old, new):
            if not isinstance(name, str):
                raise AssertionError(f"expected names to be str, got {type(name)}")
        specs: list[Any] = [*self.output_specs, *self.input_specs]
        for spec in specs:
            if isinstance(spec.arg, _NAMED) and spec.arg.name == old:
                spec.arg.name = new

    def get_replace_hook(self, replace_inputs: bool = False) -> Callable[..., None]:
        """What a graph's module calls when a node takes another one's place."""

        def replace(old: Any, new: str, user: Any) -> None:
            if user.op == "output" or (replace_inputs and old.op == "placeholder"):
                self.replace_all_uses(old.name, new)

        return replace

    def __str__(self) -> str:
        inputs = "\n".join(map(str, self.input_specs))
        outputs = "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"


def _name_or_value(arg: Any) -> Any:
    return arg.value if isinstance(arg, ConstantArgument) else arg.name


def argument_of(node: Any) -> ArgumentSpec:
    """What a node's value is; of a value that is no node, that it is a constant."""
    if isinstance(node, (int, float, bool, str, type(None))):
        return ConstantArgument("", node)
    value = node.meta["val"]
    if isinstance(value, Tensor):
        return TensorArgument(node.name)
    for kind, spec in (
        (SymInt, SymIntArgument), (SymFloat, SymFloatArgument), (SymBool, SymBoolArgument),
    ):  # fmt: skip
        if isinstance(value, kind):
            return spec(node.name)
    if isinstance(value, (int, float, bool, str, type(None))):
        return ConstantArgument(node.name, value)
    raise AssertionError(f"{node.name}: graphs have no values of type {type(value)}")


_make_argument_spec = argument_of
