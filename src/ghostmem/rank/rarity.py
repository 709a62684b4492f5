"""What a term is worth by how rare it is."""

from ghostmem.text.rarity import rarity

__all__ = ["rarity"]
