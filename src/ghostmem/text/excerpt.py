"""Cutting texts to a length a reader can take in."""


def first_line(content: str, limit: int) -> str:
    """Return the start of a text on one line, cut at a word and marked when cut."""
    line = " ".join(content[: limit * 4].split())
    if len(line) <= limit and len(content) <= limit * 4:
        return line
    cut = line[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
