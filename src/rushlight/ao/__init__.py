"""Other arithmetic."""
