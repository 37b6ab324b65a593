"""Generated."""

OPERATORS = ()
