"""What commands share: the options before and after a command's name, the open store, and input."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ghostmem.cli.main import shared_options
from ghostmem.cli.output import Output
from ghostmem.errors import GhostError, InvalidInputError, NotFoundError
from ghostmem.settings import Settings, load

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

SHARED = ("db", "format", "color", "debug")


class Face(Output):
    """One run of one command: its settings, its store, its output."""

    def __init__(self, given: dict[str, Any], creates: bool = True, tolerant: bool = False) -> None:
        self.given = given
        self.config_error: GhostError | None = None
        try:
            self.settings: Settings = load(**given)
        except GhostError as error:
            if not tolerant:
                raise
            self.config_error, self.settings = error, load(use_file=False, **given)
        super().__init__(self.settings.format == "json", self.settings.color)
        self._creates = creates
        self._ghost: Ghost | None = None

    @property
    def ghost(self) -> "Ghost":
        """Open the store when it is first needed.

        Only commands that write make one that is not there.
        """
        if self._ghost is None:
            from ghostmem.ghost import Ghost

            path = self.settings.path
            missing = path != ":memory:" and "://" not in path and not os.path.exists(path)
            if missing and not self._creates:
                if self.given.get("db"):
                    raise NotFoundError(
                        f"there is no store {path}",
                        "`ghost put` makes one; check the name given with --db",
                    )
                self._ghost = Ghost.open(":memory:", settings=self.settings)
            else:
                self._ghost = Ghost.open(settings=self.settings)
        return self._ghost

    def close(self) -> None:
        """Close the store if it was opened."""
        if self._ghost is not None:
            self._ghost.close()

    def vector_note(self) -> None:
        """Say that something was stored without vectors, and why."""
        problem = self.ghost.store.vectoriser.problem
        if problem:
            self.note(
                f"note: stored without vectors: {problem}; `ghost embed backfill` makes them later"
            )

    def ns(self, given: str | None) -> str:
        """Return the namespace named, or the default one, or say that one is needed."""
        found = self.settings.ns if given is None else given
        if not found:
            raise InvalidInputError("a namespace is required", "name one with -n, or set GHOST_NS")
        return found

    def ns_filter(self, given: str | None) -> str:
        """Return the namespace filter named, or the default namespace, or all."""
        return self.settings.ns if given is None else given


def run_with_face(
    ctx: click.Context,
    callback: Callable[..., Any] | None,
    creates: bool = False,
    tolerant: bool = False,
) -> Any:
    """Resolve the settings from both places an option may stand, then run a command's function."""
    if ctx.parent is not None and isinstance(ctx.parent.command, FaceGroup):
        # what may stand behind the subcommand may stand before it
        ctx.params |= {
            name: value
            for name, value in ctx.parent.params.items()
            if name in ctx.params and ctx.params[name] is None
        }
    given = {name: ctx.params.pop(name, None) for name in SHARED}
    parent = ctx.parent
    while parent is not None:
        for name in SHARED:
            given[name] = parent.params.get(name) if given[name] is None else given[name]
        parent = parent.parent
    given.pop("debug")
    face = Face(given, creates, tolerant)
    ctx.call_on_close(face.close)
    assert callback is not None
    return ctx.invoke(callback, face, **ctx.params)


class FaceCommand(click.Command):
    """A command that takes the shared options and hands its function a Face."""

    creates = False  # makes the store when it is not there
    tolerant = False  # runs with a broken configuration file

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options()

    def invoke(self, ctx: click.Context) -> Any:
        """Run with the settings resolved."""
        return run_with_face(ctx, self.callback, self.creates, self.tolerant)


class FaceGroup(click.Group):
    """A group of subcommands that is also a command, whose function is `alone`."""

    alone: Callable[..., Any] | None = None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand, or the group's own function when none is named."""
        return super().invoke(ctx) if ctx._protected_args else run_with_face(ctx, self.alone)


