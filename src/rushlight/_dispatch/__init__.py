"""Switches of a dispatcher in Python, which is the only one here."""
