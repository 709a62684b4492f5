"""ghost knowledge: topics of a project, in the folder .ai-knowledge."""

from pathlib import Path

import click

from ghostmem.cli.console import Console, ConsoleGroup
from ghostmem.cli.options import YES, read_text, words
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


@knowledge.command("recall-general-memory")
@ROOT
def knowledge_recall_general_memory(console: Console, root: Path) -> None:
    """Print the index: general knowledge about the project, and a summary of every topic."""
    _print_text(console, topics.recall_general_memory(root))


@knowledge.command("recall-memory")
@click.argument("topic")
@ROOT
def knowledge_recall_memory(console: Console, topic: str, root: Path) -> None:
    """Print a topic with its tags and the date of its last update."""
    _print_text(console, topics.recall_memory(root, topic))


@knowledge.command("search-memories")
@click.argument("tags", nargs=-1, required=True, metavar="TAG...")
@ROOT
def knowledge_search_memories(console: Console, tags: tuple[str, ...], root: Path) -> None:
    """Print the names of the topics that have any of these tags."""
    _print_text(console, topics.search_memories(root, words(tags) or ()))


@knowledge.command("list-memories")
@ROOT
def knowledge_list_memories(console: Console, root: Path) -> None:
    """Print the names of all topics."""
    _print_text(console, topics.list_memories(root))


@knowledge.command("memorize-new-topic")
@click.argument("topic")
@click.argument("content", nargs=-1)
@click.option(
    "-t",
    "--tags",
    multiple=True,
    required=True,
    metavar="TAGS",
    help="Tags, separated by commas; repeatable.",
)
@click.option(
    "-s", "--summary", required=True, metavar="TEXT", help="One or two sentences for the index."
)
@ROOT
def knowledge_memorize_new_topic(
    console: Console,
    topic: str,
    content: tuple[str, ...],
    tags: tuple[str, ...],
    summary: str,
    root: Path,
) -> None:
    """Write a new topic, and add its summary to the index."""
    text = read_text(content, "the content")
    _print_text(
        console, topics.memorize_new_topic(root, topic, words(tags) or (), summary, text, now())
    )


@knowledge.command("refine-memory")
@click.argument("topic")
@click.option(
    "--add-tags",
    multiple=True,
    metavar="TAGS",
    help="Tags to add, separated by commas; repeatable.",
)
@click.option(
    "--remove-tags",
    multiple=True,
    metavar="TAGS",
    help="Tags to remove, separated by commas; repeatable.",
)
@click.option("-s", "--summary", metavar="TEXT", help="New summary for the index.")
@click.option(
    "-c", "--content", metavar="TEXT", help="New content; - reads it from standard input."
)
@ROOT
def knowledge_refine_memory(
    console: Console,
    topic: str,
    add_tags: tuple[str, ...],
    remove_tags: tuple[str, ...],
    summary: str | None,
    content: str | None,
    root: Path,
) -> None:
    """Change an existing topic; omitted parts stay as they are."""
    text = None if content is None else read_text((content,), "the content")
    add, remove = words(add_tags) or (), words(remove_tags) or ()
    _print_text(console, topics.refine_memory(root, topic, add, remove, summary, text, now=now()))


@knowledge.command("memorize-general-info")
@click.argument("content", nargs=-1)
@ROOT
def knowledge_memorize_general_info(console: Console, content: tuple[str, ...], root: Path) -> None:
    """Replace the general knowledge about the project."""
    _print_text(console, topics.memorize_general_info(root, read_text(content, "the content")))


@knowledge.command("forget-memory")
@click.argument("topic")
@YES
@ROOT
def knowledge_forget_memory(console: Console, topic: str, yes: bool, root: Path) -> None:
    """Delete a topic, and remove it from the index."""
    console.confirm(f"Forget the topic {topic}?", yes)
    _print_text(console, topics.forget_memory(root, topic))


def _print_text(console: Console, text: str) -> None:
    """Print the answer of a tool unchanged."""
    console.json({"text": text}) if console.as_json else console.raw(text.removesuffix("\n"))
