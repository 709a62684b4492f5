"""ghost rule"""

from typing import Any

import click

from ghostmem.cli.face import CreatingCommand, Face, FaceCommand, group, json_object
from ghostmem.cli.output import bold, dim
from ghostmem.model import Rule
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost rule list
  ghost rule set --name "old chatter" --cond-tag chat --cond-age-gt 720 --action ARCHIVE
  ghost rule set --name "drafts expire" --cond-tag draft --action TTL_SET \\
    --action-params '{"ttl": "7d"}'
  ghost rule delete sys-dedup-all
"""
_COND = "cond_"

command = group("rule", "List, add, change or delete the rules of the lifecycle.", EXAMPLES)


@command.command("list", cls=FaceCommand)
@click.option("-n", "--ns", metavar="NS", help="Those that count in this namespace.")
def list_(face: Face, ns: str | None) -> None:
    """List the rules, most urgent first."""
    face.many(face.ghost.rules(ns), shown, "no rules")


@command.command("get", cls=FaceCommand)
@click.argument("rule_id", metavar="ID")
def get(face: Face, rule_id: str) -> None:
    """Show one rule."""
    rule = face.ghost.rule(rule_id)
    face.one(rule, shown(rule))


@command.command("set", cls=CreatingCommand)
@click.option("--name", required=True, help="What it does, in a few words.")
@click.option(
    "--id", "rule_id", metavar="ID", help="Put it in the place of this rule, or give it this id."
)
@click.option("-n", "--ns", default="", metavar="NS", help="Only in this namespace.")
@click.option(
    "--priority",
    type=int,
    default=50,
    show_default=True,
    help="The highest that matches a memory wins.",
)
@click.option("--cond-tier", "tier", help="In this tier.")
@click.option("--cond-kind", "kind", help="Of this kind.")
@click.option("--cond-tag", "tag", help="With this tag.")
@click.option("--cond-age-gt", "age_gt_hours", type=float, metavar="HOURS", help="Older than.")
@click.option(
    "--cond-unaccessed-gt",
    "unaccessed_gt_hours",
    type=float,
    metavar="HOURS",
    help="Not retrieved for longer than.",
)
@click.option("--cond-importance-lt", "importance_lt", type=float, help="Less important than.")
@click.option("--cond-access-lt", "access_lt", type=int, help="Retrieved fewer times than.")
@click.option("--cond-access-gt", "access_gt", type=int, help="Retrieved more often than.")
@click.option(
    "--cond-utility-lt",
    "utility_lt",
    type=float,
    help="Helped less often, as a share of its retrievals, than.",
)
@click.option("--cond-similarity-gt", "similarity_gt", type=float, help="Alike beyond this cosine.")
@click.option(
    "--action",
    required=True,
    help="PROMOTE, DEMOTE, DECAY, DELETE, ARCHIVE, TTL_SET, PIN, LINK, DEDUP or MERGE.",
)
@click.option(
    "--action-params", metavar="JSON", help='What the action needs, such as {"to_tier": "ltm"}.'
)
@click.option("--expires-at", metavar="TIME", help="The rule ends then.")
def set_(face: Face, name: str, action: str, action_params: str | None, **fields: Any) -> None:
    """Add a rule, or put it in the place of another."""
    params = json_object(action_params, "--action-params")
    rule = face.ghost.set_rule(name, action, action_params=params, **fields)
    face.one(rule, f"set {shown(rule)}")


@command.command("delete", cls=CreatingCommand)
@click.argument("rule_id", metavar="ID")
def delete(face: Face, rule_id: str) -> None:
    """Delete a rule; a built-in one is switched off."""
    rule = face.ghost.rm_rule(rule_id)
    face.one({"deleted": rule.id}, f"deleted {visible(rule.id)}")


@command.command("reset", cls=CreatingCommand)
@click.argument("rule_id", metavar="ID")
def reset(face: Face, rule_id: str) -> None:
    """Make a built-in rule again what it was."""
    rule = face.ghost.reset_rule(rule_id)
    face.one(rule, f"reset {shown(rule)}")


def shown(rule: Rule) -> str:
    """Return a rule as a line of text."""
    told = rule.to_dict()
    given = [
        f"{name.removeprefix(_COND)} {value}"
        for name, value in told.items()
        if name.startswith(_COND)
    ]
    params = ", ".join(f"{name} {value}" for name, value in rule.action_params.items())
    where = f" in {rule.ns}" if rule.ns else ""
    until = f", until {rule.rule_expires_at:%Y-%m-%d %H:%M}" if rule.rule_expires_at else ""
    named = "" if rule.name == rule.id else f"  {visible(rule.name)}"
    about = f"{rule.priority}{where}{until}"
    action = f"{rule.action_op}{f' ({params})' if params else ''}"
    return (
        f"{bold(visible(rule.id))}{named}  {dim(about)}\n    "
        f"{visible(', '.join(given))} → {visible(action)}"
    )