class CreatingCommand(FaceCommand):
    """A command that makes the store when it is not there."""

    creates = True


class TolerantCommand(FaceCommand):
    """A command that runs with a broken configuration file, to help mend it."""

    tolerant = True


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def declare(
    name: str,
    help: str,
    epilog: str = "",
    cls: type[FaceCommand] = FaceCommand,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command with an example under its help."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return click.command(
        name,
        cls=cls,
        help=help,
        epilog=epilog and f"\b\nExamples:\n{epilog}",
        context_settings=settings,
    )


def group(name: str, help: str, epilog: str, cls: type[click.Group] = click.Group) -> click.Group:
    """Declare a group of subcommands."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return cls(
        name,
        help=help,
        epilog=f"\b\nExamples:\n{epilog}",
        params=shared_options(),
        context_settings=settings,
    )


def options(*decorators: Decorator) -> Decorator:
    """Join several options into one decorator, in the order given."""

    def apply(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


NS = click.option("-n", "--ns", metavar="NS", help="The namespace  [GHOST_NS]")
NS_FILTER = click.option(
    "-n",
    "--ns",
    metavar="NS",
    help="A namespace, a prefix such as agent:*, or '*' for all  [GHOST_NS]",
)
LIMIT = click.option(
    "-l", "--limit", type=int, default=20, show_default=True, help="At most so many."
)
TAGS = click.option(
    "-t", "--tags", multiple=True, metavar="TAGS", help="Tags, separated by commas; repeatable."
)
ALLOW_SECRETS = click.option(
    "--allow-secrets", is_flag=True, help="Store keys, tokens and passwords as they are."
)
TRUST = click.option(
    "--trust", is_flag=True, help="Hold nothing in quarantine, whatever it looks like."
)
DRY_RUN = click.option(
    "--dry-run", is_flag=True, help="Show what would happen, and change nothing."
)
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
UNLOCK = click.option("--unlock", is_flag=True, help="Also when the memory is tagged `locked`.")
KEYED = options(
    NS,
    click.option("-k", "--key", metavar="KEY", help="The key; may also stand alone."),
    click.argument("key_argument", metavar="[KEY]", required=False),
)


def one_key(key: str | None, argument: str | None) -> str:
    """Return the key from the option or from the bare argument."""
    if key and argument:
        raise InvalidInputError(
            f"two keys were given: {key!r} and {argument!r}", "give one, with or without -k"
        )
    if not (key or argument):
        raise InvalidInputError(
            "a key is required", "name one with -k; `ghost list --keys-only` shows them"
        )
    return key or argument or ""


def words(values: tuple[str, ...]) -> list[str] | None:
    """Split comma-separated values of a repeatable option; None when it was not given."""
    return (
        [part.strip() for value in values for part in value.split(",") if part.strip()]
        if values
        else None
    )


def read_text(argument: tuple[str, ...], what: str) -> str:
    """Take a text from the arguments, or from standard input when there are none or a
    single `-`.
    """
    if argument and argument != ("-",):
        return " ".join(argument)
    if not argument and sys.stdin.isatty():
        raise InvalidInputError(
            f"{what} is required", "pass it as an argument, or on standard input"
        )
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{what} on standard input is not UTF-8 (byte {error.start})", "send UTF-8 text"
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def json_object(text: str | None, what: str) -> dict[str, Any] | None:
    """Read an option that holds a JSON object."""
    if text is None:
        return None
    import json

    from ghostmem.schema import too_deep

    try:
        found = json.loads(text)
    except RecursionError:
        raise too_deep(what) from None
    except ValueError as error:
        raise InvalidInputError(
            f"{what} is not JSON: {error}", 'write it as {"name": "value"}'
        ) from None
    if not isinstance(found, dict):
        raise InvalidInputError(
            f"{what} must be a JSON object, not {text!r}", 'write it as {"name": "value"}'
        )
    return found
