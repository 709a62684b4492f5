"""The parts of the docs that are made from the code: commands, settings, errors, methods, types."""

import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from typing import Any, is_typeddict

import click

import ghostmem
from ghostmem import errors, settings
from ghostmem.cli.console import SHARED_TITLE, ConsoleCommand
from ghostmem.cli.main import CONTEXT_SETTINGS, GROUPS, cli, shared_options
from ghostmem.embed.base import Thresholds
from ghostmem.embed.models import TUNED
from ghostmem.embed.static import StaticEmbedder
from ghostmem.ghost import Group
from ghostmem.mcp.tools import chosen_tools
from ghostmem.search.score import WITH_VECTORS, WITHOUT_VECTORS
from ghostmem.web.routes import ROUTES

# The meaning of arguments, by name or by command and name; click has no place for it.
ARGUMENTS = {
    "put content": "The text. Several words are joined by spaces; with none, or with `-`, "
    "it is read from standard input.",
    "search query": "The question. Several words are joined by spaces; with none, or with "
    "`-`, it is read from standard input.",
    "context query": "A description of the task; with none, or with `-`, it is read from standard "
    "input.",
    "timeline what": "A key, or a question in words; with none, or with `-`, it is read "
    "from standard input.",
    "export file": "The file to write; the same as `-o`.",
    "resolve keep": "The key of the memory that is true.",
    "resolve other": "The key of the memory to retire; with none, all that contradict the first.",
    "used keys": "The keys of the memories that helped.",
    "from_key": "The key of the first memory.",
    "to_key": "The key of the second memory.",
    "from_argument": "The key of the first memory, as with `--from-key`.",
    "to_argument": "The key of the second memory, as with `--to-key`.",
    "rel_argument": "How the first relates to the second, as with `-r`.",
    "peek ns_argument": "The namespace, as with `-n`.",
    "edge list key": "The key; with none, all edges of the namespace.",
    "consolidate text": "The summary, as with `--content`; with none, or with `-`, it is "
    "read from standard input.",
    "audit path": "Another store: a database of the original Ghost, a file of MCP "
    "server-memory or mem0, a folder of notes.",
    "token create name": "The name of the token.",
    "token revoke token": "The name or the id of the token.",
    "role": "An existing role of the database.",
    "admin grant grants": "A namespace, a prefix such as `agent:*`, or `*`; followed by "
    "`:write`, to write there too.",
    "admin revoke namespaces": "The namespaces; with none, all grants of the role.",
    "admin isolate ns": "The namespace.",
    "quarantine release ids": "Ids of quarantined memories; their start or end is enough.",
    "quarantine drop ids": "Ids of quarantined memories; their start or end is enough.",
    "undo run": "The run: its id, the start of it, or `last`; with none, the runs are listed.",
    "rule_id": "The rule's id.",
    "key_argument": "The key, as with `-k`.",
    "op_argument": "The operation, as with `--op`.",
    "ingest path": "A markdown file, or a folder of them; not with `--transcript`.",
    "hook host": "The client: `claude`, `codex`, `gemini`, `cursor` or `qwen`.",
    "hook event": "The event, for a client that does not send its name.",
    "capture text": "The text. Several words are joined by spaces; with none, or with `-`, "
    "it is read from standard input.",
    "mine-procedures paths": "Transcripts, or folders of them; with none, or with `-`, sessions "
    "are read from standard input; if that is empty, from the procedural memories.",
    "source alias alias": "Another spelling of the name.",
    "source rm alias": "The spelling.",
    "files path": "The path as the memories name it.",
    "ns": "A namespace, or a prefix such as `agent:*`.",
    "tags rename old": "The current tag.",
    "tags rename new": "The new tag.",
    "tags rm tag": "The tag.",
    "memory search query": "The words to look for; several are joined by spaces.",
    "memory read role": "The role; with none, `shared`.",
    "section": "The section's title, one line.",
    "memory write text": "The text; with none, or with `-`, it is read from standard input.",
    "memory write-shared text": "The text; with none, or with `-`, it is read from standard input.",
    "setup agents-md path": "The file or its folder; default: `AGENTS.md` in the current folder.",
    "topic": "The topic's name.",
    "knowledge search-memories tags": "The tags, separated by spaces or commas; any one is enough.",
    "knowledge memorize-new-topic content": "The full markdown; with none, or with `-`, it "
    "is read from standard input.",
    "knowledge memorize-general-info content": "The general section; with none, or with "
    "`-`, it is read from standard input.",
    "outline symbol symbol": "The full or partial name.",
    "outline file file": "The path from the root of the project.",
    "notes add folder": "The folder.",
    "notes rm folder": "The folder as it was added, or its namespace.",
    "notes consolidate folder": "The workspace: the folder with `memory/` or `daily/` in it; with "
    "none, the working directory.",
    "notes mirror folder": "The folder; it is created if it does not exist.",
    "folder": "The folder as it was added, or its namespace; with none, all.",
    "notes write key": "The key of the section, as a search shows it.",
    "notes write text": "The new text, its heading included; with none, or with `-`, it is "
    "read from standard input.",
    "notes search query": "The question. Several words are joined by spaces; with none, or with "
    "`-`, it is read from standard input.",
    "notes grep query": "A word or a phrase; several words are joined by spaces.",
    "backup target": "The file to write, or a folder; then the name of the file has the time.",
    "import file": "A file that `ghost export` wrote; with none, or with `-`, standard input. "
    "With `-n` or `--from`, a file or folder of another tool.",
    "completion shell": "`bash`, `zsh` or `fish`.",
    "config set name": "The setting's name in the configuration file.",
    "config set value": "Its new value.",
}

