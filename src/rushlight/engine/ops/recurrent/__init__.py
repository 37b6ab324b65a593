"""Recurrent networks, a whole sequence at once."""
