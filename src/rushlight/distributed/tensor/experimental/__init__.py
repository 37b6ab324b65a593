"""Experiments with tensors in pieces on several devices, which are not there yet."""

from rushlight._names.absent import absent_functions

globals().update(
    absent_functions(
        __name__,
        ["context_parallel", "implicit_replication", "local_map", "register_sharding"],
        "tensors that are spread over several devices",
    )
)
