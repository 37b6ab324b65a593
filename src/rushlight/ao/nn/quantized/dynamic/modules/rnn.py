"""Recurrent layers of real numbers with quantized weights; sequences and states get scales."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn.quantized.modules.utils import quantized_weight

__all__ = ["GRU", "LSTM", "GRUCell", "LSTMCell", "PackedParameter", "RNNCell", "RNNCellBase"]


class PackedParameter(nn.Module):
    """The weights of one layer in one direction, for inputs and for the state.

    Args:
        param: the two packed weights
    """

    def __init__(self, param: Any) -> None:
        super().__init__()
        self.param = param

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "param"] = self.param

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        self.param = state_dict.pop(prefix + "param")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)


class RNNBase(nn.Module):
    """What recurrent layers with quantized weights share.

    Args:
        mode: ``"LSTM"`` or ``"GRU"``
        input_size: the size of inputs
        hidden_size: the size of states
        num_layers: how many layers there are
        bias: whether biases are added
        batch_first: whether the batch is the first dimension of inputs, and not time
        dropout: has to be 0 in effect: nothing is dropped outside of training
        bidirectional: whether each layer goes both ways
        dtype: ``qint8`` or ``float16``
    """

    _FLOAT_MODULE: Any = nn.RNNBase
    _gates = 4

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        dtype: Any = rushlight.qint8,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional, self.dtype = float(dropout), bidirectional, dtype
        self.training = False
        directions = 2 if bidirectional else 1
        found = []
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * directions
            for _ in range(directions):
                shapes = [(self._gates * hidden_size, n) for n in (size, hidden_size)]
                weights = [rushlight.zeros(shape) for shape in shapes]
                biases = [rushlight.zeros(shape[0]) if bias else None for shape in shapes]
                found.append(PackedParameter(_pack(weights, biases, dtype, None)))
        self._all_weight_values = nn.ModuleList(found)

    def _get_name(self) -> str:
        return f"DynamicQuantized{self.mode}"

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        return text + (f", bidirectional={self.bidirectional}" if self.bidirectional else "")

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"

    def _linear(self, x: Any, packed: Any) -> Any:
        return _linear(x, packed, self.dtype)

    def _step(self, of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """The state after one input, from what both make of the gates; its first tensor is the result."""
        raise NotImplementedError

    def _run(self, input: Any, states: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """Results, and the last states, for states stacked by layer and direction."""
        if isinstance(input, nn.utils.rnn.PackedSequence):
            raise NotImplementedError(
                f"{self._get_name()} takes no packed sequences: pad them, and give a tensor"
            )
        x = input.transpose(0, 1) if self.batch_first else input
        directions = 2 if self.bidirectional else 1
        last: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            made = []
            for direction in range(directions):
                k = layer * directions + direction
                weights = self._all_weight_values[k].param
                # The whole sequence has one scale.
                steps = list(self._linear(x, weights[0]).unbind(0))
                steps = steps[::-1] if direction else steps
                state, results = tuple(s[k] for s in states), []
                for step in steps:
                    state = self._step(step, self._linear(state[0], weights[1]), state)
                    results.append(state[0])
                made.append(rushlight.stack(results[::-1] if direction else results))
                last.append(state)
            x = made[0] if directions == 1 else rushlight.cat(made, -1)
        stacked = tuple(rushlight.stack(list(parts)) for parts in zip(*last))
        return x.transpose(0, 1) if self.batch_first else x, stacked

    def _zeros(self, input: Any) -> Any:
        batch = input.shape[0 if self.batch_first else 1]
        count = self.num_layers * (2 if self.bidirectional else 1)
        return rushlight.zeros(count, batch, self.hidden_size, dtype=input.dtype)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers."""
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"nn.quantized.dynamic.{cls.__name__}.from_float only works for "
                f"{cls._FLOAT_MODULE.__name__}, not {type(mod)}"
            )
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        make = _observed(mod)
        dtype = make().dtype
        made = cls(
            mod.input_size, mod.hidden_size, mod.num_layers, mod.bias, mod.batch_first, mod.dropout,
            mod.bidirectional, dtype=dtype,
        )  # fmt: skip
        found = []
        for layer in range(mod.num_layers):
            for end in ("", "_reverse") if mod.bidirectional else ("",):
                own = [getattr(mod, f"weight_{kind}_l{layer}{end}") for kind in ("ih", "hh")]
                biases = [getattr(mod, f"bias_{kind}_l{layer}{end}") for kind in ("ih", "hh")]
                found.append(PackedParameter(_pack(own, biases, dtype, make)))
        made._all_weight_values = nn.ModuleList(found)
        return made


