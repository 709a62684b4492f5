"""ghost reflect, undo, rule, curate: the lifecycle of memories."""

import time

import click

from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.options import KEYED, either, json_object, one_key, option, options
from ghostmem.cli.output import bold, dim, named, plural
from ghostmem.clock import parse_ttl
from ghostmem.errors import InvalidInputError
from ghostmem.lifecycle.rules import BUILT_IN
from ghostmem.memory.curate import OPS, Curated
from ghostmem.model import Change, Report, Rule, Run
from ghostmem.parameters import OPERATIONS
from ghostmem.text.excerpt import visible

COUNTS = {
    "promoted": "promoted",
    "demoted": "demoted",
    "decayed": "lost importance",
    "archived": "archived",
    "deleted": "deleted",
    "deduplicated": "archived as duplicates",
    "merged": "merged",
    "pinned": "pinned",
    "expiring": "given an expiry",
    "linked": "links",
    "relinked": "links by names, topics or meaning",
    "edges_decayed": "edges weakened",
    "edges_pruned": "edges deleted",
}
_MAX_PAUSE = 100 * 365 * 86_400.0  # seconds; longer ones do not fit the system's clock
SINGULAR = {"links": "link", "edges": "edge", "duplicates": "a duplicate"}


@command(
    "reflect",
    """\
  ghost reflect -n agent:me --dry-run
  ghost reflect
  ghost reflect --every 6h
  ghost undo last
""",
)
@options("reflect", "ns dry_run relink")
@click.option(
    "--every",
    metavar="TIME",
    help="Repeat with a pause such as 6h or 30m, until interrupted.",
)
@click.option("--changes", is_flag=True, help="List every change; a dry run always does.")
def reflect(
    console: Console, ns: str | None, dry_run: bool, relink: bool, every: str | None, changes: bool
) -> None:
    """Run the lifecycle rules, namespace by namespace."""
    pause = None if every is None else parse_ttl(every, "every").total_seconds()
    while True:
        report = console.ghost.reflect(
            console.ns_filter(ns),
            dry_run=dry_run,
            relink=relink,
            progress=console.progress("checked"),
        )
        console.show(report, _report_text(report, changes or dry_run))
        console.notes(report.notes)
        if pause is None:
            return
        time.sleep(min(pause, _MAX_PAUSE))


def _report_text(report: Report, changes: bool) -> str:
    counts = {name: getattr(report, name) for name in COUNTS}
    done = [_count_text(count, COUNTS[name]) for name, count in counts.items() if count]
    head = f"{'would have: ' if report.dry_run else ''}{', '.join(done) or 'nothing to do'}"
    resumed = "this finished a run that had been interrupted"
    undo = dim(f"run {report.run}; `ghost undo {report.run}` reverts it")
    return "\n".join(
        [
            *map(_change_text, report.changes if changes else ()),
            f"{plural(report.memories_evaluated, 'memory')} checked; {head}",
            *(f"similar: {visible(', '.join(group))}" for group in report.linked_clusters[:10]),
            *([resumed] if report.resumed else []),
            *([undo] if report.run and report.changes else []),
        ]
    )


def _count_text(count: int, what: str) -> str:
    """Return `2 edges weakened` or `1 edge weakened`."""
    words = [SINGULAR.get(word, word) for word in what.split()] if count == 1 else [what]
    return f"{count:,} {' '.join(words)}"


def _change_text(change: Change) -> str:
    to_end = f" —{change.rel}→ {bold(visible(change.to_key))}" if change.to_key else ""
    fields = ", ".join(
        f"{name} {_value_text(change.before.get(name))} → {_value_text(change.after.get(name))}"
        for name in {**change.before, **change.after}
    )
    return f"{named(change)}{to_end}  {change.op.lower()}  {fields}  {dim(change.rule)}".rstrip()


def _value_text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return (
        "–"
        if value is None
        else visible(", ".join(value) if isinstance(value, list) else str(value))
    )


@command(
    "undo",
    """\
  ghost undo                    # lists the runs
  ghost undo last
  ghost undo 01JAYZ4 --dry-run
""",
)
@click.argument("run", required=False)
@options("undo", "dry_run")
@options("runs", "limit")
def undo(console: Console, run: str | None, dry_run: bool, limit: int) -> None:
    """Revert a lifecycle run; without a run, list them."""
    if run is None:
        console.show_all(
            console.ghost.lifecycle.runs(limit=limit),
            _run_text,
            "no runs yet; `ghost reflect` starts one, `ghost restore KEY` reverts a deletion",
        )
        return
    done = console.ghost.lifecycle.undo(run, dry_run=dry_run)
    console.show(
        done,
        f"{'would revert' if dry_run else 'reverted'} {plural(done.undone, 'change')} "
        f"of run {done.run}",
    )
    for change in done.left:
        console.note(
            "left as it is, because it has changed since: "
            f"{change.ns}/{visible(change.key)} {change.op.lower()}"
        )


def _run_text(run: Run) -> str:
    unfinished = "done" if run.finished_at else "interrupted; the next reflect finishes it"
    about = f"{run.at:%Y-%m-%d %H:%M}  {run.verb} {run.scope or 'everything'}"
    state = dim("undone" if run.undone_at else unfinished)
    return f"{bold(run.id)}  {about}  {plural(run.changes, 'change')}  {state}"


