"""Exceptions of rushlight's own; everything else raises Python's."""


class OutOfMemoryError(RuntimeError):
    """A device has no memory left for a request."""