def _linear(x: Any, packed: Any, dtype: Any) -> Any:
    """A layer of packed weights, on real numbers."""
    operators = rushlight.ops.quantized
    if dtype is rushlight.float16:
        return operators.linear_dynamic_fp16(x, packed)
    return operators.linear_dynamic(x, packed, True)


def _lstm_step(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    taken, kept, new, shown = (of_state + of_input).chunk(4, 1)
    cell = kept.sigmoid() * state[1] + taken.sigmoid() * new.tanh()
    return shown.sigmoid() * cell.tanh(), cell


def _gru_step(of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
    inputs, states = of_input.chunk(3, 1), of_state.chunk(3, 1)
    reset = (states[0] + inputs[0]).sigmoid()
    update = (states[1] + inputs[1]).sigmoid()
    new = (inputs[2] + states[2] * reset).tanh()
    return ((state[0] - new) * update + new,)


def _observed(mod: Any) -> Any:
    """What makes the observers of a layer's weights."""
    from rushlight.ao.quantization.qconfig import default_dynamic_qconfig

    given = mod.qconfig.weight if mod.qconfig is not None else None
    return given or default_dynamic_qconfig.weight


def _pack(weights: Any, biases: Any, dtype: Any, make: Any) -> tuple[Any, ...]:
    """Weights as products want them, with scales that an observer finds."""
    operators = rushlight.ops.quantized
    packed = []
    for weight, bias in zip(weights, biases):
        bias = None if bias is None else bias.detach()
        if dtype is rushlight.float16:
            packed.append(operators.linear_prepack_fp16(weight.detach(), bias))
        elif dtype is not rushlight.qint8:
            raise RuntimeError("Unsupported dtype specified for dynamic quantized LSTM!")
        elif make is None:
            quantized = rushlight.quantize_per_tensor(weight, 1.0, 0, rushlight.qint8)
            packed.append(operators.linear_prepack(quantized, bias))
        else:
            observer = make()
            observer(weight)
            quantized = quantized_weight(weight.detach().float(), observer)
            packed.append(operators.linear_prepack(quantized, bias))
    return tuple(packed)


class LSTM(RNNBase):
    """`nn.LSTM` with quantized weights; the arguments are that layer's, and ``dtype``."""

    _FLOAT_MODULE = nn.LSTM

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _step(self, of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        return _lstm_step(of_input, of_state, state)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Results, and the last state: what is shown, and the cells."""
        states = (self._zeros(input), self._zeros(input)) if hx is None else tuple(hx)
        return self._run(input, states)


class GRU(RNNBase):
    """`nn.GRU` with quantized weights; the arguments are that layer's, and ``dtype``."""

    _FLOAT_MODULE = nn.GRU
    _gates = 3

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)

    def _step(self, of_input: Any, of_state: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        return _gru_step(of_input, of_state, state)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Results, and the last state."""
        made, last = self._run(input, (self._zeros(input) if hx is None else hx,))
        return made, last[0]


# -- cells --


class RNNCellBase(nn.Module):
    """What recurrent cells with quantized weights share.

    Args:
        input_size: the size of inputs
        hidden_size: the size of states
        bias: whether biases are added
        num_chunks: how many gates there are
        dtype: ``qint8`` or ``float16``
    """

    _FLOAT_MODULE: Any = nn.RNNCellBase

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, num_chunks: int = 4,
        dtype: Any = rushlight.qint8,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.weight_dtype = dtype
        shapes = [(num_chunks * hidden_size, n) for n in (input_size, hidden_size)]
        biases = [rushlight.zeros(shape[0]) if bias else None for shape in shapes]
        self._set([rushlight.zeros(shape) for shape in shapes], biases, None)

    def _set(self, weights: Any, biases: Any, make: Any) -> None:
        packed = _pack(weights, biases, self.weight_dtype, make)
        self._packed_weight_ih, self._packed_weight_hh = packed

    def _get_name(self) -> str:
        return f"DynamicQuantized{type(self).__name__}"

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        kind = getattr(self, "nonlinearity", "tanh")
        return text if kind == "tanh" else f"{text}, nonlinearity={kind}"

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"

    def check_forward_input(self, input: Any) -> None:
        """Raise for inputs of another size."""
        if input.size(1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(1)}, expected {self.input_size}"
            )

    def check_forward_hidden(self, input: Any, hx: Any, hidden_label: str = "") -> None:
        """Raise for states that do not fit inputs, or the cell."""
        if input.size(0) != hx.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{hidden_label} batch size {hx.size(0)}"
            )
        if hx.size(1) != self.hidden_size:
            raise RuntimeError(
                f"hidden{hidden_label} has inconsistent hidden_size: got {hx.size(1)}, expected "
                f"{self.hidden_size}"
            )

    def _both(self, input: Any, state: Any) -> tuple[Any, Any]:
        """What the input and the state make of the gates."""
        kind = self.weight_dtype
        packed = self._packed_weight_ih, self._packed_weight_hh
        return _linear(input, packed[0], kind), _linear(state, packed[1], kind)

    def _zeros(self, input: Any) -> Any:
        return rushlight.zeros(input.size(0), self.hidden_size, dtype=input.dtype)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The cell of one of real numbers."""
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"nn.quantized.dynamic.{cls.__name__}.from_float only works for "
                f"{cls._FLOAT_MODULE.__name__}, not {type(mod)}"
            )
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        make = _observed(mod)
        more = {"nonlinearity": mod.nonlinearity} if hasattr(mod, "nonlinearity") else {}
        made = cls(mod.input_size, mod.hidden_size, mod.bias, dtype=make().dtype, **more)
        made._set([mod.weight_ih, mod.weight_hh], [mod.bias_ih, mod.bias_hh], make)
        return made

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "_packed_weight_ih"] = self._packed_weight_ih
        destination[prefix + "_packed_weight_hh"] = self._packed_weight_hh

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        self._packed_weight_ih = state_dict.pop(prefix + "_packed_weight_ih")
        self._packed_weight_hh = state_dict.pop(prefix + "_packed_weight_hh")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)


