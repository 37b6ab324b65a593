"""The family nested: batches whose elements differ in size, made and taken apart."""
