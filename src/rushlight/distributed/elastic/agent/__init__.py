"""The launcher of one machine."""
