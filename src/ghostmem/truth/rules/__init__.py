"""truth/rules."""