CONDITION = "cond_"
_RULE = OPERATIONS["set_rule"]
RULE_ID = click.argument("rule_id", metavar="ID")


rule = ConsoleGroup(
    "rule",
    """\
  ghost rule
  ghost rule list
  ghost rule set --name "old chatter" --cond-tag chat --cond-age-gt 720 --action ARCHIVE
  ghost rule set --name drafts --cond-tag draft --action TTL_SET --action-params '{"ttl": "7d"}'
  ghost rule delete sys-dedup-all
""",
)


def _rule_text(rule: Rule) -> str:
    conditions = ", ".join(
        f"{name.removeprefix(CONDITION)} {value}"
        for name, value in rule.to_dict().items()
        if name.startswith(CONDITION)
    )
    params = ", ".join(f"{name} {value}" for name, value in rule.action_params.items())
    action = f"{rule.action_op} ({params})" if params else str(rule.action_op)
    until = f", until {rule.rule_expires_at:%Y-%m-%d %H:%M}" if rule.rule_expires_at else ""
    about = dim(f"{rule.priority}{f' in {rule.ns}' if rule.ns else ''}{until}")
    name = "" if rule.name == rule.id else f"  {visible(rule.name)}"
    return f"{bold(visible(rule.id))}{name}  {about}\n    {visible(conditions)} → {visible(action)}"


rule.row(
    "list",
    "List the rules, highest priority first.",
    click.option("-n", "--ns", metavar="NS", help="Only rules that apply in this namespace."),
    call=lambda console, ns: console.ghost.lifecycle.rules(ns),
    text=_rule_text,
    nothing="no rules",
    alone=True,
)
rule.row(
    "get",
    "Show one rule.",
    RULE_ID,
    call=lambda console, rule_id: console.ghost.lifecycle.rule(rule_id),
    text=_rule_text,
)


rule.row(
    "set",
    "Add a rule, or replace one.",
    option(_RULE["name"], required=True),
    option(_RULE["rule_id"], "--id", "rule_id"),
    options(
        "set_rule",
        "ns priority",
        *(
            option(_RULE[name], f"--cond-{name.removesuffix('_hours').replace('_', '-')}", name)
            for name in (
                "tier kind tag age_gt_hours unaccessed_gt_hours importance_lt access_lt access_gt "
                "utility_lt similarity_gt"
            ).split()
        ),
    ),
    option(_RULE["action"], required=True),
    options("set_rule", "action_params expires_at"),
    call=lambda console, name, action, action_params, **fields: console.ghost.lifecycle.set_rule(
        name, action, action_params=json_object(action_params, "--action-params"), **fields
    ),
    text=lambda rule: f"set {_rule_text(rule)}",
    creates=True,
)


@rule.command("delete", creates=True)
@RULE_ID
def rule_delete(console: Console, rule_id: str) -> None:
    """Delete a rule, or disable a built-in one."""
    changed = console.ghost.lifecycle.rm_rule(rule_id)
    is_built_in = any(changed.id == built_in.id for built_in in BUILT_IN)
    console.show(
        {"deleted": changed.id},
        f"disabled {changed.id}, a built-in rule; `ghost rule reset {changed.id}` restores it"
        if is_built_in
        else f"deleted {visible(changed.id)}",
    )


rule.row(
    "reset",
    "Restore a built-in rule to its original state.",
    RULE_ID,
    call=lambda console, rule_id: console.ghost.lifecycle.reset_rule(rule_id),
    text=lambda rule: f"reset {_rule_text(rule)}",
    creates=True,
)


@command(
    "curate",
    """\
  ghost curate -n agent:me tea promote
  ghost curate -n agent:me tea --op pin
""",
)
@KEYED
@click.argument("op_argument", metavar="[OP]", required=False)
@click.option(
    "--op",
    metavar="OP",
    help="promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock; may "
    "also be given as an argument.",
)
@options("curate", "unlock")
def curate(
    console: Console,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    op_argument: str | None,
    op: str | None,
    unlock: bool,
) -> None:
    if key and op_argument is None and op is None:  # the key is an option: the argument is the op
        key_argument, op_argument = None, key_argument
    op = either(op, op_argument, "operations", "--op")
    if not op:
        raise InvalidInputError(
            "an operation is required",
            f"write `ghost curate KEY OP`; OP is one of: {', '.join(OPS)}",
        )
    done = console.ghost.curate(
        *console.memory_name(ns, one_key(key, key_argument)), op, unlock=unlock
    )
    console.show(done, f"{named(done)}  {_curated_text(done)}")


def _curated_text(done: Curated) -> str:
    if done.new_tier is not None:
        return f"{done.old_tier} → {done.new_tier}"
    if done.new_importance is not None:
        return f"importance {done.old_importance:g} → {done.new_importance:g}"
    if done.new_pinned is not None:
        return "pinned" if done.new_pinned else "no longer pinned"
    if done.locked is not None:
        return "locked" if done.locked else "no longer locked"
    return "deleted; `ghost restore` brings it back"
