"""Building blocks of networks: so far the functions."""

from rushlight.nn import functional
