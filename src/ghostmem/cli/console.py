"""One run of a command: its settings, its store and its output; and the classes of commands."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ghostmem.cli.main import COMMANDS, CONTEXT_SETTINGS, SuggestingGroup, shared_options
from ghostmem.cli.options import Decorator, joined, refuse
from ghostmem.cli.output import Output, dim
from ghostmem.errors import GhostError, NotFoundError
from ghostmem.grouping import grouped
from ghostmem.model import NsFilter, is_namespace
from ghostmem.settings import Settings, load

if TYPE_CHECKING:
    from ghostmem.admin.namespaces import NamespaceRemoval
    from ghostmem.ghost import Ghost
    from ghostmem.lifecycle.gc import Collection
    from ghostmem.memory.forget import Forgetting
    from ghostmem.memory.remove import Removal

SHARED = ("db", "format", "color", "debug")
SHARED_TITLE = "Options of every command"
OPTION_COLUMN = 30  # width of the column of names in the help; longer ones get a line of their own
MAX_SAME_KEYS = 100  # memories that are looked at for the key of one that is missing
MAX_OTHERS = 3  # namespaces named when a read found nothing
Function = Callable[..., Any]


class Console(Output):
    """The settings, the store and the output of one command."""

    def __init__(
        self, overrides: dict[str, Any], creates: bool = True, tolerant: bool = False
    ) -> None:
        self.overrides = overrides
        self.config_error: GhostError | None = None
        try:
            self.settings: Settings = load(**overrides)
        except GhostError as error:
            if not tolerant:
                raise
            self.config_error, self.settings = error, load(use_file=False, **overrides)
        super().__init__(self.settings.format == "json", self.settings.color)
        self._creates = creates
        self._is_ns_checked = False
        self._ghost: Ghost | None = None

    @property
    def ghost(self) -> "Ghost":
        """Open the store on first use; only commands that write create a missing one."""
        if self._ghost is None:
            from ghostmem.ghost import Ghost

            is_empty = self.is_store_missing and not self._creates
            if is_empty and self.overrides.get("db"):
                raise NotFoundError(
                    f"there is no store {self.settings.path}",
                    "`ghost put` creates one; check the path given with --db",
                )
            self._ghost = Ghost.open(":memory:" if is_empty else None, settings=self.settings)
        return self._ghost

    @property
    def is_store_missing(self) -> bool:
        """Tell whether the store is a file that does not exist yet."""
        return self.settings.has_file and not os.path.exists(self.settings.path)

    def close(self) -> None:
        """Close the store if it was opened."""
        if self._ghost is not None:
            self._ghost.close()

    def vector_note(self) -> None:
        """Print a note when something was stored without vectors."""
        problem = self.ghost.store.vectoriser.problem
        if problem:
            self.note(
                f"note: stored without vectors: {problem}; `ghost embed backfill` adds them later"
            )

    def note_remains(
        self,
        done: "Removal | NamespaceRemoval | Collection | Forgetting",
        files: tuple[str, ...] = (),
    ) -> None:
        """Print where permanently deleted text remains, and what to do about it."""
        self.notes(
            (f"still in {path}; delete it or make a new backup" for path in done.backups), ""
        )
        self.note_unchecked(done.unchecked_backups)
        sources = [f"still in {path}, which would bring it back; delete it there" for path in files]
        self.notes([*sources, *filter(None, [done.pending])], "")

    def note_unchecked(self, paths: Iterable[str]) -> None:
        """Print which backups could not be searched for permanently deleted text."""
        self.notes(
            (
                f"maybe still in {path}, which cannot be read; delete it or make a new backup"
                for path in paths
            ),
            "",
        )

    def ns(self, given: str | None) -> str:
        """Return the given namespace, or that of the settings, or that of this folder's project."""
        return self._default_ns() if given is None else self.required_ns(given)

    def required_ns(self, given: str | None) -> str:
        """Return the given namespace or that of the settings; one of them is required."""
        ns = self.settings.ns if given is None else given
        refuse(not ns, "a namespace is required", "give one with -n, or set GHOST_NS")
        return ns

    def ns_filter(self, given: str | None) -> str:
        """Return the given namespace filter, or that of the settings, or an empty one for all."""
        return self.settings.ns if given is None else given

    def read_ns(self, given: str | None, everything: bool) -> str:
        """Return the namespaces to read: the given ones, all of them, or the default one.

        Without a default of the settings, scripts for the original Ghost read all of them."""
        refuse(everything and given, f"--all and -n {given} were both given", "give one of them")
        if everything or (given is None and self.settings.compat and not self.settings.ns):
            return ""
        return self._default_ns() if given is None else given

    def memory_name(self, given: str | None, name: str) -> tuple[str, str]:
        """Return the namespace and the key of a memory; see `memory_names`."""
        ns, keys = self.memory_names(given, [name])
        return ns, keys[0]

    def memory_names(self, given: str | None, names: Sequence[str]) -> tuple[str, list[str]]:
        """Return the namespace and the keys of memories, which may be named as `ns/key`.

        Without a given namespace, an exact key in the default namespace wins."""
        if given is not None:
            ns = self.ns(given)
            return ns, [self._without_ns(ns, name) for name in names]
        from ghostmem.memory.get import one_namespace, split_name

        own = self.settings.ns or _project_namespace()
        parts = [
            split_name(self.ghost.store, own, name) if "/" in name else ("", name) for name in names
        ]
        return one_namespace(ns for ns, _ in parts) or self._default_ns(), [key for _, key in parts]

    def new_key(self, given: str | None, ns: str, key: str) -> str:
        """Return the key that a put in `ns` uses: without the namespace, if it starts with that.

        Without a given namespace, a new key that `get` would read from another one is refused."""
        short = self._without_ns(ns, key)
        other, _, rest = key.partition("/")
        if given is not None or short != key or not rest or not is_namespace(other) or other == ns:
            return short
        is_other = ":" in other or self._is_key(other, rest)
        refuse(
            is_other and self.ghost.admin.namespaces(other) and not self._is_key(ns, key),
            f"`{other}/` is a namespace",
            f"write -n {other} -k {rest}; with -n {ns} it is a key there",
        )
        return key

    def _without_ns(self, ns: str, name: str) -> str:
        """Return a name without the namespace at its start, unless the whole name is a key."""
        key = name.removeprefix(f"{ns}/")
        return name if not key or key == name or self._is_key(ns, name) else key

    def _is_key(self, ns: str, key: str) -> bool:
        from ghostmem.memory.get import is_known
        from ghostmem.store import validate

        return is_known(self.ghost.store, ns, validate.text(key, "key"))

    @contextmanager
    def naming_others(self, given: str | None, ns: str, key: str) -> Iterator[None]:
        """Let the error about a missing memory name other namespaces that have its key."""
        try:
            yield
        except NotFoundError as error:
            same = [] if given else self.ghost.list(key_prefix=key, limit=MAX_SAME_KEYS)
            others = [memory.ns for memory in same if memory.key == key and memory.ns != ns]
            if not others:
                raise
            names = " or ".join(f"{other}/{key}" for other in others[:MAX_OTHERS])
            raise NotFoundError(error.message, f"did you mean {names}?") from None

    def _default_ns(self) -> str:
        """Return the namespace of the settings, or else that of this folder.

        The latter is printed while nothing is stored there; later, each output names it."""
        if self.settings.ns:
            return self.settings.ns
        ns = _project_namespace()
        if not (self.as_json or self._is_ns_checked):
            self._is_ns_checked = True
            if self.is_store_missing or self._is_unused(ns):
                self.first_note = f"namespace {ns} (from this folder; -n selects another)"
        return ns

    def _is_unused(self, ns: str) -> bool:
        with self.ghost.store.engine.read() as tx:
            return tx.search.space(ns) is None

    def note_nothing(
        self, text: str, given: str | None, everything: bool, others: Callable[[], Counter[str]]
    ) -> None:
        """Print that a read found nothing, and which other namespaces would have results.

        Args:
            text: The message, such as "nothing relevant".
            given: The namespace that the caller named.
            everything: Whether all namespaces were read.
            others: Counts the results in each of all namespaces.
        """
        if self.as_json:
            return
        if given is not None or everything:
            self.note(text + self._unknown_ns(given or "*"))
            return
        here = self._default_ns()
        counts = Counter({ns: count for ns, count in others().items() if ns != here and count})
        found = [f"{count:,} in {ns}" for ns, count in counts.most_common(MAX_OTHERS)]
        more = [f"{len(counts) - MAX_OTHERS:,} more namespaces"] if len(counts) > MAX_OTHERS else []
        hint = f"; {', '.join([*found, *more])} (--all shows them)" if found else ""
        self.note(f"{text} in {here}{hint}")

    def _unknown_ns(self, given: str) -> str:
        """Return the rest of a message that says that a namespace does not exist, or ""."""
        known = [info.ns for info in self.ghost.admin.namespaces()]
        which = NsFilter(given)
        if not known or any(which.matches(ns) for ns in known):
            return ""
        close = get_close_matches(given, known, n=1)
        hint = f"did you mean {close[0]}?" if close else "`ghost ns list` shows all"
        return f"; there is no namespace {given}: {hint}"


