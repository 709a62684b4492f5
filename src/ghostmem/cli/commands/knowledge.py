"""ghost knowledge"""

from pathlib import Path

import click

from ghostmem.cli.face import YES, Face, FaceCommand, group, read_text, words

EXAMPLES = """\
  ghost knowledge memorize-new-topic auth --tags security --summary 'How users sign in.' < auth.md
  ghost knowledge recall-memory auth
  ghost knowledge search-memories security identity
"""


class KnowledgeGroup(click.Group):
    """A group whose subcommands may be called by the names of the tools, too."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a subcommand, written with hyphens or underscores."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))


command = group(
    "knowledge", "Recall, search and memorize topics in .ai-knowledge.", EXAMPLES, KnowledgeGroup
)
ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The project's folder; default: the working folder.",
)


@command.command("recall-general-memory", cls=FaceCommand)
@ROOT
def recall_general_memory(face: Face, root: Path) -> None:
    """Print the index: what is known about the project, and a summary of every topic."""
    from ghostmem.notes import knowledge

    _say(face, knowledge.recall_general_memory(root))


@command.command("recall-memory", cls=FaceCommand)
@click.argument("topic")
@ROOT
def recall_memory(face: Face, topic: str, root: Path) -> None:
    """Print a topic with its tags and the date of its last update."""
    from ghostmem.notes import knowledge

    _say(face, knowledge.recall_memory(root, topic))


@command.command("search-memories", cls=FaceCommand)
@click.argument("tags", nargs=-1, required=True, metavar="TAG...")
@ROOT
def search_memories(face: Face, tags: tuple[str, ...], root: Path) -> None:
    """Print the names of the topics that have any of some tags."""
    from ghostmem.notes import knowledge

    _say(face, knowledge.search_memories(root, words(tags) or ()))


@command.command("list-memories", cls=FaceCommand)
@ROOT
def list_memories(face: Face, root: Path) -> None:
    """Print the names of all topics."""
    from ghostmem.notes import knowledge

    _say(face, knowledge.list_memories(root))


@command.command("memorize-new-topic", cls=FaceCommand)
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
def memorize_new_topic(
    face: Face,
    topic: str,
    content: tuple[str, ...],
    tags: tuple[str, ...],
    summary: str,
    root: Path,
) -> None:
    """Write a topic that does not exist yet, and its summary into the index."""
    from ghostmem.clock import now
    from ghostmem.notes import knowledge

    text = read_text(content, "the content")
    _say(face, knowledge.memorize_new_topic(root, topic, words(tags) or (), summary, text, now()))


@command.command("refine-memory", cls=FaceCommand)
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
@click.option("-s", "--summary", metavar="TEXT", help="Another summary for the index.")
@click.option(
    "-c", "--content", metavar="TEXT", help="Another content; - reads it from standard input."
)
@ROOT
def refine_memory(
    face: Face,
    topic: str,
    add_tags: tuple[str, ...],
    remove_tags: tuple[str, ...],
    summary: str | None,
    content: str | None,
    root: Path,
) -> None:
    """Change a topic that exists; what is left out stays as it is."""
    from ghostmem.clock import now
    from ghostmem.notes import knowledge

    text = None if content is None else read_text((content,), "the content")
    add, remove = words(add_tags) or (), words(remove_tags) or ()
    _say(face, knowledge.refine_memory(root, topic, add, remove, summary, text, now=now()))


@command.command("memorize-general-info", cls=FaceCommand)
@click.argument("content", nargs=-1)
@ROOT
def memorize_general_info(face: Face, content: tuple[str, ...], root: Path) -> None:
    """Replace what is known about the project as a whole."""
    from ghostmem.notes import knowledge

    _say(face, knowledge.memorize_general_info(root, read_text(content, "the content")))


@command.command("forget-memory", cls=FaceCommand)
@click.argument("topic")
@YES
@ROOT
def forget_memory(face: Face, topic: str, yes: bool, root: Path) -> None:
    """Delete a topic, and remove it from the index."""
    from ghostmem.notes import knowledge

    face.confirm(f"Forget the topic {topic}?", yes)
    _say(face, knowledge.forget_memory(root, topic))


def _say(face: Face, text: str) -> None:
    """Print what a tool says, as it says it."""
    face.json({"text": text}) if face.as_json else face.raw(text.removesuffix("\n"))
