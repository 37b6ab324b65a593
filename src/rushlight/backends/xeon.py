"""The library xeon, which is not there."""

enabled = False
