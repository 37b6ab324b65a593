"""NVIDIA's GPUs: the driver, contexts, streams, memory. Nothing here knows of tensors.

Nothing is loaded before the first call that needs a device.
"""
