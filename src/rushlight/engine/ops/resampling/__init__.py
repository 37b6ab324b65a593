"""Images of other sizes, and images read at places between their pixels."""
