"""The compiler's back end: graphs of operators become few loops.

`fusion` decides which nodes share a loop, `scalar_program` says what the loop computes for an element, `kernels` runs
it, `lowering` writes the graph anew with the loops in it, and `compile_fx` is what `torch.compile` calls.
"""
