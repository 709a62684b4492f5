"""ghost doctor"""

import click

from ghostmem.cli.face import Face, TolerantCommand, declare
from ghostmem.verbs.doctor import doctor

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@declare(
    "doctor",
    "Look at the installation and say what to do; exit 5 when something is wrong.",
    "  ghost doctor --fix\n",
    TolerantCommand,
)
@click.option("--fix", is_flag=True, help="Repair what can be repaired.")
def command(face: Face, fix: bool) -> int:
    found = doctor(face.settings, lambda: face.ghost.store, fix=fix, config_error=face.config_error)
    if face.as_json:
        face.json(found)
    else:
        for finding in found.findings:
            mark, colour = MARKS[finding.state]
            face.line(f"{click.style(mark, fg=colour)} {finding.name}: {finding.detail}")
            if finding.fix:
                face.line(f"    → {finding.fix}")
    return 0 if found.ok else 5
