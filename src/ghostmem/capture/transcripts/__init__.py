"""Readers of conversations that other programs recorded; `choose` has the table of formats."""
