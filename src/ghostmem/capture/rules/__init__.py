"""capture/rules."""
