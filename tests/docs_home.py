"""A home in which the examples of the docs can be typed: a small store, and files under the names that the pages use."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from ghostmem import Ghost
from ghostmem.settings import Settings

DATA = Path(__file__).resolve().parent / "data"
DEFAULT_NS = "project:you"  # of commands without -n in the home, which is called `you`
DRAFT = ("one", "two", "three")
MEMORIES = {
    "tea": "The user drinks green tea.",
    "tea-time": "Tea is at four.",
    "deploy-days": "We deploy on Tuesdays.",
    "editor": "The user writes all code in Vim.",
    "old-editor": "The user writes code in Vim.",
    "new-editor": "The user no longer writes code in Vim, but in Helix.",
    "database": "We use PostgreSQL as our database.",
    "outage": "The outage was caused by a full disk.",
    "rollback": "A rollback takes four minutes.",
    "a": "The shop needs the cart.",
    "b": "The cart counts in cents.",
    "notes": "alpha\nbeta\ngamma\n",
}
FILES = {
    "old.md": "alpha\nbeta\ngamma\n",
    "new.md": "alpha\nBETA\ngamma\n",
    "change.diff": "--- a\n+++ b\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n",
    "notes/garden.md": "# Garden\n\n## Beds\n\nGarlic goes into the raised bed.\n",
    "MEMORY.md": "# Memory\n\n## Tea\n\nGreen, at four.\n",
    "notes.txt": "I prefer tabs. Never push to main.\n",
    "chat.txt": "User: I prefer tabs.\n",
    "event.json": '{"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup", "cwd": "."}\n',
    "export.json": '[{"id": "1", "memory": "Sam drinks green tea", "user_id": "sam"}]\n',
    "basic-memory/Coffee.md": "---\ntitle: Coffee\n---\n\n# Coffee\n\n- [method] Pour over #brewing\n",
    "src/app.py": "def main():\n    return 0\n",
    "src/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
    "src/shop/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
    "src/requests/sessions.py": "class Session:\n    def send(self, request):\n        return request\n",
    "mux.go": "package mux\n\nfunc Serve() { match() }\n\nfunc match() {}\n",
    "lib.rs": "pub fn run() {}\n",
    "project/README.md": "# Project\n",
    "backups/.keep": "",
    ".config/fish/completions/.keep": "",
}
# programs of other people that pages call in the middle of a command: what they print stands for what those would
STAND_INS = {
    "claude": "echo '[]'",
    "codex": "echo '[]'",
    "pbpaste": "echo 'I prefer tabs. Never push to main.'",
    "my-model": """echo '[{"content": "Ana works in Berlin time."}]'""",
}


def furnish(home: Path) -> None:
    """Fill an empty folder with what the examples take for granted."""
    for name, text in FILES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    for name, script in STAND_INS.items():
        path = home / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n", encoding="utf-8", newline="\n")
        path.chmod(0o755)
    for source, target in (
        ("claude", ".claude/projects/-home-me-shop"),
        ("codex", ".codex/sessions"),
    ):
        shutil.copytree(DATA / "transcripts" / source, home / target)
    shutil.copy(DATA / "transcripts" / "chat.jsonl", home / "chat.jsonl")
    shutil.copy(DATA / "original" / "head.db", home / "original.db")
    (home / ".curlrc").write_text(
        "fail-with-body\nsilent\n", encoding="utf-8"
    )  # an answer that is an error, is one
    with Ghost.open(
        home / ".ghost" / "memory.db", settings=Settings(embed_provider="none")
    ) as ghost:
        for key, content in MEMORIES.items():
            for ns in ("agent:me", DEFAULT_NS):
                ghost.put(ns, key, content, created_at=datetime(2026, 3, 1, tzinfo=UTC))
        for content in DRAFT:
            ghost.put("agent:me", "draft", content)
        ghost.put("agent:me", "tea", "The user drinks green tea in the morning.")
        ghost.consolidate(
            "agent:me", "tea-habits", "The user drinks green tea at four.", ["tea", "tea-time"]
        )
        ghost.reflect()
        for source in ("mallory", "web-clipper"):
            ghost.put(
                "agent:me",
                source,
                f"As {source} said.",
                source_user=source,
                source_client=source,
                source_kind="peer",
            )
        ghost.put("agent:ada", "outage", "The outage was caused by a full disk.")
        lines = "".join(f"{line}\n" for line in ghost.export())
    (home / "memories.jsonl").write_text(lines, encoding="utf-8", newline="\n")
