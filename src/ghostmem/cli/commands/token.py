"""ghost token"""

from datetime import datetime

import click

from ghostmem.cli.face import CreatingCommand, Face, FaceCommand, group
from ghostmem.cli.output import bold, dim
from ghostmem.model import Token
from ghostmem.text.excerpt import visible

EXAMPLES = """\
  ghost token create laptop --grant 'agent:me:write' --expires 90d
  ghost token create dashboard --grant '*:read'
  ghost token list
  ghost token revoke laptop
"""

command = group("token", "Make, list or revoke tokens for callers over HTTP.", EXAMPLES)


@command.command("create", cls=CreatingCommand)
@click.argument("name")
@click.option(
    "--grant",
    "grants",
    multiple=True,
    required=True,
    metavar="NS:SCOPE",
    help="What it may do where: a namespace, a prefix such as agent:*, or *; then read, "
    "write or admin. Repeatable.",
)
@click.option("--expires", metavar="DURATION", help="It ends after this long, such as 90d.")
def create(face: Face, name: str, grants: tuple[str, ...], expires: str | None) -> None:
    """Make a token and print its secret, once."""
    secret, token = face.ghost.create_token(name, grants, expires=expires)
    face.one({**token.to_dict(), "secret": secret}, secret)
    if not face.as_json:
        face.note(
            f"note: this is the only time that the secret of {visible(name)} is shown; "
            f"{_until(token, token.created_at)}"
        )


@command.command("list", cls=FaceCommand)
def list_(face: Face) -> None:
    """List all tokens, oldest first."""
    at = face.ghost.store.clock()
    face.many(
        face.ghost.tokens(),
        lambda token: shown(token, at),
        "no tokens; `ghost token create` makes one",
    )


@command.command("revoke", cls=FaceCommand)
@click.argument("token")
def revoke(face: Face, token: str) -> None:
    """Make a token useless at once, by its name or its id."""
    done = face.ghost.revoke_token(token)
    face.one(done, f"revoked {visible(done.name)}")


def shown(token: Token, at: datetime) -> str:
    """Return a token as a line of text."""
    used = f"last used {token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never used"
    about = f"{token.id}  {token.created_at:%Y-%m-%d}  {_until(token, at)}, {used}"
    return f"{bold(visible(token.name))}  {' '.join(token.grants)}\n    {dim(about)}"


def _until(token: Token, at: datetime) -> str:
    if token.revoked_at is not None:
        return f"revoked {token.revoked_at:%Y-%m-%d %H:%M}"
    if token.expires_at is None:
        return "good until it is revoked"
    return (
        f"{'good until' if token.expires_at > at else 'expired'} {token.expires_at:%Y-%m-%d %H:%M}"
    )