# The methods of Ghost on each page of the library's reference.
METHODS = {
    "Memories": "put put_many get chunks history list files admin.peek patch "
    "curate used rm restore admin.tags admin.rename_tag "
    "admin.rm_tag",
    "Search and facts": "search context timeline conflicts resolve reopen "
    "admin.source_aliases admin.set_source_alias "
    "admin.rm_source_alias",
    "Links and summaries": "edge graph.rm_edge edges graph.link graph.edge_candidates "
    "graph.infer_edges graph.relink clusters consolidate expand",
    "Lifecycle and deletion": "reflect lifecycle.undo lifecycle.runs lifecycle.rules "
    "lifecycle.rule lifecycle.set_rule lifecycle.rm_rule "
    "lifecycle.reset_rule lifecycle.gc forget quarantine.list "
    "quarantine.get quarantine.release quarantine.drop",
    "Conversations, notes and code": "ingest transfer.ingest_transcript capture "
    "transfer.mine_procedures notes.add notes.folders notes.sync "
    "notes.status notes.rm notes.write notes.mirror outline.symbol "
    "outline.file outline.project outline.stale",
    "Export and import": "export transfer.export_original import_ transfer.import_ghost "
    "transfer.import_foreign transfer.backup",
    "Store": "open close admin.namespaces admin.rm_namespace admin.stats "
    "admin.embed_status admin.embed_backfill admin.embed_switch "
    "admin.create_token admin.tokens admin.revoke_token admin.check "
    "admin.repair admin.verify_log admin.audit_log",
}

# The meaning of each feature of the score.
FEATURES = {
    "lexical": "the share of the question's wording, weighted by rarity, that the chunk and "
    "its neighbours contain; with vectors"
    " raised to the power 1.25, so that one or two shared words count for less",
    "mixed": "cosine of the question and the chunk mixed with its neighbours",
    "own": "cosine of the question and the chunk alone",
    "source": "the question names one source, and the memory is theirs",
    "month": "created in a month that the question names; half for the month after",
    "day": "created within a day of one that the question names; half for the week after",
    "place": "a question for a place, and a name in the text",
    "when": "a question for a time, and a time in the text",
    "question": "the text is itself a question",
    "thread": "mean of the thread's three best cosines",
    "wording": "the share of the question's wording that the whole thread contains",
    "identifier": "the share of the question's paths, codes, long numbers and hyphenated words "
    "that the chunk contains",
    "window": "created in the time that the question refers to, such as last week; less outside it",
    "recency": "the question asks for the newest: 1 for the newest chunk that is about the "
    "question, 1/2 for the next one, then 1/3 and so on",
    "episode": "the question counts from now, and the memory is episodic",
}


