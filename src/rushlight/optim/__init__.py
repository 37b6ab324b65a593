"""Optimizers."""

from rushlight._names import class_files as _class_files
from rushlight.optim import lr_scheduler, swa_utils
from rushlight.optim.adafactor import Adafactor
from rushlight.optim.adam import Adam, AdamW
from rushlight.optim.adaptive import Adadelta, Adagrad, Adamax, NAdam, RAdam, RMSprop
from rushlight.optim.averaging import ASGD, Rprop
from rushlight.optim.functional_forms import functions as _functions
from rushlight.optim.lbfgs import LBFGS
from rushlight.optim.muon import Muon
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.sgd import SGD
from rushlight.optim.sparse_adam import SparseAdam
from rushlight.optim.swapping import swap_in_optimizer_params_and_state

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon",
    "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam", "lr_scheduler",
    "swa_utils", "swap_in_optimizer_params_and_state",
]  # fmt: skip

_class_files.also_in(
    __name__,
    {
        name.lower(): (name,)
        for name in (
            "ASGD", "Adadelta", "Adagrad", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"
        )
    },
    globals(),
)  # fmt: skip
_class_files.also_in(__name__, {name: (name,) for name in _functions}, _functions)
