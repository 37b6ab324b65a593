"""`functional_call` and `stack_module_state` under their other address."""

from rushlight.func import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]
