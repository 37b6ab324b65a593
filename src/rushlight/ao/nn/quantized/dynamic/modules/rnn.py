"""Recurrent layers of real numbers with quantized weights; sequences and states get scales."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn.quantized.modules.utils import quantized_weight

__all__ = ["GRU", "LSTM", "PackedParameter"]


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
        operators = rushlight.ops.quantized
        if self.dtype is rushlight.float16:
            return operators.linear_dynamic_fp16(x, packed)
        return operators.linear_dynamic(x, packed, True)

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
        from rushlight.ao.quantization.qconfig import default_dynamic_qconfig

        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"nn.quantized.dynamic.{cls.__name__}.from_float only works for "
                f"{cls._FLOAT_MODULE.__name__}, not {type(mod)}"
            )
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        given = mod.qconfig.weight if mod.qconfig is not None else None
        make = given or default_dynamic_qconfig.weight
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
        taken, kept, new, shown = (of_state + of_input).chunk(4, 1)
        cell = kept.sigmoid() * state[1] + taken.sigmoid() * new.tanh()
        return shown.sigmoid() * cell.tanh(), cell

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
        inputs, states = of_input.chunk(3, 1), of_state.chunk(3, 1)
        reset = (states[0] + inputs[0]).sigmoid()
        update = (states[1] + inputs[1]).sigmoid()
        new = (inputs[2] + states[2] * reset).tanh()
        return ((state[0] - new) * update + new,)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Results, and the last state."""
        made, last = self._run(input, (self._zeros(input) if hx is None else hx,))
        return made, last[0]
