"""How operators treat batches whose elements differ in size."""
