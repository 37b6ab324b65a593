"""References of the operators of networks."""

from rushlight._refs.nn import functional as functional
