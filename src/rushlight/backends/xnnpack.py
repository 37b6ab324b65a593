"""The library xnnpack, which is not there."""

enabled = False
