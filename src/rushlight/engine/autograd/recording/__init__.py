"""Recording: a call that Python makes gets a node behind its result.

`key_part` is what the autograd key adds to an operator: it calls the kernels below with what has no
history, then a function that `record_source` has written for the operator's rule. That function
finds the edges of the arguments, and where one wants a gradient makes the node, keeps what the
formulas name and attaches the node to the result (`attach`). `inplace_part` does so for operators
that change an argument.

A call that is repeated makes its node in machine code: `machine_words` says in words what has been
recorded, and `dispatch/call_cache/history` reads them.
"""