def _project_namespace() -> str:
    from ghostmem.notes.project import project_namespace

    return project_namespace()


def run_function(
    ctx: click.Context, function: Function | None, creates: bool = False, tolerant: bool = False
) -> Any:
    """Call the function of a command with a Console, made of the options before and after it."""
    if ctx.parent is not None and isinstance(ctx.parent.command, ConsoleGroup):
        ctx.params |= _options_before(ctx, ctx.parent)
    overrides = {name: ctx.params.pop(name, None) for name in SHARED}
    parent = ctx.parent
    while parent is not None:
        overrides |= {
            name: parent.params.get(name) for name, value in overrides.items() if value is None
        }
        parent = parent.parent
    del overrides["debug"]
    console = Console(overrides, creates, tolerant)
    if console.settings.compat:
        console.shape = _original_shape(ctx, console)
    ctx.call_on_close(console.close)
    assert function is not None
    try:
        result = ctx.invoke(function, console, **ctx.params)
        console.prepare()
    finally:
        console.end_progress()
    return result


def _options_before(ctx: click.Context, group: click.Context) -> dict[str, Any]:
    """Return the options of a subcommand that precede it and are not repeated after it."""
    options: dict[str, Any] = {}
    for param in group.command.params:
        name = param.name or ""
        if name in SHARED or not _is_given(group, name):
            continue
        refuse(
            name not in ctx.params,
            f"`{ctx.command_path}` has no option {param.opts[-1]}",
            f"leave it out; `{ctx.command_path} --help` lists the options",
        )
        if not _is_given(ctx, name):
            options[name] = group.params[name]
    return options


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _original_shape(ctx: click.Context, console: Console) -> Callable[[Any], Any]:
    """Return the function that gives the output of a command the shape of the original Ghost."""
    from ghostmem.cli.compat import original_json

    ns = ctx.params.get("ns") or console.settings.ns or _project_namespace()
    return partial(original_json, ctx.command_path.partition(" ")[2], {**ctx.params, "ns": ns})


