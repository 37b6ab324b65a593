"""Public functions and methods: what they accept, and the Python functions that read their arguments.

The generated files say which names there are, and the overloads of each (`signatures`). `public` makes the
built-in functions that programs call. A function's first calls are read by `dispatch.resolver`; one that
keeps coming gets a Python function of its own (`text`), which tests the types of its arguments and calls
the overload, and leaves to the resolver what it does not recognise.
"""
