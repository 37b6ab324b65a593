"""What classes of tensors tell an exporter of programs; there is none yet."""
