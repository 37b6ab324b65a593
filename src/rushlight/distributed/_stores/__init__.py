"""Stores: small tables of keys and bytes by which processes find each other.

Programs know the classes as those of `torch.distributed`.
"""
