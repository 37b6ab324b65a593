"""What inputs and outputs of joint graphs are: arguments, parameters, results, and gradients of these.

`aot_export_joint_with_descriptors` notes one of them in ``meta["desc"]`` of each placeholder, and a list of them in that
of the output node.
"""

from __future__ import annotations

from rushlight.engine.native.records import dataclass

__all__ = [
    "AOTInput",
    "AOTOutput",
    "BufferAOTInput",
    "DifferentiableAOTInput",
    "DifferentiableAOTOutput",
    "GradAOTOutput",
    "InputMutationAOTOutput",
    "IntermediateBaseAOTOutput",
    "ParamAOTInput",
    "PlainAOTInput",
    "PlainAOTOutput",
    "SubclassGetAttrAOTInput",
    "SubclassGetAttrAOTOutput",
    "TangentAOTInput",
    "ViewBaseAOTInput",
]


@dataclass(frozen=True)
class AOTInput:
    """What an input is."""

    def expr(self) -> str:
        """An expression for it."""
        raise NotImplementedError("Subclasses must implement expr()")

    def is_param(self) -> bool:
        """Whether it is, or is part of, a parameter."""
        return False

    def is_buffer(self) -> bool:
        """Whether it is, or is part of, a buffer."""
        return False

    def is_tangent(self) -> bool:
        """Whether it is a gradient of a result."""
        return False


@dataclass(frozen=True)
class DifferentiableAOTInput(AOTInput):
    """An input that may have a gradient."""


@dataclass(frozen=True)
class AOTOutput:
    """What an output is."""

    def expr(self) -> str:
        """An expression for it."""
        raise NotImplementedError("Subclasses must implement expr()")

    def is_grad(self) -> bool:
        """Whether it is a gradient of an input."""
        return False


@dataclass(frozen=True)
class DifferentiableAOTOutput(AOTOutput):
    """An output that may have a gradient."""


@dataclass(frozen=True)
class ParamAOTInput(DifferentiableAOTInput):
    """A parameter of the module, by its name there."""

    target: str

    def expr(self) -> str:
        return f"self.get_parameter({self.target!r})"

    def is_param(self) -> bool:
        return True


@dataclass(frozen=True)
class BufferAOTInput(DifferentiableAOTInput):
    """A buffer of the module, by its name there."""

    target: str

    def expr(self) -> str:
        return f"self.get_buffer({self.target!r})"

    def is_buffer(self) -> bool:
        return True


@dataclass(frozen=True)
class PlainAOTInput(DifferentiableAOTInput):
    """One of the flat arguments, by its place."""

    idx: int

    def expr(self) -> str:
        return f"args[{self.idx}]"


@dataclass(frozen=True)
class SubclassGetAttrAOTInput(AOTInput):
    """A part of a tensor of a class."""

    base: AOTInput
    attr: str

    def expr(self) -> str:
        return f"{self.base.expr()}.{self.attr}"

    def is_param(self) -> bool:
        return self.base.is_param()

    def is_buffer(self) -> bool:
        return self.base.is_buffer()

    def is_tangent(self) -> bool:
        return self.base.is_tangent()


@dataclass(frozen=True)
class ViewBaseAOTInput(DifferentiableAOTInput):
    """What several inputs are views of that share elements; the first of them is told."""

    base_of: AOTInput

    def expr(self) -> str:
        return f"{self.base_of.expr()}._base"


@dataclass(frozen=True)
class TangentAOTInput(DifferentiableAOTInput):
    """The gradient of an output."""

    output: DifferentiableAOTOutput

    def __post_init__(self) -> None:
        _check(self.output, DifferentiableAOTOutput)

    def expr(self) -> str:
        return f"__output_tangent({self.output.expr()})"

    def is_tangent(self) -> bool:
        return True


@dataclass(frozen=True)
class PlainAOTOutput(DifferentiableAOTOutput):
    """One of the flat results, by its place."""

    idx: int

    def expr(self) -> str:
        return f"output[{self.idx}]"


@dataclass(frozen=True)
class InputMutationAOTOutput(DifferentiableAOTOutput):
    """What has become of an input."""

    mutated_input: AOTInput

    def expr(self) -> str:
        return f"__input_mutation({self.mutated_input.expr()})"


@dataclass(frozen=True)
class IntermediateBaseAOTOutput(DifferentiableAOTOutput):
    """What a result is a view of."""

    base_of: AOTOutput

    def expr(self) -> str:
        return f"__intermediate_base({self.base_of.expr()})"


@dataclass(frozen=True)
class GradAOTOutput(DifferentiableAOTOutput):
    """The gradient of an input."""

    grad_of: DifferentiableAOTInput

    def __post_init__(self) -> None:
        _check(self.grad_of, DifferentiableAOTInput)

    def expr(self) -> str:
        return f"__grad({self.grad_of.expr()})"

    def is_grad(self) -> bool:
        return True


@dataclass(frozen=True)
class SubclassGetAttrAOTOutput(AOTOutput):
    """A part of a tensor of a class."""

    base: AOTOutput
    attr: str

    def expr(self) -> str:
        return f"{self.base.expr()}.{self.attr}"

    def is_grad(self) -> bool:
        return self.base.is_grad()


def _check(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise AssertionError(f"expected {kind.__name__}, got {type(value)}")
