"""Optimizers."""

from rushlight.optim import lr_scheduler
from rushlight.optim.adam import Adam, AdamW
from rushlight.optim.adaptive import Adadelta, Adagrad, Adamax, NAdam, RAdam, RMSprop
from rushlight.optim.averaging import ASGD, Rprop
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.sgd import SGD

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
    "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip
