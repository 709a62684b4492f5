"""Names of standard libraries by their meaning, from data files with one meaning a line."""

from ghostmem.outline.engine.table import words_of


def meanings(file: str, group: str) -> dict[str, str]:
    """Return the names of a group of lines with the meaning of each: `x.a b c` is {b: a, c: a}."""
    return {
        name: key.removeprefix(f"{group}.")
        for key, names in words_of(file).items()
        if key.startswith(f"{group}.")
        for name in names
    }
