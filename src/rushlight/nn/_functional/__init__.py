"""The functions of `nn.functional` whose Python form no schema describes, by subject."""
