"""ghost doctor"""

from collections.abc import Iterator

import click

from ghostmem.admin.doctor import Finding, doctor
from ghostmem.cli.face import Face, TolerantCommand, declare
from ghostmem.settings import Settings
from ghostmem.text.excerpt import visible

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@declare(
    "doctor",
    "Look at the installation and say what to do; exit 5 when something is wrong.",
    "  ghost doctor --fix\n",
    TolerantCommand,
)
@click.option("--fix", is_flag=True, help="Repair what can be repaired.")
def command(face: Face, fix: bool) -> int:
    found = doctor(
        face.settings,
        lambda: face.ghost.store,
        fix=fix,
        config_error=face.config_error,
        further=lambda: _clients(face.settings),
    )
    if face.as_json:
        face.json(found)
    else:
        for finding in found.findings:
            mark, colour = MARKS[finding.state]
            face.line(f"{click.style(mark, fg=colour)} {finding.name}: {visible(finding.detail)}")
            if finding.fix:
                face.line(f"    → {visible(finding.fix)}")
    return 0 if found.ok else 5


def _clients(settings: Settings) -> Iterator[Finding]:
    """Look at the clients that Ghost is installed in, and at what their hooks last failed at."""
    from ghostmem.hooks.log import last, log_path
    from ghostmem.setup.check import check_clients

    yield from check_clients(settings)
    path = log_path(settings)
    failure = last(path)
    if failure:
        yield Finding(
            "hooks",
            "warning",
            f"the last failure: {failure}",
            f"see {path}; delete it when that is dealt with",
        )
