"""Collectives between processes of one machine, through memory that all of them see."""
