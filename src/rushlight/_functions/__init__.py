"""Functions of the namespace whose Python form no schema describes."""
