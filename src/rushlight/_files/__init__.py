"""Tensors in files: the zip archive, the pickle inside it, and reading its records one by one."""