def table(head: str, rows: list[list[str]]) -> str:
    """Return a markdown table."""
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return "\n".join(
        [
            *lines,
            *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
        ]
    )


def prose(text: str) -> str:
    """Return a help text as markdown: a star is a star."""
    return text.strip().replace("*", "\\*")


def fenced(text: str, language: str) -> str:
    """Return a fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


def slug(title: str) -> str:
    """Return the file name of a page with this title, without its extension."""
    return re.sub(r"[^a-z]+", "-", title.lower())


def linked(name: str, target: str, anchor: str) -> str:
    """Return a link to a section, with the anchor that the section had on the overview page."""
    return f'<a id="{anchor}"></a>[`{name}`]({target}#{anchor})'


def command_tables() -> str:
    """Return the commands of every group, with links to their sections."""
    return "\n\n".join(
        f"### {title}\n\n"
        + table(
            "command | meaning",
            [
                [linked(name, f"cli/{slug(title)}.md", f"ghost-{name}"), about]
                for name, about in group.items()
            ],
        )
        for title, group in GROUPS.items()
    )


def overview_parts() -> dict[str, str]:
    """Return the parts of the overview of commands."""
    shared = option_table(shared_options(), click.Context(cli))
    return {"commands": command_tables(), "shared": shared}


def group_parts(title: str) -> dict[str, str]:
    """Return the reference of each command of a group."""
    context = click.Context(cli)
    parts = {}
    for name in GROUPS[title]:
        command = cli.get_command(context, name)
        assert command is not None
        parts[name] = section(command, f"ghost {name}", "##")
    return parts


def section(command: click.Command, path: str, heading: str) -> str:
    """Return the reference of one command and its subcommands."""
    # click keeps the help option of a command, so the names must be those of the program
    names: Any = CONTEXT_SETTINGS["help_option_names"]
    context = click.Context(command, info_name=path, help_option_names=names)
    text = [f"{heading} {path}", prose(inspect.cleandoc(command.help or ""))]
    if isinstance(command, click.Group):
        return "\n\n".join(
            [
                *text,
                *(section(sub, f"{path} {name}", "###") for name, sub in command.commands.items()),
            ]
        )
    text.append(fenced(command.get_usage(context).removeprefix("Usage: "), "text"))
    shared = {opt for option in shared_options() for opt in option.opts}
    own = [p for p in command.params if not shared.intersection(p.opts)]
    if rows := [
        [f"`{p.make_metavar(context)}`", argument(path, p)]
        for p in own
        if isinstance(p, click.Argument) and p.metavar != ""  # without a name it is only refused
    ]:
        text.append(table("argument | meaning", rows))
    text += option_tables(command, context)
    if command.epilog:
        text.append(fenced(textwrap.dedent(command.epilog.split("Examples:\n")[-1]), "sh"))
    return "\n\n".join(text)


def argument(path: str, parameter: click.Parameter) -> str:
    """Return the meaning of an argument."""
    names = (f"{path.removeprefix('ghost ')} {parameter.name}", str(parameter.name))
    found = next((ARGUMENTS[name] for name in names if name in ARGUMENTS), None)
    if found is None:
        sys.exit(f"describe {names[0]!r} in ARGUMENTS of tools/docs_parts.py")
    return found


def option_tables(command: click.Command, context: click.Context) -> list[str]:
    """Return the options of a command, a table per section of its help, each after its title."""
    assert isinstance(command, ConsoleCommand)
    groups = {title: found for title, found in command.option_groups().items() if found}
    del groups[SHARED_TITLE]
    shared = {name for option in shared_options() for name in option.opts}
    tables = []
    for title, group in groups.items():
        shown = [option for option in group if not option.hidden]
        if options := [option for option in shown if not shared.intersection(option.opts)]:
            tables += [f"**{title}**"] if len(groups) > 1 else []
            tables.append(option_table(options, context))
    return tables


def option_table(options: list[Any], context: click.Context) -> str:
    """Return options with their defaults and meanings."""
    return table("option | default | meaning", [option_row(option, context) for option in options])


def option_row(option: click.Option, context: click.Context) -> list[str]:
    """Return an option as a row; a variable in brackets at the end of its help is where its default
    comes from.
    """
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" `{option.make_metavar(context)}`"
    about, variable = re.fullmatch(
        r"(.*?)\s*(?:\[([A-Z_]+)\])?", option.help or "", re.DOTALL
    ).groups()  # type: ignore[union-attr]
    default = f"`${variable}`" if variable else f"`{option.default}`" if option.show_default else ""
    return [names + value, default, prose(about).rstrip(".") + "."]


def settings_part() -> str:
    """Return every listed setting."""
    rows = [
        [
            f"`{part.name}`",
            ", ".join(f"`{variable}`" for variable in part.metadata["env"]),
            f"`{part.default}`" if part.default != "" else "(none)",
            ", ".join(f"`{choice}`" for choice in part.metadata["choices"])
            or type(part.default).__name__.replace("str", "text"),
            sentence(part.metadata["about"]),
        ]
        for part in settings.listed_settings()
    ]
    return table("name | environment | default | values | meaning", rows)


def profile_part() -> str:
    """Return the settings that are parts of the profile `specified`, or only read."""
    rows = [
        [
            ", ".join(f"`{variable}`" for variable in part.metadata["env"]),
            f"`{part.default}`",
            f"`{part.default if specified is None else specified}`",
            sentence(part.metadata["about"]),
        ]
        for part in settings.SETTINGS.values()
        if (specified := part.metadata["specified"]) is not None or not part.metadata["is_listed"]
    ]
    return table("environment | default | specified | meaning", rows)


def sentence(text: str) -> str:
    """Return a phrase with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def children(error: type[BaseException]) -> list[type[errors.GhostError]]:
    """Return the errors right below one, in the order of the source."""
    return [
        e
        for e in vars(errors).values()
        if isinstance(e, type) and error in e.__bases__ and issubclass(e, errors.GhostError)
    ]


