"""Recurrent networks: whole sequences, and single steps."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

import rushlight
from rushlight.engine.core import state as thread_state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import autocasting
from rushlight.engine.dispatch import layers as dispatch_layers
from rushlight.engine.generated import functions
from rushlight.engine.ops.recurrent import recorded
from rushlight.engine.ops.recurrent.cells import CELLS
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

# -- layers --

States = tuple[Any, ...]
# Of one direction of a layer: the input's and the states' weights, their biases, a projection.
Weights = tuple[Any, Any, Any, Any, Any]


def _has_loops(given: Any, states: States, weights: Weights) -> bool:
    """Whether all steps can be one operator: floating-point operands of one type, on the host."""
    if given.is_cuda:
        return False
    kind = given._dtype_
    for operand in (*states, *weights[1:]):
        if operand is not None and operand._dtype_ is not kind:
            return False
    return kind.is_floating_point


def _lowered(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """All in the lower type, within autocast."""
    found = iter(autocasting.lowered(*(x for x in inputs if x is not None)))
    return tuple(None if x is None else next(found) for x in inputs)


def run_direction(
    mode: str, inputs: Any, states: States, weights: Weights, sizes: list[int] | None = None,
    backwards: bool = False,
) -> tuple[Any, States]:  # fmt: skip
    """One layer in one direction: the outputs and the last states.

    Args:
        mode: which cell the steps are made of
        inputs: [time, batch, features]; [batch, features] for one step; or packed
        states: the first hidden state, and the first cell
        weights: those of the layer and direction
        sizes: how many rows of a packed input each step has, which fall
        backwards: whether the steps run from the last one on
    """
    given = F.linear(inputs, weights[0], weights[2])  # type: ignore[attr-defined]
    if not _has_loops(given, states, weights):
        return recorded.run(
            CELLS[mode], given, states, (*weights[1::2], weights[4]), sizes, backwards
        )
    hidden, cell = states if len(states) == 2 else (states[0], None)
    outputs, hidden, cell, _, _ = rushlight._recurrent_steps(  # type: ignore[attr-defined]
        given,
        hidden,
        cell,
        weights[1],
        weights[3],
        weights[4],
        sizes,
        mode,
        backwards,
        thread_state.thread.grad_enabled,
    )
    return outputs, ((hidden, cell) if len(states) == 2 else (hidden,))


def run_layers(
    mode: str, input: Any, states: States, weights: list[list[Weights]],
    sizes: list[int] | None, dropout: float, training: bool,
) -> tuple[Any, States]:  # fmt: skip
    """All layers, each in its directions; ``sizes`` says how a packed input lies."""
    if mode == "LSTM":
        # PyTorch's operator for a whole LSTM computes in the lower type within autocast.
        input, *states = _lowered((input, *states))  # type: ignore[assignment]
        weights = [[_lowered(own) for own in layer] for layer in weights]  # type: ignore[misc]
    if len(weights) == len(weights[0]) == 1:
        first = tuple(s.squeeze(0) for s in states)
        input, after = run_direction(mode, input, first, weights[0][0], sizes)
        return input, tuple(s.unsqueeze(0) for s in after)
    before = list(zip(*(s.unbind(0) for s in states)))
    last: list[States] = []
    for layer, directions in enumerate(weights):
        outputs = []
        for direction, chosen in enumerate(directions):
            made, after = run_direction(
                mode, input, before[len(last)], chosen, sizes, bool(direction)
            )
            outputs.append(made)
            last.append(after)
        input = outputs[0] if len(outputs) == 1 else functions.cat(outputs, -1)
        if dropout and layer < len(weights) - 1:
            input = F.dropout(input, dropout, training)
    return input, tuple(functions.stack(list(s)) for s in zip(*last))


def weights_of(module: Module, names: list[str]) -> list[Any]:
    """Parameters by name, wherever they are: what computes them is an attribute."""
    own: Any = module._parameters
    given = module.__dict__.get("_given_weights")
    if given is not None:
        own = dict(zip(module._flat_weights_names, given))
    return [own[name] if name in own else getattr(module, name) for name in names]


class RNNBase(Module):
    """Layers of recurrent networks, in one or both directions.

    Args:
        mode: 'RNN_TANH', 'RNN_RELU', 'GRU' or 'LSTM'
        input_size: the features of the input
        hidden_size: the features of the states
        num_layers: how many layers
        bias: whether steps add something
        batch_first: whether the batch comes before time
        dropout: the share of elements left out between layers
        bidirectional: whether a second set of weights runs backwards
        proj_size: if positive, the size that an LSTM's hidden states are projected to
    """

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_settings(dropout)
        self._make_weights({"device": device, "dtype": dtype})
        self.reset_parameters()

    def _check_type(self, name: str, kind: type) -> None:
        value = getattr(self, name)
        if not isinstance(value, kind):
            raise TypeError(
                f"{name} should be of type {kind.__name__}, got: {type(value).__name__}"
            )

    def _check_settings(self, dropout: Any) -> None:
        number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
        if not number or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
                stacklevel=4,
            )
        for name in ("bias", "batch_first"):
            self._check_type(name, bool)
        for name in ("input_size", "hidden_size"):
            self._check_type(name, int)
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in CELLS:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _make_weights(self, made: Any) -> None:
        gates = CELLS[self.mode].gates * self.hidden_size
        shown = self.proj_size or self.hidden_size
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else shown * self._directions
            for suffix in self._suffixes(layer):
                sizes: dict[str, tuple[int, ...]] = {
                    f"weight_ih_{suffix}": (gates, width),
                    f"weight_hh_{suffix}": (gates, shown),
                }
                if self.bias:
                    sizes[f"bias_ih_{suffix}"] = sizes[f"bias_hh_{suffix}"] = (gates,)
                if self.proj_size:
                    sizes[f"weight_hr_{suffix}"] = (self.proj_size, self.hidden_size)
                for name, size in sizes.items():
                    setattr(self, name, Parameter(rushlight.empty(size, **made)))
                self._flat_weights_names += sizes
                self._all_weights.append(list(sizes))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"l{layer}", f"l{layer}_reverse"][: self._directions]

    _only_in_files = ("_flat_weights",)

    @property
    def _flat_weights(self) -> list[Any]:
        given: list[Any] | None = self.__dict__.get("_given_weights")
        if given is not None:
            return given
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights: list[Any]) -> None:
        """Compute with other tensors than the parameters, as programs do that patch modules."""
        self._given_weights = weights

    def _apply(self, fn: Any, recurse: bool = True) -> Module:
        # What was given instead of the parameters is not what they become.
        self.__dict__.pop("_given_weights", None)
        return super()._apply(fn, recurse)

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights of every layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing: weights need not lie in one piece of memory here."""

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    # -- checks --

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Raise if the input does not fit."""
        kind = weights_of(self, self._flat_weights_names[:1])[0]._dtype_
        if input._dtype_ is not kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). "
                f"Convert input: input.to({kind}), or convert model: model.to({input.dtype})"
            )
        expected = 2 if batch_sizes is not None else 3
        if len(input._size_) != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input._size_[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def _check_states(self, states: States, batch: int) -> None:
        layers = self.num_layers * self._directions
        sizes = [self.proj_size or self.hidden_size, self.hidden_size]
        names = ["hidden[0]", "hidden[1]"] if self.mode == "LSTM" else ["hidden"]
        for name, state, size in zip(names, states, sizes):
            if state._size_ != (layers, batch, size):
                raise RuntimeError(
                    f"Expected {name} size {(layers, batch, size)}, got {list(state.size())}"
                )

    def _zeros(self, batch: int, like: Any) -> States:
        layers = self.num_layers * self._directions
        made = {"dtype": like.dtype, "device": like.device}
        shown = rushlight.zeros(layers, batch, self.proj_size or self.hidden_size, **made)
        if self.mode != "LSTM":
            return (shown,)
        return shown, rushlight.zeros(layers, batch, self.hidden_size, **made)

    # -- running --

    def _weights(self, names: list[str]) -> Weights:
        """The weights of these names, with None where there is none."""
        found = weights_of(self, names)
        biases = found[2:4] if self.bias else (None, None)
        projection = found[-1] if self.proj_size else None
        return (*found[:2], *biases, projection)  # type: ignore[return-value]

    def _layers(self, input: Any, states: States, sizes: list[int] | None) -> tuple[Any, States]:
        both = self._directions
        if sizes is None and dispatch_layers.sees_whole():
            return self._whole(input, states)
        weights = [self._weights(names) for names in self._all_weights]
        layers = [weights[k : k + both] for k in range(0, len(weights), both)]
        return run_layers(self.mode, input, states, layers, sizes, self.dropout, self.training)

    def _whole(self, input: Any, states: States) -> tuple[Any, States]:
        """All layers as one operator."""
        run = getattr(rushlight.ops.aten, self.mode.lower()).input
        parameters = [w for names in self._all_weights for w in weights_of(self, names)]
        output, *after = run(
            input, list(states) if self.mode == "LSTM" else states[0], parameters, self.bias,
            self.num_layers, float(self.dropout), self.training, self.bidirectional, False,
        )  # fmt: skip
        return output, tuple(after)

    def _given_states(self, hx: Any) -> States | None:
        if hx is None:
            return None
        return tuple(hx) if self.mode == "LSTM" else (hx,)

    def _as_given(self, states: States) -> Any:
        return states if self.mode == "LSTM" else states[0]

    def forward(self, input: Any, hx: Any = None) -> Any:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        dims = len(input._size_)
        if dims not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {dims}D instead"
            )
        states = self._given_states(hx)
        for state in states or ():
            if len(state._size_) != dims:
                kind = "batched 3-D" if dims == 3 else "unbatched 2-D"
                raise RuntimeError(
                    f"For {kind} input, hx should also be {dims}-D but got {state.dim()}-D tensor"
                )
        if dims == 2:
            input = input.unsqueeze(1)
            states = None if states is None else tuple(s.unsqueeze(1) for s in states)
        elif self.batch_first:
            input = input.transpose(0, 1)
        self.check_input(input, None)
        length, batch, _ = input._size_
        if states is None:
            states = self._zeros(batch, input)
        self._check_states(states, batch)
        if length == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        output, states = self._layers(input, states, None)
        if dims == 2:
            return output.squeeze(1), self._as_given(tuple(s.squeeze(1) for s in states))
        return (output.transpose(0, 1) if self.batch_first else output), self._as_given(states)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> Any:
        data, batch_sizes, order, back = input
        self.check_input(data, batch_sizes)
        sizes = batch_sizes.tolist()
        states = self._given_states(hx)
        if states is None:
            states = self._zeros(sizes[0], data)
        elif order is not None:
            states = tuple(s.index_select(1, order) for s in states)
        self._check_states(states, sizes[0])
        output, states = self._layers(data, states, sizes)
        if back is not None:
            states = tuple(s.index_select(1, back) for s in states)
        return PackedSequence(output, batch_sizes, order, back), self._as_given(states)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size:
            parts.append(f"proj_size={self.proj_size}")
        defaults = {
            "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False,
        }  # fmt: skip
        parts += [f"{k}={getattr(self, k)}" for k, v in defaults.items() if getattr(self, k) != v]
        return ", ".join(parts)


class RNN(RNNBase):
    """Recurrent layers with a hyperbolic tangent, or a ReLU by ``nonlinearity``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if self.nonlinearity not in modes:
            raise ValueError(
                f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(modes[self.nonlinearity], *args, **kwargs)


class LSTM(RNNBase):
    """Recurrent layers with a long short-term memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Recurrent layers with gates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


# -- cells --


class RNNCellBase(Module):
    """One step of a recurrent network."""

    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        sizes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        for name, size in sizes.items():
            setattr(self, name, Parameter(rushlight.empty(size, device=device, dtype=dtype)))
        for name in ("bias_ih", "bias_hh"):
            made = rushlight.empty(rows, device=device, dtype=dtype) if bias else None
            self.register_parameter(name, None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, mode: str, input: Any, states: States | None) -> States:
        dims = len(input._size_)
        if dims not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {dims}D instead")
        for state in states or ():
            if len(state._size_) not in (1, 2):
                raise ValueError(
                    f"{type(self).__name__}: Expected hidden to be 1D or 2D, got "
                    f"{state.dim()}D instead"
                )
        if dims == 1:
            input = input.unsqueeze(0)
            states = None if states is None else tuple(s.unsqueeze(0) for s in states)
        if states is None:
            zeros = input.new_zeros(input._size_[0], self.hidden_size)
            states = (zeros, zeros)
        self._check(input, states)
        names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
        weights: Any = (*weights_of(self, names), None)
        _, after = run_direction(mode, input, states[: CELLS[mode].states], weights)
        return after if dims == 2 else tuple(s.squeeze(0) for s in after)

    def _check(self, input: Any, states: States) -> None:
        batch, width = input._size_
        if width != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {width} expected {self.input_size}"
            )
        for state in states:
            if state._size_ == (batch, self.hidden_size):
                continue
            if batch != state.size(0):
                raise RuntimeError(
                    f"Input batch size {batch} doesn't match hidden0 batch size {state.size(0)}"
                )
            if state.size(1) != self.hidden_size:
                raise RuntimeError(
                    f"hidden0 has inconsistent hidden_size: got {state.size(1)}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text


class RNNCell(RNNCellBase):
    """One step with a hyperbolic tangent, or a ReLU by ``nonlinearity``."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if self.nonlinearity not in modes:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(modes[self.nonlinearity], input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step with a long short-term memory."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return self._step("LSTM", input, None if hx is None else tuple(hx))


class GRUCell(RNNCellBase):
    """One step with gates."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return self._step("GRU", input, None if hx is None else (hx,))[0]
