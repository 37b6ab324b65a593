"""Exceptions of rushlight's own; everything else raises Python's."""


class OutOfMemoryError(RuntimeError):
    """A device has no memory left for a request."""


class _LinAlgError(RuntimeError):
    """A matrix is singular, not positive definite, or an iteration over it doesn't converge."""


# The name that programs use; the other one is what PyTorch shows.
LinAlgError = _LinAlgError