def tree(error: type[errors.GhostError], indent: str = "") -> Iterator[str]:
    """Yield the lines of the tree below an error."""
    below = children(error)
    for number, child in enumerate(below, 1):
        last = number == len(below)
        yield f"{indent}{'└── ' if last else '├── '}{child.__name__}"
        yield from tree(child, indent + ("    " if last else "│   "))


def all_errors(
    error: type[errors.GhostError] = errors.GhostError,
) -> Iterator[type[errors.GhostError]]:
    """Yield an error and all below it, parents first."""
    yield error
    for child in children(error):
        yield from all_errors(child)


def error_parts() -> dict[str, str]:
    """Return the tree of errors and what each means."""
    rows = [
        [f"`{e.__name__}`", str(e.exit_code), first_line(e), e.default_hint] for e in all_errors()
    ]
    drawn = fenced("\n".join(["GhostError", *tree(errors.GhostError)]), "text")
    return {
        "tree": drawn,
        "errors": table("error | exit code | meaning | default hint", rows),
    }


def first_line(thing: Any) -> str:
    """Return the first paragraph of a docstring as one line."""
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


def annotation(value: Any) -> str:
    """Return a type as it is written in code."""
    text = (
        value
        if isinstance(value, str)
        else value.__name__
        if isinstance(value, type)
        else str(value)
    )
    return (
        re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)
        .replace("List[", "list[")
        .replace("'", "")
        .replace('"', "")
    )


def signature(function: Callable[..., Any], leave_out: str) -> str:
    """Return the parameters of a function and its result; many parameters get a line each."""
    found = inspect.signature(function)
    parts: list[str] = []
    for name, part in found.parameters.items():
        if name == leave_out:
            continue
        if part.kind is part.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if part.default is part.empty else f" = {part.default!r}"
        stars = "**" if part.kind is part.VAR_KEYWORD else ""
        parts.append(f"{stars}{name}: {annotation(part.annotation)}{default}")
    short = ", ".join(parts)
    arguments = short if len(short) <= 100 else "\n" + "".join(f"    {part},\n" for part in parts)
    return f"({arguments}) -> {annotation(found.return_annotation)}"


