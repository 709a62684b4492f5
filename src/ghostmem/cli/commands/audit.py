"""ghost audit: score a store, and verify its audit log."""

from __future__ import annotations

import click

from ghostmem.admin.verify import Chain, LogLine
from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.options import (
    NS_FILTER,
    refuse,
)
from ghostmem.cli.output import bold, dim, plural
from ghostmem.clock import format_time
from ghostmem.errors import EngineError
from ghostmem.lifecycle.audit import AuditFinding, AuditReport
from ghostmem.lifecycle.audit import audit as audit_store
from ghostmem.text.excerpt import visible

COLOURS = ((85, "green"), (60, "yellow"), (0, "red"))  # from which score on


class AuditGroup(ConsoleGroup):
    """A group whose function takes a path: a first word that names no subcommand is one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a subcommand, or score the tool's store that a path names."""
        if args[0] not in self.commands:
            return ctx.info_name, score, args
        return super().resolve_command(ctx, args)


audit = AuditGroup(
    "audit",
    """\
  ghost audit
  ghost audit -n agent:me --json
  ghost audit ~/notes
  ghost audit verify
  ghost audit verify --head 5c0a…
  ghost audit log -n agent:me --since 2026-03-01
""",
)


audit.no_args_is_help = False
audit.subcommand_metavar = "[PATH] | COMMAND [ARGS]..."


@audit.set_alone
@NS_FILTER
@click.argument("path", required=False)
def _score(console: Console, ns: str | None, path: str | None = None) -> None:
    """Score the health of a store, or verify its audit log."""
    refuse(
        path and ns,
        "a namespace and a path were given",
        "another tool's store is scored as a whole: leave -n out",
    )
    if path:
        from ghostmem.transfer.audit_foreign import audit_foreign

        found = audit_foreign(path, console.settings, progress=console.progress("embedded"))
    else:
        console.progress("judging")
        found = audit_store(console.ghost.store, console.ns_filter(ns))
    console.show(found, _audit_text(found))
    console.notes((*(f"not judged: {reason}" for reason in found.unjudged), *found.notes), "")


score = command("audit")(_score)


@audit.command("verify")
@click.option(
    "--head",
    metavar="HASH",
    help="A head printed earlier: check that the log still contains it.",
)
def audit_verify(console: Console, head: str | None) -> int:
    """Recompute the hash chain of the audit log; exit 5 if it was tampered with.

    Keep the head that it prints elsewhere: given later, it proves that nothing before it was
    rewritten.
    """
    found = console.ghost.admin.verify_log(head=head)
    old = f", {found.unchained} from before hashes were introduced" if found.unchained else ""
    state = "whole" if found.ok else click.style("broken", fg="red")
    lines = [
        *(_chain_text(chain) for chain in found.chains if chain.lines or chain.broken),
        *(visible(sentence) for sentence in found.broken),
        *filter(None, [found.known]),
        f"{state}: {plural(found.lines, 'line')}{old}",
        f"head {found.head or '(none yet)'}",
    ]
    console.show(found, "\n".join(lines))
    if found.ok:
        return 0
    console.note("compare with a backup; `ghost audit log` lists the entries")
    return EngineError.exit_code


def _chain_text(chain: Chain) -> str:
    old = f", {chain.unchained} unchained" if chain.unchained else ""
    lines = f"{bold(visible(chain.ns))}  {plural(chain.lines, 'line')}{old}"
    wrong = f"  {click.style(chain.broken, fg='red')}" if chain.broken else ""
    return f"{lines}  {dim(chain.head[:16])}{wrong}"


@audit.command("log")
@NS_FILTER
@click.option("--since", metavar="TIME", help="Only changes at or after this time.")
@click.option(
    "-l",
    "--limit",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Maximum number of entries, the latest; 0: all.",
)
def audit_log(console: Console, ns: str | None, since: str | None, limit: int) -> None:
    """List the audit log: who changed which memory, how and when."""
    console.show_all(
        console.ghost.admin.audit_log(console.ns_filter(ns), since=since, limit=limit or None),
        _log_text,
        "no changes yet",
    )


def _log_text(line: LogLine) -> str:
    return "  ".join(
        (
            dim(format_time(line.at)[:19] if line.at else " " * 19),
            visible(line.actor or "-"),
            bold(visible(line.op)),
            visible(f"{line.ns}/{line.key}" if line.key else line.ns),
            dim(line.memory_id),
        )
    )


def _audit_text(report: AuditReport) -> str:
    colour = next(colour for least, colour in COLOURS if report.score >= least)
    about = (
        f"{plural(report.memories, 'memory')} in {plural(report.namespaces, 'namespace')}, "
        f"{plural(report.edges, 'edge')}  {dim(visible(report.source))}"
    )
    findings = sorted(report.findings, key=lambda finding: -finding.cost)
    clean = [finding.name.replace("_", " ") for finding in report.findings if not finding.count]
    return "\n".join(
        [
            f"{bold(click.style(f'{report.score} of 100', fg=colour))}  {about}",
            *(_finding_text(finding) for finding in findings if finding.count),
            *([dim(f"nothing found: {', '.join(clean)}")] if clean else []),
        ]
    )


def _finding_text(finding: AuditFinding) -> str:
    examples = dim(
        visible(
            ", ".join(
                [*finding.examples, *([] if finding.count <= len(finding.examples) else ["…"])]
            )
        )
    )
    about = f"{finding.count:,} ({finding.share:.1%}), costs {finding.cost:g}  {examples}"
    name = bold(finding.name.replace("_", " "))
    return f"{name}: {about}\n    → {visible(finding.advice)}"
