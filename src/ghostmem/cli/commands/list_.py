"""ghost list, files, tags, ns: list memories, and their tags and namespaces."""

from collections import Counter
from typing import Any

import click

from ghostmem.cli.console import Console, ConsoleGroup, command
from ghostmem.cli.options import (
    ALL,
    FILTER_NAMES,
    NS_FILTER,
    TIME_NAMES,
    UNLOCK,
    YES,
    options,
    words,
)
from ghostmem.cli.output import bold, named, plural, row
from ghostmem.parameters import MAX_RESULTS
from ghostmem.text.excerpt import visible


@command(
    "list",
    """\
  ghost list
  ghost list --all
  ghost list -n 'agent:*' -t project:shop --kind procedural
  ghost list --keys-only --limit 100 --offset 100
""",
    sections={
        "Filters": "kind tier tags priority pinned file key_prefix deleted",
        "Source": "source_user source_kind source_scope source_client",
        "Time": TIME_NAMES,
    },
)
@options(
    "list",
    "ns",
    ALL,
    "kind tier",
    FILTER_NAMES,
    TIME_NAMES,
    "file key_prefix deleted limit offset",
)
@click.option("--keys-only", is_flag=True, help="Print only namespaces and keys.")
@click.option("--compact", is_flag=True, help="The same as --json.")
def list_(
    console: Console,
    ns: str | None,
    everything: bool,
    tags: tuple[str, ...],
    keys_only: bool,
    compact: bool,
    **filters: Any,
) -> None:
    console.as_json = console.as_json or compact
    filters["tags"] = words(tags)
    memories = console.ghost.list(console.read_ns(ns, everything), **filters)
    if keys_only and console.as_json:
        console.show_all([{"ns": m.ns, "key": m.key} for m in memories], str)
    else:
        console.show_all(memories, named if keys_only else row)
    if not memories:
        every = {**filters, "limit": MAX_RESULTS, "offset": 0}
        console.note_nothing(
            _nothing_listed(**filters),
            ns,
            everything,
            lambda: Counter(m.ns for m in console.ghost.list(**every)),
        )


def _nothing_listed(offset: int, deleted: bool, limit: int, **filters: Any) -> str:  # noqa: ARG001
    """Say which memories there are none of, so that a filter is not taken for an empty store."""
    if offset:
        return f"no memories after the first {offset:,}"
    if any(value is not None for value in filters.values()):
        return "no memories match the filters"
    return "no deleted memories" if deleted else "no memories"


@command("files", "  ghost files src/app.py --rel modified\n")
@click.argument("path")
@options("files", "rel ns", ALL, "limit")
def files(
    console: Console, path: str, rel: str | None, ns: str | None, everything: bool, limit: int
) -> None:
    found = console.ghost.files(path, rel=rel, ns=console.read_ns(ns, everything), limit=limit)
    console.show_all(found, row)
    if not found:
        console.note_nothing(
            f"no memory is about {visible(path)}",
            ns,
            everything,
            lambda: Counter(
                memory.ns for memory in console.ghost.files(path, rel=rel, limit=MAX_RESULTS)
            ),
        )


tags = ConsoleGroup(
    "tags",
    """\
  ghost tags
  ghost tags list -n agent:me
  ghost tags rename colour color
""",
)


tags.row(
    "list",
    "List tags, most used first.",
    NS_FILTER,
    call=lambda console, ns: console.ghost.admin.tags(console.ns_filter(ns)),
    text=lambda info: f"{visible(info.tag):<30} {plural(info.count, 'memory')}",
    nothing="(no tags)",
    alone=True,
)


@tags.command("rename")
@click.argument("old")
@click.argument("new")
@NS_FILTER
@UNLOCK
def tags_rename(console: Console, old: str, new: str, ns: str | None, unlock: bool) -> None:
    """Rename a tag on every live memory."""
    done = console.ghost.admin.rename_tag(old, new, console.ns_filter(ns), unlock=unlock)
    console.show(done, f"renamed {old} to {new} on {plural(done.affected, 'memory')}")


@tags.command("rm")
@click.argument("tag")
@NS_FILTER
@UNLOCK
def tags_rm(console: Console, tag: str, ns: str | None, unlock: bool) -> None:
    """Remove a tag from every live memory."""
    done = console.ghost.admin.rm_tag(tag, console.ns_filter(ns), unlock=unlock)
    console.show(done, f"removed {tag} from {plural(done.affected, 'memory')}")


ns = ConsoleGroup(
    "ns",
    """\
  ghost ns
  ghost ns list
  ghost ns tree
  ghost ns rm agent:old --dry-run
""",
)


ns.row(
    "list",
    "List namespaces with their counts.",
    click.argument("ns", required=False),
    call=lambda console, ns=None: console.ghost.admin.namespaces(ns),
    text=lambda info: (
        f"{bold(info.ns)}  {plural(info.count, 'memory')}, {plural(info.keys, 'key')}"
    ),
    nothing="no namespaces yet",
    alone=True,
)


@ns.command("tree")
@click.argument("ns", required=False)
def ns_tree(console: Console, ns: str | None) -> None:
    """Show namespaces as a tree of their segments."""
    found = {info.ns: info for info in console.ghost.admin.namespaces(ns)}
    paths = sorted(
        {
            ":".join(name.split(":")[:depth])
            for name in found
            for depth in range(1, name.count(":") + 2)
        }
    )
    rows = [
        {"ns": path, "depth": path.count(":"), "count": info.count, "keys": info.keys}
        if (info := found.get(path))
        else {"ns": path, "depth": path.count(":"), "count": 0, "keys": 0}
        for path in paths
    ]
    console.show_all(rows, lambda row: _branch(**row))


def _branch(ns: str, depth: int, count: int, keys: int) -> str:
    """Return a line of the tree; a segment that is no namespace of its own has no counts."""
    counts = f"  ({plural(count, 'memory')}, {plural(keys, 'key')})" if keys else ""
    return f"{'  ' * depth}{bold(ns.rsplit(':', 1)[-1])}{counts}"


@ns.command("rm")
@click.argument("ns")
@options("rm_namespace", "hard unlock dry_run")
@YES
def ns_rm(console: Console, ns: str, hard: bool, unlock: bool, dry_run: bool, yes: bool) -> None:
    """Delete all memories of a namespace, or of all namespaces with a prefix such as agent:*."""
    if not dry_run:
        console.confirm(f"{'Delete for good' if hard else 'Delete'} everything in {ns}?", yes)
    done = console.ghost.admin.rm_namespace(ns, hard=hard, unlock=unlock, dry_run=dry_run)
    action = "permanently deleted" if hard else "soft-deleted"
    what = f"{plural(done.deleted, 'version' if hard else 'memory')} in {ns}"
    space = "NS" if "*" in ns else ns
    undo = "" if hard else f"; `ghost restore -n {space} -k KEY` brings one back"
    console.show(
        {**done.to_dict(), "action": action},
        f"would delete {what}" if dry_run else f"{action} {what}{undo}",
    )
    console.note_remains(done, done.files)
