"""What every distribution can do."""

from __future__ import annotations

import warnings
from typing import Any

import rushlight as torch
from rushlight.compiler import is_dynamo_compiling
from rushlight.distributions import constraints
from rushlight.distributions.utils import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """A probability distribution over values of `event_shape`, `batch_shape` of them at once.

    A subclass names its parameters in `arg_constraints`, its values in `support`, and says in
    `_event_dims` how many dimensions of a parameter make up one event, where that is not 0.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _event_dims: dict[str, int] = {}

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked unless a distribution is told otherwise."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = (),
        event_shape: Any = (),
        validate_args: Any = None,
    ) -> None:
        self._batch_shape = torch.Size(batch_shape)
        self._event_shape = torch.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        elif is_dynamo_compiling():
            # Checks of elements would end the graph.
            self._validate_args = False
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = "
                "{}` or initialize the distribution with `validate_args=False` to turn off "
                "validation.",
                stacklevel=3,
            )
            return
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            valid = constraint.check(value)
            if not valid.all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    # -- shapes --

    @property
    def batch_shape(self) -> Any:
        """How many distributions these are, along each dimension."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one value."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distributions with a larger batch shape; nothing is copied."""
        new = self._get_checked_instance(type(self), _instance)
        batch_shape = torch.Size(batch_shape)
        self._fill_expanded(new, batch_shape)
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _fill_expanded(self, new: Any, batch_shape: Any) -> None:
        """Give another object this one's parameters, expanded."""
        for name in self._expanded_names():
            if name not in self.__dict__:
                continue
            value = self.__dict__[name]
            kept = self._event_dims.get(name, 0)
            shape = batch_shape + value.shape[value.dim() - kept :]
            new.__dict__[name] = value.expand(shape)

    def _expanded_names(self) -> list[str]:
        return list(self.arg_constraints)

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                "__init__ method must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        """The shape of samples."""
        if not isinstance(sample_shape, torch.Size):
            sample_shape = torch.Size(sample_shape)
        return torch.Size(sample_shape + self._batch_shape + self._event_shape)

    # -- what it is --

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The sets that parameters must be in, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set that values are in."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    # -- what it does --

    def sample(self, sample_shape: Any = ()) -> Any:
        """Random values, without a gradient."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Random values, with a gradient to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Older form of `sample`."""
        warnings.warn(
            "sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2
        )
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, of values."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of values up to these."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values of a discrete distribution, along a new first dimension."""
        raise NotImplementedError

    def entropy(self) -> Any:
        raise NotImplementedError

    def perplexity(self) -> Any:
        return torch.exp(self.entropy())

    # -- checks --

    def _validate_sample(self, value: Any) -> None:
        """Raise unless values have a shape of this distribution and are in its support."""
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.size()) - len(self._event_shape)
        if value.size()[start:] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.size()} vs {self._event_shape}."
            )
        actual, expected = value.size(), self._batch_shape + self._event_shape
        for i, j in zip(reversed(actual), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        valid = support.check(value)
        if not valid.all():
            raise ValueError(
                "Expected value argument "
                f"({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) "
                f"of the distribution {self!r}, "
                f"but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        parts = []
        for name in names:
            value = self.__dict__[name]
            parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{self.__class__.__name__}({', '.join(parts)})"


class Scalars(Distribution):
    """A distribution of numbers whose parameters all have the batch's shape."""

    def _broadcast(self, validate_args: Any, **given: Any) -> None:
        """Keep parameters as tensors of one shape, which is the batch's."""
        for name, value in zip(given, torch_tensors(*given.values())):
            setattr(self, name, value)
        is_number = all(isinstance(value, (int, float, complex)) for value in given.values())
        shape = torch.Size() if is_number else getattr(self, next(iter(given))).size()
        Distribution.__init__(self, shape, validate_args=validate_args)


def torch_tensors(*values: Any) -> Any:
    from rushlight.distributions.utils import broadcast_all

    return broadcast_all(*values)


class Odds(Distribution):
    """A distribution with a probability that is given as it is or as log-odds."""

    _binary = True

    def _keep_one(self, probs: Any, logits: Any) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")

    def _keep_broadcast(self, probs: Any, logits: Any, *beside: Any) -> list[Any]:
        """Keep the one that was given, in one shape with what stands beside it; return the latter."""
        from rushlight.distributions.utils import broadcast_all

        self._keep_one(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        *others, kept = broadcast_all(*beside, given)
        setattr(self, name, kept)
        return others

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @property
    def _param(self) -> Any:
        """The one that was given."""
        return self.__dict__["logits" if "probs" not in self.__dict__ else "probs"]

    @lazy_property
    def logits(self) -> Any:
        from rushlight.distributions.utils import probs_to_logits

        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self) -> Any:
        from rushlight.distributions.utils import logits_to_probs

        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def param_shape(self) -> Any:
        return self._param.size()
