"""ghost knowledge: topics of a project, in the folder .ai-knowledge."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ghostmem.cli.console import Console, ConsoleGroup
from ghostmem.cli.options import YES, Decorator, joined, read_text, words
from ghostmem.clock import now
from ghostmem.notes import knowledge as topics


class KnowledgeGroup(ConsoleGroup):
    """A group whose subcommands can also be called by the names of the tools."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a subcommand, written with hyphens or underscores."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))


knowledge = KnowledgeGroup(
    "knowledge",
    """\
  ghost knowledge memorize-new-topic auth --tags security --summary 'How users sign in.' < auth.md
  ghost knowledge recall-memory auth
  ghost knowledge search-memories security identity
""",
)


ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The project's folder; default: the working folder.",
)


TOPIC = click.argument("topic")
CONTENT = click.argument("content", nargs=-1)


def _row(
    name: str, about: str, *params: Decorator, call: Callable[..., str], asks: str = ""
) -> None:
    @joined(*params, *([YES] if asks else []), ROOT)
    def run(console: Console, root: Path, yes: bool = True, **values: Any) -> None:
        console.confirm(asks.format(**values), yes)
        text = call(root, **values)
        console.json({"text": text}) if console.as_json else console.raw(text.removesuffix("\n"))

    knowledge.command(name, help=about)(run)


_row(
    "recall-general-memory",
    "Print the index: general knowledge about the project, and a summary of every topic.",
    call=topics.recall_general_memory,
)
_row(
    "recall-memory",
    "Print a topic with its tags and the date of its last update.",
    TOPIC,
    call=topics.recall_memory,
)
_row(
    "search-memories",
    "Print the names of the topics that have any of these tags.",
    click.argument("tags", nargs=-1, required=True, metavar="TAG..."),
    call=lambda root, tags: topics.search_memories(root, words(tags) or ()),
)
_row("list-memories", "Print the names of all topics.", call=topics.list_memories)
_row(
    "memorize-new-topic",
    "Write a new topic, and add its summary to the index.",
    TOPIC,
    CONTENT,
    click.option(
        "-t",
        "--tags",
        multiple=True,
        required=True,
        metavar="TAGS",
        help="Tags, separated by commas; repeatable.",
    ),
    click.option(
        "-s", "--summary", required=True, metavar="TEXT", help="One or two sentences for the index."
    ),
    call=lambda root, topic, content, tags, summary: topics.memorize_new_topic(
        root, topic, words(tags) or (), summary, read_text(content, "the content"), now()
    ),
)
_row(
    "refine-memory",
    "Change an existing topic; omitted parts stay as they are.",
    TOPIC,
    click.option(
        "--add-tags",
        multiple=True,
        metavar="TAGS",
        help="Tags to add, separated by commas; repeatable.",
    ),
    click.option(
        "--remove-tags",
        multiple=True,
        metavar="TAGS",
        help="Tags to remove, separated by commas; repeatable.",
    ),
    click.option("-s", "--summary", metavar="TEXT", help="New summary for the index."),
    click.option(
        "-c", "--content", metavar="TEXT", help="New content; - reads it from standard input."
    ),
    call=lambda root, topic, add_tags, remove_tags, summary, content: topics.refine_memory(
        root,
        topic,
        words(add_tags) or (),
        words(remove_tags) or (),
        summary,
        None if content is None else read_text((content,), "the content"),
        now=now(),
    ),
)
_row(
    "memorize-general-info",
    "Replace the general knowledge about the project.",
    CONTENT,
    call=lambda root, content: topics.memorize_general_info(
        root, read_text(content, "the content")
    ),
)
_row(
    "forget-memory",
    "Delete a topic, and remove it from the index.",
    TOPIC,
    call=topics.forget_memory,
    asks="Forget the topic {topic}?",
)
