"""ghost outline"""

from typing import TYPE_CHECKING, Any

import click

from ghostmem.cli.face import Decorator, Face, FaceCommand, group, options, words

if TYPE_CHECKING:
    from ghostmem.outline.operations import Outline

EXAMPLES = """\
  ghost outline symbol Session.send --language python --root ~/src/requests
  ghost outline file mux.go --language go --relations calls,calledBy --omit-native
  ghost outline project --language rust --depth 1 --format json
"""

command = group("outline", "Show code as a tree of relations.", EXAMPLES)

SHAPE: Decorator = options(
    click.option(
        "--language",
        required=True,
        help="go, python, javascript, typescript, rust, java, c, cpp, ruby, csharp, php, kotlin.",
    ),
    click.option(
        "--root", default=".", show_default=True, metavar="DIR", help="The project's folder."
    ),
    click.option(
        "--depth", type=int, default=2, show_default=True, help="Levels of relations, 0 to 10."
    ),
    click.option(
        "--relations", multiple=True, help="Only these kinds, separated by commas; repeatable."
    ),
    click.option(
        "--omit-native", is_flag=True, help="Leave out the standard library and built-ins."
    ),
    click.option(
        "--max-nodes", type=int, default=2000, show_default=True, help="At most so many nodes."
    ),
    click.option("--no-tests", is_flag=True, help="Leave out test files."),
    click.option(
        "--memories",
        "include_memories",
        is_flag=True,
        help="Show memories about each file and symbol.",
    ),
)


def _show(face: Face, made: "Outline") -> None:
    face.json(made.data) if face.as_json else face.raw(made.text.removesuffix("\n"))


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    given["relations"] = words(given["relations"]) or []
    given["include_tests"] = not given.pop("no_tests")
    return given


@command.command("symbol", cls=FaceCommand)
@click.argument("symbol")
@click.option("--file", help="Only in this file, by its path from the root.")
@SHAPE
def symbol(face: Face, symbol: str, language: str, **given: Any) -> None:
    """Show what a symbol relates to, by its name, whole or in part."""
    _show(face, face.ghost.outline_symbol(symbol, language, **_fields(given)))


@command.command("file", cls=FaceCommand)
@click.argument("file")
@SHAPE
def file(face: Face, file: str, language: str, **given: Any) -> None:
    """Show every symbol that a file declares."""
    _show(face, face.ghost.outline_file(file, language, **_fields(given)))


@command.command("project", cls=FaceCommand)
@SHAPE
def project(face: Face, language: str, **given: Any) -> None:
    """Show every symbol of a project."""
    _show(face, face.ghost.outline_project(language, **_fields(given)))
