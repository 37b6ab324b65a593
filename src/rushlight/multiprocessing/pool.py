"""A pool of worker processes: Python's own, whose workers send tensors in shared memory."""

from multiprocessing.pool import Pool

__all__ = ["Pool"]
