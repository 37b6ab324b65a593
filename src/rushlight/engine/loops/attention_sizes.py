"""How large the rows are that the kernel of attention keeps on the stack."""

# The most elements of a query, a key or a value.
LONGEST = 256
