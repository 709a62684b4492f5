"""ghost source: other spellings of a person's name."""

import click

from ghostmem.cli.console import Console, ConsoleGroup
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


@source.command("alias", creates=True)
@click.argument("alias")
@click.option("--canonical", required=True, metavar="NAME", help="The canonical name.")
@NS
def source_alias(console: Console, alias: str, canonical: str, ns: str | None) -> None:
    """Declare another spelling of a person's name."""
    declared = console.ghost.admin.set_source_alias(console.ns(ns), alias, canonical)
    console.show({**declared.to_dict(), "status": "declared"}, f"declared {_alias_text(declared)}")


@source.command("list")
@NS_FILTER
def source_list(console: Console, ns: str | None) -> None:
    """List the declared spellings."""
    aliases = console.ghost.admin.source_aliases(console.ns_filter(ns))
    console.show_all(aliases, _alias_text, "no spellings are declared")


@source.command("rm", creates=True)
@click.argument("alias")
@NS
def source_rm(console: Console, alias: str, ns: str | None) -> None:
    """Remove a declared spelling."""
    removed = console.ghost.admin.rm_source_alias(console.ns(ns), alias)
    console.show({**removed.to_dict(), "status": "removed"}, f"removed {_alias_text(removed)}")


def _alias_text(alias: SourceAlias) -> str:
    return f"{dim(alias.ns + '/')}{bold(visible(alias.alias))} = {visible(alias.canonical)}"
