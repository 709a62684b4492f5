"""The examples of the docs, run for real.

A ```console block is a session: its `$` lines run in order, in a temporary home that all blocks of
a page share, and their output is written below them. A ```python block runs there too; a ```text
block directly after it has its output. Ids, times, sizes and version numbers may differ.
Everything fenced otherwise (```sh, ```py) is left alone here; tests/test_docs_blocks.py runs it.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HOME = "/home/you"  # name of the temporary home in the docs
# Which vectors a page's examples use: the default where they are the subject, a quick and steady
# choice where numbers are printed, none elsewhere.
PROVIDERS = {
    "README.md": "",
    "docs/settings.md": "",
    "docs/search.md": "static",
    "docs/embeddings.md": "",
    "docs/recipes.md": "",
    "docs/start/agent.md": "",
    "docs/start/coming.md": "",
    "docs/start/notes.md": "",
    "docs/start/python.md": "",
}
_UNSET = ("GHOST_", "AGENT_MEMORY_", "BUS_", "NO_COLOR", "FORCE_COLOR")

_BLOCK = re.compile(
    r"^```(?P<language>console|python)\n(?P<body>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_VARYING = [
    (re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d[:.]\d\d(?:[:.]\d\d(?:\.\d+)?)?Z?)?"), "TIME"),
    (re.compile(r"\b\d{8}T\d{6}Z"), "TIME"),
    (re.compile(r"[\d.,]+ (?:bytes|KB|MB)"), "SIZE"),
    (re.compile(r"\b\d+(?:\.\d+){2,}\b"), "VERSION"),
    (
        re.compile(r"  -?\d+\.\d\d  (?=TIME)"),
        "  SCORE  ",
    ),  # a hit's score, which the processor's arithmetic has a part in
]


def steady(text: str) -> str:
    """Return a text without values that differ from run to run."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


class Session:
    """A temporary home in which the examples of one page run."""

    def __init__(self, folder: Path, page: str) -> None:
        self.folder = folder
        self.page = page
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_UNSET)}
        path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
        own = {"HOME": str(folder), "PATH": path, "TERM": "xterm", "PYTHONUTF8": "1"}
        self.env = {**kept, **own, "GHOST_EMBED_PROVIDER": PROVIDERS.get(page, "none")}
        if page == "docs/hooks.md":  # a hook prints the same on a busy machine
            self.env["GHOST_HOOK_TIMEOUT"] = "60"

    def run(self, command: list[str], shown: str) -> str:
        """Run one example and return its output."""
        done = subprocess.run(
            command,
            check=False,
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        if done.returncode:
            sys.exit(f"{self.page}: exit {done.returncode} from\n{shown}\n{done.stdout}")
        return done.stdout.replace(str(self.folder), HOME)

    def block(self, found: re.Match[str]) -> str:
        """Return a block with its current output, unchanged when only ids and times differ."""
        body, printed = found["body"], found["printed"]
        if found["language"] == "console":
            made = "".join(self.commands(body))
            return found[0] if steady(made) == steady(body) else f"```console\n{made}```\n"
        made = self.run([sys.executable, "-c", body], body)
        if printed is None or steady(made) == steady(printed):
            return found[0]
        return f"```python\n{body}```\n\n```text\n{made}```\n"

    def commands(self, body: str) -> Iterator[str]:
        """Yield each command of a console block and its output."""
        for line in body.splitlines():
            if line.startswith("$ "):
                yield f"{line}\n"
                yield self.run(["sh", "-c", line[2:]], line)


def with_sessions(text: str, page: str) -> str:
    """Return a page with its examples run."""
    with tempfile.TemporaryDirectory(prefix="ghost-docs-") as folder:
        home = Path(folder).resolve() / Path(HOME).name  # its name is in default namespaces
        home.mkdir()
        return _BLOCK.sub(Session(home, page).block, text)