class ConsoleCommand(click.Command):
    """A command that takes the shared options and whose function gets a Console.

    Args:
        sections: Titles of sections of its options, with the names of their parameters.
        creates: Whether it creates a missing store.
        tolerant: Whether it runs with a broken configuration file, to help repair it.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, str] | None = None,
        creates: bool = False,
        tolerant: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections, self.creates, self.tolerant = sections or {}, creates, tolerant
        self.params += shared_options()

    def option_groups(self) -> dict[str, list[click.Option]]:
        """Return the options by the title of their section in the help, in its order."""
        titles = {name: title for title, names in self.sections.items() for name in names.split()}
        titles |= {str(option.name): SHARED_TITLE for option in shared_options()}
        first = "Common options" if self.sections else "Options"
        groups = grouped(
            (titles.get(option.name or "", first), option)
            for option in self.params
            if isinstance(option, click.Option)
        )
        return {
            title: groups[title]
            for title in ((first, *self.sections, SHARED_TITLE))
            if title in groups
        }

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options section by section; help is an option of every command."""
        groups = self.option_groups()
        groups[SHARED_TITLE] += filter(None, [self.get_help_option(ctx)])
        records = {
            title: [record for option in options if (record := option.get_help_record(ctx))]
            for title, options in groups.items()
        }
        lengths = [len(names) for rows in records.values() for names, _ in rows]
        width = max((length for length in lengths if length <= OPTION_COLUMN), default=0)
        for title, rows in records.items():
            with formatter.section(title):
                formatter.write_dl([(f"{names:<{width}}", about) for names, about in rows])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the function."""
        return run_function(ctx, self.callback, self.creates, self.tolerant)


class ConsoleGroup(SuggestingGroup):
    """A group of subcommands; its help is its line in the table of commands.

    A group with a function `alone` is also a command. One that lists its items names its help on a
    terminal.
    """

    command_class = ConsoleCommand
    alone: Function | None = None
    lists = False
    tolerant = False  # runs alone with a broken configuration file

    def __init__(self, name: str, examples: str) -> None:
        super().__init__(
            name,
            help=COMMANDS[name],
            epilog=f"\b\nExamples:\n{examples}",
            params=shared_options(),
            context_settings=CONTEXT_SETTINGS,
        )

    def set_alone(self, function: Function) -> Function:
        """Set the function of the group; its options become options of the group."""
        self.alone, self.callback, self.invoke_without_command = function, self.run_alone, True
        self.params[:0] = [
            param
            for param in reversed(getattr(function, "__click_params__", []))
            if isinstance(param, click.Option)
        ]
        return function

    def row(
        self,
        name: str,
        about: str,
        *params: Decorator,
        call: Function,
        text: Callable[[Any], str],
        nothing: str = "",
        added: Mapping[str, str] | None = None,
        alone: bool = False,
        **attrs: Any,
    ) -> None:
        """Declare a subcommand that calls one operation and prints its result.

        Args:
            name: The name of the subcommand.
            about: Its help.
            params: Its options and arguments.
            call: Takes the Console and the values of the parameters, and returns the result.
            text: Returns the text of the result, or of each item of a list.
            nothing: The note about an empty list.
            added: Further fields of the result as JSON.
            alone: Whether the group without a subcommand does the same.
            attrs: Arguments of the class; see ConsoleCommand.
        """

        @joined(*params)
        def run(console: Console, **values: Any) -> None:
            result = call(console, **values)
            if isinstance(result, list):
                console.show_all(result, text, nothing)
            else:
                console.show({**result.to_dict(), **added} if added else result, text(result))

        if alone:
            self.listing(run, name=name, help=about, **attrs)
        else:
            self.command(name, help=about, **attrs)(run)

    def listing(self, function: Function, **attrs: Any) -> click.Command:
        """Set the function of the group, and declare it as the subcommand `list`."""
        self.lists, self.no_args_is_help = True, False
        return self.command(**{"name": "list", **attrs})(self.set_alone(function))

    def run_alone(self, **_: Any) -> Any:
        """Run the function of the group, unless a subcommand follows."""
        ctx = click.get_current_context()
        if ctx.invoked_subcommand is not None:
            return None
        result = run_function(ctx, self.alone, tolerant=self.tolerant)
        if self.lists and sys.stdout.isatty():
            click.echo(dim(f"`{ctx.command_path} --help` lists the subcommands"), err=True)
        return result


def command(
    name: str, examples: str = "", cls: type[ConsoleCommand] = ConsoleCommand, **attrs: Any
) -> Callable[[Function], click.Command]:
    """Declare a command; its help is the docstring, or its line in the table of commands.

    Args:
        name: The name of the command.
        examples: Lines that its help ends with.
        cls: The class of the command.
        attrs: Arguments of the class; see ConsoleCommand.
    """

    def decorate(function: Function) -> click.Command:
        return click.command(
            name,
            cls=cls,
            help=function.__doc__ or COMMANDS[name],
            epilog=examples and f"\b\nExamples:\n{examples}",
            context_settings=CONTEXT_SETTINGS,
            **attrs,
        )(function)

    return decorate
