"""What a tensor has besides operators: gradients, metadata, copies, conversions, subclasses."""