def methods() -> dict[str, Callable[..., Any]]:
    """Return the public methods of Ghost and its groups in the order of the source."""
    no_store: Any = None
    groups = vars(ghostmem.Ghost(no_store)).items()
    classes: dict[str, type] = {
        "": ghostmem.Ghost,
        **{f"{name}.": type(group) for name, group in groups if isinstance(group, Group)},
    }
    found = {
        f"{prefix}{name}": getattr(kind, name)
        for prefix, kind in classes.items()
        for name in vars(kind)
        if not name.startswith("_")
    }
    return {name: method for name, method in found.items() if callable(method)}


def method_tables() -> str:
    """Return the methods of every part, with links to their sections."""
    listed = [name for names in METHODS.values() for name in names.split()]
    if sorted(listed) != sorted(methods()):
        changed = set(listed).symmetric_difference(methods())
        sys.exit(f"change METHODS of tools/docs_parts.py: {sorted(changed)}")
    return "\n\n".join(
        f"### {title}\n\n"
        + table(
            "method | result",
            [
                [
                    linked(name, f"library/{slug(title)}.md", name.replace(".", "")),
                    first_line(methods()[name]),
                ]
                for name in names.split()
            ],
        )
        for title, names in METHODS.items()
    )


def method_part(title: str) -> str:
    """Return the methods of a part with their signatures and docstrings."""
    text = []
    for name in METHODS[title].split():
        method = methods()[name]
        owner = "Ghost" if name == "open" else "ghost"
        text += [f"## {name}", fenced(f"{owner}.{name}{signature(method, 'store')}", "py")]
        text.append(described_arguments(inspect.cleandoc(method.__doc__ or "")))
    return "\n\n".join(text)


def library_parts(title: str) -> dict[str, str]:
    """Return the parts of one page of the library's reference."""
    return {"methods": method_part(title)}


def described_arguments(doc: str) -> str:
    """Return a docstring as markdown, its sections Args, Returns and Raises as lists."""
    blocks = []
    for block in doc.split("\n\n"):
        head, _, body = block.partition("\n")
        if head not in ("Args:", "Returns:", "Raises:"):
            blocks.append(block)
            continue
        items = re.sub(r"\n {8,}", " ", textwrap.dedent(body)).replace("\n    ", " ").split("\n")
        if head == "Returns:":
            blocks.append("Returns: " + " ".join(items))
        else:
            rows = [re.sub(r"^(\w+):", r"- `\1`:", item) for item in items]
            blocks.append("\n".join([head, "", *rows] if head == "Raises:" else rows))
    return "\n\n".join(blocks)


def type_part() -> str:
    """Return the public types that are not errors."""
    found = [
        (name, getattr(ghostmem, name))
        for name in ghostmem.__all__
        if name not in ("Ghost", "__version__")
    ]
    return "\n\n".join(
        described(name, made)
        for name, made in found
        if not (isinstance(made, type) and issubclass(made, Exception))
    )


def described(name: str, made: Any) -> str:
    """Return the section of a public type: its description and its members."""
    head = f"## {name}\n\n{first_line(made)}"
    if isinstance(made, type) and issubclass(made, StrEnum):
        return f"{head}\n\n" + ", ".join(f"`{member}`" for member in made)
    return f"{head}\n\n" + fenced("\n".join(members(name, made)), "py")


def members(name: str, made: Any) -> list[str]:
    """Return the lines of a function, of the fields of a type, or of the calls of a class."""
    if inspect.isfunction(made):
        return [f"{name}{signature(made, '')}"]
    if dataclasses.is_dataclass(made):
        fields = {field.name: field.type for field in dataclasses.fields(made)}
    elif is_typeddict(made):
        items = made.__annotations__.items()
        fields = dict(sorted(items, key=lambda item: item[0] not in made.__required_keys__))
    elif issubclass(made, list):
        fields = inspect.get_annotations(made.__init__)
        del fields["return"]
    else:
        return calls(name, made)
    return [f"{field}: {annotation(kind)}" for field, kind in fields.items()]


