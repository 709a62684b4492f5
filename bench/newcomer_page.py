"""Write the transcript of `bench.newcomer` as a page of the docs, without varying values."""

import re
from pathlib import Path

HOME = "/home/you"
HEAD = """# A newcomer's first hour

This page is the transcript of a first session with Ghost, from cloning the repository to moving the
store to PostgreSQL and back. `make newcomer` runs every command in a fresh clone and a fresh
environment, checks the output, and stops at the first unexpected result. Times, ids, ports,
checksums and paths are replaced, so that two runs can be compared; long outputs show only their
first and last lines.

Prompts: `~$` is the home folder, `~/ghost$` the clone, `~/shop$` a project, and `>` a call by an
MCP client.
"""
_VARYING = [  # replacements must not look like real values
    (re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"), "ID"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?"), "TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"token=[\w-]+"), "token=…"),
    (re.compile(r"\b\d+\.\d+ s\b"), "… s"),
    (re.compile(r"\b\d+\.\d+ seconds\b"), "… seconds"),
    (re.compile(r"\bin \d+\.\d+s(?: \([\d:]+\))?"), "in … s"),
    (re.compile(r"(?<=  )[0-9a-f]{16}$", re.MULTILINE), "…"),
    (re.compile(r"host=%2F[\w%.-]+"), "host=…"),
    (re.compile(r"[\w./-]*ghost-demo-\w+"), "/tmp/ghost-demo-…"),
    (re.compile(r"\b[\d,]+ bytes"), "… bytes"),
]
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def page(seen: list[tuple[str, str]], home: str, root: str) -> str:
    """Return the page: titles, notes, and blocks with the commands and their output."""
    parts = [HEAD]
    typed: list[str] = []
    for kind, text in [*seen, ("end", "")]:
        if kind == "typed":
            typed.append(alike(text, home, root))
            continue
        if typed:
            parts.append("```text\n" + "\n".join(typed) + "\n```\n")
            typed = []
        if kind == "title":
            parts.append(f"## {text}\n")
        elif kind == "note":
            parts.append(f"{text}\n")
    return "\n".join(parts)


def alike(text: str, home: str, root: str) -> str:
    """Return a text without the values that differ from run to run."""
    text = text.replace(home, HOME).replace(Path(home).name, Path(HOME).name)
    text = text.replace(root, "CHECKOUT")
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    days = sorted(set(_DAY.findall(text)))
    today = days[-1] if days else ""
    return "\n".join(
        line.replace(today, "TODAY").rstrip() if today else line.rstrip()
        for line in text.splitlines()
    )
