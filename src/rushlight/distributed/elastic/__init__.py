"""Workers that are started again when one of them fails."""