class RNNCell(RNNCellBase):
    """`nn.RNNCell` with quantized weights."""

    _FLOAT_MODULE = nn.RNNCell

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        dtype: Any = rushlight.qint8,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, num_chunks=1, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The state after an input."""
        self.check_forward_input(input)
        state = self._zeros(input) if hx is None else hx
        self.check_forward_hidden(input, state)
        of_input, of_state = self._both(input, state)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return getattr(of_input + of_state, self.nonlinearity)()


class LSTMCell(RNNCellBase):
    """`nn.LSTMCell` with quantized weights."""

    _FLOAT_MODULE = nn.LSTMCell

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, dtype: Any = rushlight.qint8
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """What is shown, and the cell, after an input."""
        self.check_forward_input(input)
        state = (self._zeros(input), self._zeros(input)) if hx is None else tuple(hx)
        self.check_forward_hidden(input, state[0], "[0]")
        self.check_forward_hidden(input, state[1], "[1]")
        return _lstm_step(*self._both(input, state[0]), state)


class GRUCell(RNNCellBase):
    """`nn.GRUCell` with quantized weights."""

    _FLOAT_MODULE = nn.GRUCell

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, dtype: Any = rushlight.qint8
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The state after an input."""
        self.check_forward_input(input)
        state = self._zeros(input) if hx is None else hx
        self.check_forward_hidden(input, state)
        return _gru_step(*self._both(input, state), (state,))[0]
