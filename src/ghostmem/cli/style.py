"""Styles of text on a terminal."""

import click


def dim(text: str) -> str:
    """Style secondary text."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Style important text."""
    return click.style(text, bold=True)
