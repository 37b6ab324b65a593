"""Exceptions of rushlight's own; everything else raises Python's."""


class OutOfMemoryError(RuntimeError):
    """A device has no memory left for a request."""


class _LinAlgError(RuntimeError):
    """A matrix is singular, not positive definite, or an iteration over it doesn't converge."""


# The name that programs use; the other one is what PyTorch shows.
LinAlgError = _LinAlgError


class AcceleratorError(RuntimeError):
    """A device that computes has failed."""


class FatalError(Exception):
    """Something that a program cannot go on from."""


class JITException(Exception):
    """What goes wrong in a script."""


class DistError(RuntimeError):
    """What goes wrong between processes that train together."""


class DistBackendError(DistError):
    """The library that connects the processes has failed."""


class DistNetworkError(DistError):
    """The network between the processes has failed."""


class DistStoreError(DistError):
    """The store that the processes share has failed."""


class QueueEmptyError(DistStoreError):
    """A queue of the store has nothing in it."""
