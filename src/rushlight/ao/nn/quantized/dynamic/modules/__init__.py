"""Layers of real numbers with quantized weights."""

from rushlight.ao.nn.quantized.dynamic.modules.linear import Linear
from rushlight.ao.nn.quantized.dynamic.modules.rnn import GRU, LSTM, GRUCell, LSTMCell, RNNCell

__all__ = ["GRU", "LSTM", "GRUCell", "LSTMCell", "Linear", "RNNCell"]
