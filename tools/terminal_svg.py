"""Draw docs/images/session.svg: a recorded session of Claude Code with Ghost's hooks.

    python tools/terminal_svg.py            run the session and write the picture
    python tools/terminal_svg.py --check    exit 1 if the picture differs from what a run prints

Everything runs for real, in a temporary home with a store of its own. A line that starts with
`$` is typed into a shell. A line that starts with `>` is a prompt in Claude Code: `ghost hook
claude` gets it on standard input as Claude Code sends it, and the lines below it are the
`additionalContext` of the hook's answer, which Claude Code adds to the prompt. Dates are replaced
by the fixed date of the story, so that the picture is the same every day.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "session.svg"
MONDAY = "2026-03-09"
SESSION = [
    "$ ghost setup claude-code --hooks",
    "# Monday, in Claude Code",
    "> We deploy on Tuesdays, never on Fridays. Now fix the login test, please.",
    "$ ghost list -n project:shop",
    "# Friday, a new session: the hook adds what is relevant to the prompt",
    "> Can I deploy this today?",
    "# A question that no memory answers",
    '$ ghost search -n project:shop "how tall is the Eiffel tower?"',
]
COLUMNS, CHARACTER, LINE, MARGIN = 96, 7.8, 20, 18
STYLE = """
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
    .window { fill: #f6f8fa; stroke: #d0d7de } .out { fill: #424a53 }
    .typed { fill: #0b0d10; font-weight: 600 } .note { fill: #6e7781 }
    .prompt { fill: #0a58b5; font-weight: 600 } .added { fill: #1a7f37 }
    @media (prefers-color-scheme: dark) {
      .window { fill: #161b22; stroke: #30363d } .out { fill: #c9d1d9 } .typed { fill: #f0f6fc }
      .note { fill: #9aa4af } .prompt { fill: #79b8ff } .added { fill: #7ee787 } }
"""


class Home:
    """A temporary home with a project, in which the session runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "shop"
        self.project.mkdir(parents=True)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GHOST_", "AGENT_MEMORY_", "CLAUDE"))
        }
        path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
        self.env = {**kept, "HOME": str(folder), "PATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1"}
        self.sessions = 0

    def run(self, command: list[str], text: str = "") -> tuple[str, str]:
        """Run a command and return what it prints on standard output and standard error."""
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.env,
            input=text,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return self.steady(done.stdout), self.steady(done.stderr)

    def steady(self, text: str) -> str:
        """Return a text with the folders and the date of the story."""
        return re.sub(r"\b20\d\d-\d\d-\d\d\b", MONDAY, text.replace(str(self.folder), "~"))

    def shell(self, line: str) -> str:
        """Return what a line of a shell prints: its result, or its note when it has none."""
        out, notes = self.run(["sh", "-c", line])
        return out or notes

    def prompt(self, text: str) -> str:
        """Return what the hook adds to a prompt in a new session of Claude Code."""
        self.sessions += 1
        event = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": f"session-{self.sessions}",
            "cwd": str(self.project),
            "prompt": text,
        }
        # --wait captures before it returns; without it, the capture follows in the background.
        # The time limit is long, so that a busy machine draws the same picture.
        command = ["ghost", "hook", "claude", "--wait", "--timeout", "60"]
        out, _ = self.run(command, json.dumps(event))
        answer = json.loads(out) if out else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def recorded() -> list[tuple[str, str]]:
    """Run the session and return its lines with their styles."""
    lines: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="ghost-session-") as folder:
        home = Home(Path(folder).resolve() / "you")
        for step in SESSION:
            sign, text = step[0], step[2:]
            if sign == "#":
                lines += [("out", ""), ("note", f"# {text}")]
                continue
            kinds = ("typed", "out") if sign == "$" else ("prompt", "added")
            printed = home.shell(text) if sign == "$" else home.prompt(text)
            lines += [(kinds[0], step), *((kinds[1], line) for line in printed.splitlines())]
    return lines


def wrapped(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lines broken at the width of the window, the rest of a line indented."""
    found = []
    for style, line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        parts = textwrap.wrap(
            line, COLUMNS, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False
        )
        found += [(style, part) for part in parts or [""]]
    return found


def drawn(lines: list[tuple[str, str]]) -> str:
    """Return the picture of a session."""
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    title = (
        "A recorded session: a rule stated to Claude Code on Monday is added to a prompt on Friday"
    )
    rows = []
    for number, (style, line) in enumerate(lines):
        text = line.strip()
        if text:
            # a text length of its own keeps each line inside the window, whatever the font
            x = MARGIN + (len(line) - len(line.lstrip())) * CHARACTER
            y = MARGIN + number * LINE + 14
            length = len(text) * CHARACTER
            rows.append(
                f'  <text class="{style}" x="{x:.1f}" y="{y}" textLength="{length:.1f}" '
                f'xml:space="preserve">{escape(text, quote=False)}</text>'
            )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-label="{title}">',
            f"  <title>{title}</title>",
            f"  <style>{STYLE}  </style>",
            f'  <rect class="window" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" '
            'rx="8"/>',
            *rows,
            "</svg>\n",
        ]
    )


def main() -> int:
    """Write or check the picture."""
    picture = drawn(wrapped(recorded()))
    if "--check" in sys.argv[1:]:
        if picture == PICTURE.read_text(encoding="utf-8"):
            return 0
        name = PICTURE.relative_to(ROOT).as_posix()
        print(f"{name} is stale: run python tools/terminal_svg.py", file=sys.stderr)
        return 1
    PICTURE.write_text(picture, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
