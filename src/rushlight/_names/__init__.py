"""Which names there are: filling namespaces, parts that are absent, the files that PyTorch has them in."""
