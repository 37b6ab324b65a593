"""Capture: a Python function becomes graphs of operators, with Python in between where it must be.

`interpreter` runs the function's bytecode itself, over the real objects of the program but fakes in the places of tensors.
What is done to fakes is noted as a graph (`recording`), what is read of the program's objects as guards (`reading`).
Where something cannot be in a graph, the graph ends (`Break`): it is compiled and run, the frames that are being
interpreted get the real values (`rebuilding`), the instruction is done as Python would, and behind it the next graph
begins. `programs` keeps these *segments*, and runs them again where their guards hold.
"""
