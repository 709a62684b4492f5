"""ghost source: other spellings of a person's name."""

import click

from ghostmem.cli.console import ConsoleGroup
from ghostmem.cli.options import NS, NS_FILTER
from ghostmem.cli.output import bold, dim
from ghostmem.model import SourceAlias
from ghostmem.text.excerpt import visible

source = ConsoleGroup(
    "source",
    """\
  ghost source alias bob --canonical Robert -n agent:me
  ghost source list -n agent:me
  ghost context -n agent:me --for-user Robert "plan the week"
  ghost source rm bob -n agent:me
""",
)


def _alias_text(alias: SourceAlias) -> str:
    return f"{dim(alias.ns + '/')}{bold(visible(alias.alias))} = {visible(alias.canonical)}"


source.row(
    "alias",
    "Declare another spelling of a person's name.",
    click.argument("alias"),
    click.option("--canonical", required=True, metavar="NAME", help="The canonical name."),
    NS,
    call=lambda console, ns, alias, canonical: console.ghost.admin.set_source_alias(
        console.ns(ns), alias, canonical
    ),
    text=lambda alias: f"declared {_alias_text(alias)}",
    added={"status": "declared"},
    creates=True,
)
source.row(
    "list",
    "List the declared spellings.",
    NS_FILTER,
    call=lambda console, ns: console.ghost.admin.source_aliases(console.ns_filter(ns)),
    text=_alias_text,
    nothing="no spellings are declared",
)
source.row(
    "rm",
    "Remove a declared spelling.",
    click.argument("alias"),
    NS,
    call=lambda console, ns, alias: console.ghost.admin.rm_source_alias(console.ns(ns), alias),
    text=lambda alias: f"removed {_alias_text(alias)}",
    added={"status": "removed"},
    creates=True,
)