def calls(name: str, made: type[Any]) -> list[str]:
    """Return how an object of a class is made, and the calls of its public methods."""
    own = [method for each, method in vars(made).items() if not each.startswith("_")]
    made_by = (
        [f"{name}{signature(made.__init__, 'self').removesuffix(' -> None')}"]
        if "__init__" in vars(made)
        else []
    )
    return [
        *made_by,
        *(
            f"{'await ' if inspect.iscoroutinefunction(method) else ''}"
            f"{name.lower()}.{method.__name__}{signature(method, 'store')}"
            for method in own
            if inspect.isfunction(method)
        ),
    ]


def report_part() -> str:
    """Return the types that methods return but that are not public names."""
    found: dict[str, Any] = {}
    for method in methods().values():
        collect(inspect.signature(method).return_annotation, method, found)
    return "\n\n".join(described(name, made) for name, made in found.items())


def collect(result: Any, verb: Callable[..., Any] | None, found: dict[str, Any]) -> None:
    """Add the dataclasses that a result names, and those that their fields name."""
    for name in re.findall(r"\b[A-Z]\w+", annotation(result)):
        made = getattr(sys.modules[verb.__module__], name, None) if verb else None
        if isinstance(made, type) and issubclass(made, list):
            found[name] = made
            collect(
                " ".join(map(str, inspect.get_annotations(made.__init__).values())), verb, found
            )
        elif dataclasses.is_dataclass(made) and name not in (*ghostmem.__all__, *found):
            found[name] = made
            for part in dataclasses.fields(made):
                collect(part.type, verb, found)


def score_part() -> str:
    """Return the features of the score with what each is worth."""
    if missing := [name for name in WITH_VECTORS if name not in FEATURES]:
        sys.exit(f"describe {missing} in FEATURES of tools/docs_parts.py")
    rows = [
        [f"`{name}`", FEATURES[name], f"{worth:g}", f"{WITHOUT_VECTORS[name]:g}"]
        for name, worth in WITH_VECTORS.items()
    ]
    return table("feature | meaning | with vectors | without", rows)


def threshold_part() -> str:
    """Return from which cosine on two texts are alike, by model."""
    models = (TUNED.thresholds, Thresholds(), StaticEmbedder.thresholds)
    names = Thresholds._fields
    rows = [[f"`{name}`", *(f"{getattr(model, name):.2f}" for model in models)] for name in names]
    return table(
        "threshold | `ghost-minilm-1` | `all-MiniLM-L6-v2` and all others | `static`", rows
    )


def route_part() -> str:
    """Return every route of the REST interface."""
    rows = [[f"`{route.method} {route.path}`", route.scope, route.about] for route in ROUTES]
    return table("call | scope | meaning", rows)


def mcp_tool_part() -> str:
    """Make the table of the MCP tools that work in a namespace, with every argument."""
    lines = ["| toolset | tool | arguments | accepted too |", "|---|---|---|---|"]
    for toolset in ("memory", "edit", "truth"):
        label = f"`{toolset}`"
        for tool in chosen_tools([toolset]).values():
            listed = ", ".join(
                f"**`{name}`**" if name in tool.required else f"`{name}`"
                for name in tool.parameters
            )
            more = ", ".join(f"`{name}`" for name in tool.unlisted)
            lines.append(f"| {label} | `{tool.name}` | {listed} | {more} |")
            label = ""
    return "\n".join(lines)


PARTS: dict[str, Callable[[], dict[str, str]]] = {
    "docs/cli.md": overview_parts,
    **{f"docs/cli/{slug(title)}.md": partial(group_parts, title) for title in GROUPS},
    "docs/settings.md": lambda: {"settings": settings_part(), "profile": profile_part()},
    "docs/library.md": lambda: {"methods": method_tables()},
    **{f"docs/library/{slug(title)}.md": partial(library_parts, title) for title in METHODS},
    "docs/library/types.md": lambda: {"types": type_part()},
    "docs/library/results.md": lambda: {"reports": report_part()},
    "docs/errors.md": error_parts,
    "docs/mcp.md": lambda: {"tools": mcp_tool_part()},
    "docs/server.md": lambda: {"routes": route_part()},
    "docs/search.md": lambda: {"score": score_part()},
    "docs/embeddings.md": lambda: {"thresholds": threshold_part()},
}
