"""How folders of markdown are laid out: a table, and small readers."""
