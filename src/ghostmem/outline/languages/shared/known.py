"""Names of standard libraries by their meaning, from data files with one meaning a line."""

from ghostmem.outline.rules import packages_in


def meanings(file: str, group: str) -> dict[str, str]:
    """Return the names of a group of lines with the meaning of each: `x.a b c` is {b: a, c: a}."""
    return {
        name: key.removeprefix(f"{group}.")
        for key, names in packages_in(file).items()
        if key.startswith(f"{group}.")
        for name in names
    }
