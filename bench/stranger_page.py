"""The transcript of a stranger as a page of the docs, without what differs from run to run."""

import re

HOME = "/home/you"
HEAD = """# A stranger's first hour

Made by `make stranger`: a fresh clone, a fresh environment built from the wheel, and the commands that somebody would type who
has never seen Ghost. Each is run for real, what it prints is checked, and the first surprise ends the run. Times, ids, ports,
checksums and paths are made alike here, so that two runs can be compared; long outputs show their two ends.

Prompts: `$` is the stranger's home, `ghost$` the clone, `>` what a client does.
"""
_VARYING = [
    (re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"), "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "2026-03-14T09:26:53Z"),
    (re.compile(r"\b20(?!26-0[13]-)\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?"), "2026-03-14 09:26:53"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:8700"),
    (re.compile(r"token=[\w-]+"), "token=…"),
    (re.compile(r"\b\d+\.\d+ s\b"), "0.5 s"),
    (re.compile(r"\b\d+\.\d+ seconds\b"), "20 seconds"),
    (re.compile(r"(?<=  )[0-9a-f]{16}$", re.MULTILINE), "0123456789abcdef"),
    (re.compile(r"host=%2F[\w%.-]+"), "host=%2Fvar%2Frun"),
    (re.compile(r"[\w./-]*ghost-demo-\w+"), "/tmp/ghost-demo"),
    (re.compile(r"\b[\d,]+ bytes"), "294,912 bytes"),
    (re.compile(r"in (\d+\.\d+)s\b"), "in 900s"),
]
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def page(seen: list[tuple[str, str]], home: str, root: str) -> str:
    """Return the page: titles, notes, and what was typed in blocks."""
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
    """Return a text without what differs from run to run."""
    text = text.replace(home, HOME).replace(root, "https://example.com/ghost.git")
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    days = sorted(set(_DAY.findall(text)))
    today = days[-1] if days else ""
    return "\n".join(line.replace(today, "2026-11-15").rstrip() if today else line.rstrip() for line in text.splitlines())
