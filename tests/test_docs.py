"""The docs say what the program does: every command, flag, setting, name, table and field, no more and no less, and the examples run."""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import apsw
import click
import pytest

import ghostmem
from ghostmem import Chunk, Edge, FileRef, Ghost, Memory, Rule
from ghostmem.cli.main import ALIASES, COMMANDS, cli, shared_options
from ghostmem.embed.models import TUNED
from ghostmem.embed.static import StaticEmbedder
from ghostmem.embed.wordpiece import FOLDER
from ghostmem.model import Access
from ghostmem.search import cutoff
from ghostmem.search.score import WITH_VECTORS, WITHOUT_VECTORS
from ghostmem.settings import PROVIDERS, SETTINGS, listed_settings
from ghostmem.store.export_lines import TRANSIENT

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

from docs import with_parts  # noqa: E402
from docs_parts import METHODS, PARTS, all_errors, slug  # noqa: E402
from docs_sessions import Session, steady, with_sessions  # noqa: E402
from docs_wrap import with_wrapped_prose  # noqa: E402

PAGES = [
    "README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
]
ALL_PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not any(
        part.startswith(".") or part in ("build", "dist") for part in path.relative_to(ROOT).parts
    )
)
ELSEWHERE = {"GHOST_TEST_STRICT"}  # read by the tests, not by the program


@cache
def text(page: str) -> str:
    """Return the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def commands() -> dict[str, click.Command]:
    """Return every command and subcommand by its path, without `ghost`."""
    context = click.Context(cli)
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": below for sub, below in command.commands.items()}
    return found


def flags(parameters: list[click.Parameter]) -> set[str]:
    """Return every spelling of every option."""
    return {
        name
        for p in parameters
        if isinstance(p, click.Option)
        for name in (*p.opts, *p.secondary_opts)
    }


SHARED = flags(shared_options())
EVERYWHERE = SHARED | {"-h", "--help"}


def sections(page: str) -> dict[str, str]:
    """Return the texts below the headings of a page, code blocks left out of the search for headings."""
    found: dict[str, str] = {}
    name, fenced = "", False
    for line in text(page).splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            name = line.lstrip("#").strip()
        found[name] = found.get(name, "") + line + "\n"
    return found


def command_sections() -> dict[str, str]:
    """Return the sections of all commands by their paths, with `ghost`."""
    pages = [page for page in PAGES if page.startswith("docs/cli")]
    return {name: part for page in pages for name, part in sections(page).items()}


def cells(part: str, column: int = 0) -> list[str]:
    """Return one column of the tables in a text, without their heads."""
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1] for line in part.splitlines() if line.startswith("|")
    ]
    rules = [number for number, row in enumerate(rows) if set("".join(row)) <= set("-: ")]
    heads = {number - 1 for number in rules}
    return [
        row[column].strip()
        for number, row in enumerate(rows)
        if number not in heads and number not in rules
    ]


def codes(part: str) -> list[str]:
    """Return the code spans of a text."""
    return re.findall(r"`([^`]+)`", part)


# ---------------------------------------------------------------- generated parts and examples


@pytest.mark.parametrize("page", sorted(PARTS))
def test_generated_parts_are_current(page: str) -> None:
    """What is made from the code is what the code says today; `python tools/docs.py` makes it anew."""
    assert with_parts(text(page), PARTS[page]()) == text(page)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_and_print_what_is_written(page: str) -> None:
    """Every console and Python block ends well and prints what stands below it, ids and times aside."""
    assert with_sessions(text(page), page) == text(page)


@pytest.mark.parametrize("page", PAGES)
def test_prose_is_wrapped(page: str) -> None:
    """Paragraphs and list items have one width; `python tools/docs.py` wraps them."""
    assert with_wrapped_prose(text(page)) == text(page)


def test_wrapping_changes_prose_only() -> None:
    """Code, tables, headings and generated parts stay; a word that would start a list does not begin a line."""
    long = "word " * 30
    kept = f"# {long}\n\n| {long}|\n\n```sh\n{long}\n```\n\n<!-- generated: a -->\n{long}\n<!-- end: a -->\n"
    assert with_wrapped_prose(kept) == kept
    assert (
        with_wrapped_prose(f"- {long}\n")
        == f"- {' '.join(['word'] * 19)}\n  {' '.join(['word'] * 11)}\n"
    )
    assert with_wrapped_prose(f"{'x' * 99} - y `a b`\n") == f"{'x' * 99} -\ny `a b`\n"


def test_the_readme_has_examples() -> None:
    """A newcomer sees commands with their output, and a Python program."""
    assert len(re.findall(r"^\$ ghost ", text("README.md"), re.MULTILINE)) >= 5
    assert "```python\n" in text("README.md")


def test_a_failing_example_is_an_error(tmp_path: Path) -> None:
    """A command that fails cannot stay in the docs."""
    page = "```console\n$ ghost get -n agent:ada nothing\n```\n"
    with pytest.raises(SystemExit, match="exit 3"):
        with_sessions(page, "page")
    assert Session(tmp_path, "page").run(["sh", "-c", "echo $HOME"], "") == "/home/you\n"


def test_examples_are_rewritten_only_when_more_than_ids_and_times_differ() -> None:
    """What a run prints anew each time does not change the page."""
    page = "```console\n$ echo 2026-03-14 v1\n1999-01-01 v1\n```\n"
    assert with_sessions(page, "page") == page
    assert with_sessions(page.replace("01-01 v1", "01-01 v0"), "page") == page.replace(
        "1999-01-01", "2026-03-14"
    )
    assert steady("01M7EH2KSPT15J4CAJN5N8NPTS 143.4 KB 3.54.1") == "ID SIZE VERSION"


def test_text_around_generated_parts_survives() -> None:
    """Handwriting stays, a new part goes before the one that follows it, and one that is gone is not removed silently."""
    page = "# Head\n\n<!-- generated: b -->\nold\n<!-- end: b -->\n\nmine\n"
    made = with_parts(page, {"a": "A", "b": "B"})
    a, b = (
        "<!-- generated: {0} -->\n\n{1}\n\n<!-- end: {0} -->\n".format(*pair)
        for pair in ("aA", "bB")
    )
    assert made == f"# Head\n\n{a}\n{b}\nmine\n"
    with pytest.raises(SystemExit, match="by hand"):
        with_parts(page, {"a": "A"})


def test_check_shows_the_difference(tmp_path: Path) -> None:
    """`--check` fails with a diff and writes nothing; without it the page is written."""
    for name in ("tools", "docs"):
        (tmp_path / name).mkdir()
    for path in (ROOT / "tools").glob("docs*.py"):
        (tmp_path / "tools" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "README.md").write_text("# Ghost\n", encoding="utf-8")
    page = tmp_path / "docs" / "cli.md"
    page.write_text(
        "# Commands\n\n<!-- generated: commands -->\nstale\n<!-- end: commands -->\n",
        encoding="utf-8",
    )
    tool = [sys.executable, tmp_path / "tools" / "docs.py"]
    checked = subprocess.run([*tool, "--check"], capture_output=True, encoding="utf-8", check=False)
    assert checked.returncode == 1
    assert "-stale\n" in checked.stdout
    assert "stale" in page.read_text(encoding="utf-8")
    assert subprocess.run(tool, check=False).returncode == 0
    assert "(cli/every-day.md#ghost-put)" in page.read_text(encoding="utf-8")
    assert subprocess.run([*tool, "--check"], check=False).returncode == 0


# ---------------------------------------------------------------- commands


def test_every_command_is_documented_and_exists() -> None:
    """The reference has a section for each command and subcommand, and for nothing else."""
    found = {
        name.removeprefix("ghost ") for name in command_sections() if name.startswith("ghost ")
    }
    assert found == set(commands())


def test_old_anchors_of_the_references_still_lead_somewhere() -> None:
    """The overviews have the anchor of every command and method that was on their page once."""
    assert {f"ghost-{name}" for name in COMMANDS} <= anchors("docs/cli.md")
    assert {name for name in vars(Ghost) if not name.startswith("_")} <= anchors("docs/library.md")


@pytest.mark.parametrize("name", commands())
def test_every_flag_is_documented_and_exists(name: str) -> None:
    """A command's table lists each spelling of each of its options, except hidden ones, and no other."""
    listed = {
        code
        for cell in cells(command_sections()[f"ghost {name}"])
        for code in codes(cell)
        if code.startswith("-")
    }
    command = commands()[name]
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    expected = set() if isinstance(command, click.Group) else flags(shown)
    assert listed == expected - SHARED
    # one without a name in the help only exists for an error with the next step
    arguments = [p for p in command.params if isinstance(p, click.Argument) and p.metavar != ""]
    assert ("| argument | meaning |" in command_sections()[f"ghost {name}"]) == bool(arguments)


def test_shared_flags_are_documented() -> None:
    """What every command takes is listed once."""
    part = sections("docs/cli.md")["Common to all commands"]
    assert {code for cell in cells(part) for code in codes(cell) if code.startswith("-")} == SHARED
    assert flags(cli.params) - EVERYWHERE == {"--version"}
    for name in flags(cli.params) | EVERYWHERE:
        assert re.search(rf"(?<![\w-]){name}(?![\w-])", part), name


def invocations(page: str) -> Iterator[list[str]]:
    """Yield the words after each `ghost` that stands in code as a command."""
    blocks = re.findall(r"^```(?:console|sh)\n(.*?)^```$", text(page), re.MULTILINE | re.DOTALL)
    outside = re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)
    for line in [*"".join(blocks).replace("\\\n", " ").splitlines(), *codes(outside)]:
        if re.search(r"(?:^|[|&;] |\w=\S+ )ghost ", line.removeprefix("$ ")):
            reader = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="|&;<>")
            reader.whitespace_split = True
            words = list(reader)
            for start in (number for number, word in enumerate(words, 1) if word == "ghost"):
                stop = next(
                    (
                        i
                        for i, word in enumerate(words)
                        if i > start and re.fullmatch(r"[|&;<>]+", word)
                    ),
                    len(words),
                )
                yield words[start:stop]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_command_line_in_the_docs_could_be_typed(page: str) -> None:
    """Wherever a page shows `ghost …`, the command and its flags exist; capitals stand for any command."""
    known = commands()
    for words in invocations(page):
        shown = f"{page}: ghost {' '.join(words)}"
        given = words[: words.index("--")] if "--" in words else words
        used = {word.partition("=")[0] for word in given if re.match(r"--?[a-z]", word)}
        names = [
            word
            for before, word in pairwise(["", *given])
            if not word.startswith("-") and before not in ("-d", "--db")
        ]
        if not names or names[0].isupper():
            assert used <= EVERYWHERE | flags(cli.params), shown
            continue
        names[0] = ALIASES.get(names[0], names[0])
        path = next((path for path in (" ".join(names[:2]), names[0]) if path in known), "")
        assert path, shown
        assert used <= EVERYWHERE | flags(known[path].params), shown


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/dependencies.md"])
def test_every_flag_in_running_text_exists(page: str) -> None:
    """A flag that is named without its command belongs to some command."""
    known = {name for command in commands().values() for name in flags(command.params)} | EVERYWHERE
    outside = re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)
    named = {code.split()[0] for code in codes(outside) if re.match(r"--[a-z]", code)}
    assert named <= known | flags(cli.params)


# ---------------------------------------------------------------- settings and environment


def test_every_setting_is_documented_and_exists() -> None:
    """The table of settings has each name with its variables, and no other."""
    part = sections("docs/settings.md")["Settings and environment variables"]
    listed = dict(zip(cells(part), cells(part, 1), strict=True))
    assert {name.strip("`"): tuple(codes(variables)) for name, variables in listed.items()} == {
        part.name: part.metadata["env"] for part in listed_settings()
    }


def test_every_variable_is_documented_and_read() -> None:
    """Each variable the code reads is in the docs, and the docs name no other."""
    pattern = re.compile(
        r"\b(?:(?:GHOST|AGENT_MEMORY)_[A-Z_]+|OLLAMA_HOST|OPENAI_API_KEY|ANTHROPIC_API_KEY|BUS_MEMORY_DIR)\b"
    )
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = set(pattern.findall(source))
    assert read >= {variable for part in SETTINGS.values() for variable in part.metadata["env"]}
    assert read <= set(pattern.findall(text("docs/settings.md")))
    for page in (page for page in ALL_PAGES if not page.startswith("tests/")):
        if page != "docs/original.md":
            assert set(pattern.findall(text(page))) <= read | ELSEWHERE, page
    rows = sections("docs/original.md")["Environment variables"].splitlines()
    same = next(row for row in rows if "the same names" in row)  # the others are the original's
    assert set(pattern.findall(same)) <= read
    for variable in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        assert variable in source
        assert f"`{variable}" in text("docs/settings.md")


# ---------------------------------------------------------------- names, errors, tables, fields


def test_every_public_name_is_documented() -> None:
    """What can be imported from `ghostmem` is described in the library's or the errors' page."""
    pages = text("docs/library.md") + text("docs/library/types.md") + text("docs/errors.md")
    assert [
        name
        for name in ghostmem.__all__
        if f"## {name}\n" not in pages and f"`{name}`" not in pages
    ] == []


def test_every_public_method_is_documented_and_exists() -> None:
    """The methods of Ghost each have a section."""
    pages = [f"docs/library/{slug(title)}.md" for title in METHODS]
    assert {name for page in pages for name in sections(page) if name.isidentifier()} == {
        name for name in vars(Ghost) if not name.startswith("_")
    }


def test_every_exit_code_is_documented() -> None:
    """Each error's exit code is explained, and no other but success and interruption."""
    listed = set(map(int, cells(sections("docs/errors.md")["Exit codes"])))
    assert listed == {error.exit_code for error in all_errors()} | {0, 130}


def test_every_table_is_documented_and_exists(tmp_path: Path) -> None:
    """The page about the file names its tables."""
    with Ghost.open(tmp_path / "memory.db") as ghost:
        location = ghost.store.engine.location
    names = [
        name
        for (name,) in apsw.Connection(location).execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        )
    ]
    own = {
        name for name in names if not re.fullmatch(r"(chunks_fts|chunks_tri)_\w+|sqlite_\w+", name)
    }
    assert {cell.strip("`") for cell in cells(sections("docs/storage.md")["What is inside"])} == own


@pytest.mark.parametrize(
    ("heading", "made"), [("memory", Memory), ("edge", Edge), ("access", Access), ("rule", Rule)]
)
def test_every_field_of_the_export_is_documented_and_exists(heading: str, made: type) -> None:
    """The page about the format lists the fields of each line."""
    listed = [code for cell in cells(sections("docs/format.md")[heading]) for code in codes(cell)]
    assert sorted(listed) == sorted(
        {part.name for part in dataclasses.fields(made)} - TRANSIENT.get(made, set())
    )


def test_small_types_are_documented() -> None:
    """Types without a page of their own show their fields in the library's page."""
    for made in (Chunk, FileRef):
        part = sections("docs/library/types.md")[made.__name__]
        assert [line.split(":")[0] for line in part.splitlines() if re.match(r"\w+: ", line)] == [
            part.name for part in dataclasses.fields(made)
        ]


def test_every_dependency_is_documented_and_declared() -> None:
    """The table of dependencies has what pyproject.toml asks for, and no other."""
    project = tomllib.loads(text("pyproject.toml"))
    extras = project["project"]["optional-dependencies"].values()
    asked = [
        *project["project"]["dependencies"],
        *project["build-system"]["requires"],
        *(name for extra in extras for name in extra),
    ]
    declared = {re.split(r"[^\w.-]", name)[0] for name in asked} - {"ghostmem"}
    listed = {
        name
        for cell in cells(text("docs/dependencies.md"))
        if re.fullmatch(r"`[\w.-]+`(?:, `[\w.-]+`)*", cell)
        for name in codes(cell)
    }
    assert listed == declared


# ---------------------------------------------------------------- search and embeddings


def test_the_score_is_documented_as_it_is() -> None:
    """The table of the score has every feature with what it is worth, and no other; so has the floor."""
    part = sections("docs/search.md")["The score"]
    listed = {
        name.strip("`"): (float(cells(part, 2)[at]), float(cells(part, 3)[at]))
        for at, name in enumerate(cells(part))
    }
    assert listed == {name: (worth, WITHOUT_VECTORS[name]) for name, worth in WITH_VECTORS.items()}
    floor = " ".join(sections("docs/search.md")["Saying nothing"].split())
    assert f"`similarity` + {cutoff.WORDING:g} × `lexical`" in floor
    assert f"its score is at least {cutoff.CONVERSATION:g}," in floor
    for chunks in (10, 100, 1_000, 10_000):
        answer = (TUNED.thresholds.answer, StaticEmbedder.thresholds.answer, None)
        least = " | ".join(f"{cutoff.needed(chunks, threshold):.2f}" for threshold in answer)
        assert f"| {chunks:,} | {least} |" in floor


def test_every_provider_and_model_file_is_documented_and_exists() -> None:
    """The page about embeddings lists what can be chosen and what is shipped."""
    listed = {
        code for cell in cells(sections("docs/embeddings.md")["Embeddings"]) for code in codes(cell)
    }
    assert listed == set(PROVIDERS)
    shipped = {
        code
        for cell in cells(sections("docs/embeddings.md")["What is shipped"])
        for code in codes(cell)
    }
    assert {name for name in shipped if not name.startswith("tools/")} == {
        path.name for path in FOLDER.iterdir()
    }
    assert all((ROOT / name).exists() for name in shipped if name.startswith("tools/"))


# ---------------------------------------------------------------- links


def anchors(page: str) -> set[str]:
    """Return the anchors of a page: those of its headings as GitHub makes them, and explicit ones."""
    found = set(re.findall(r'<a id="([^"]+)"></a>', text(page)))
    for heading in sections(page):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(name)
    return found


def test_modules_in_the_architecture_exist() -> None:
    """Every module that the page names is in the source; in a list, relative to the package of the item."""
    for item in re.split(r"\n(?=- |\n)", text("docs/architecture.md")):
        package = re.match(r"- \[`(\w+)/`\]", item)
        folders = [ROOT / "src" / "ghostmem", ROOT]
        folders += [folders[0] / package[1]] if package else []
        for name in re.findall(r"`([\w/]+\.py)`", item):
            if "/" in name or package:
                assert any((folder / name).is_file() for folder in folders), name


@pytest.mark.parametrize("page", ALL_PAGES)
def test_no_link_is_dead(page: str) -> None:
    """Each relative link leads to a file that is there, and its anchor to a heading."""
    outside_code = re.sub(
        r"^```.*?^```$|`[^`\n]*`(?!\])", "", text(page), flags=re.MULTILINE | re.DOTALL
    )
    for target in re.findall(r"\]\(([^)\s]+)\)", outside_code):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file.resolve().relative_to(ROOT).as_posix()), target


def test_the_map_leads_everywhere() -> None:
    """Every page is linked in docs/index.md; references, client pages and decision records in their own lists."""
    lists = {"decisions/": "decisions.md", "clients/": "clients/index.md"}
    lists |= {"cli/": "cli.md", "library/": "library.md"}
    for page in PAGES[1:]:
        name = page.removeprefix("docs/")
        folder = re.match(r"\w+/", name)
        listed = lists.get(folder[0], "index.md") if folder else "index.md"
        listed = "index.md" if name == listed else listed
        link = name.removeprefix("clients/") if listed == "clients/index.md" else name
        assert name == "index.md" or f"({link}" in text(f"docs/{listed}"), page
    assert "(docs/index.md)" in text("README.md")


def test_pictures_are_small_described_and_used() -> None:
    """Each drawing is plain SVG with a title, below 8 KB (a plot: 30), without anything that runs or is fetched, and stands on a page."""
    pages = "".join(text(page) for page in PAGES)
    for path in (ROOT / "docs" / "images").glob("*.svg"):
        drawn = path.read_text(encoding="utf-8")
        assert "<title>" in drawn
        assert len(drawn) < (30_000 if path.name == "peers.svg" else 8_000)
        assert not re.search(r"<script|href=|@import|url\((?!#)", drawn)
        assert f"images/{path.name})" in pages, path.name
    assert all(found.strip() for found in re.findall(r"!\[(.*?)\]\(", pages))


def test_the_list_for_models_leads_everywhere() -> None:
    """llms.txt has a title, a summary and a line for every page except references, client pages and decision records."""
    listed = text("llms.txt")
    assert re.match(r"# Ghost\n\n> \S", listed)
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): \S", listed, re.MULTILINE)
    assert len(links) == len(re.findall(r"^- ", listed, re.MULTILINE))
    assert all((ROOT / link).exists() for link in links)
    wanted = {
        page
        for page in PAGES
        if not re.match(r"docs/(clients/(?!index)|decisions/|cli/|library/)", page)
    } - {"docs/index.md"}
    assert wanted <= set(links)


# ---------------------------------------------------------------- the demo


def run_demo(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the tour, or a piece of Python beside it."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_demo_runs() -> None:
    """`make demo` shows real output, ends well, and is plain when piped."""
    done = run_demo("-m", "bench.demo")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in (
        "created agent:ada/sams-tea v1",
        "did you mean sams-tea?",
        "[current]",
        "are the same",
        "\n     clean\n",
    ):
        assert line in done.stdout
    assert "\x1b" not in done.stdout


def test_the_demo_fails_when_a_command_fails() -> None:
    """A step that ends badly, or does not say what it should, ends the tour with exit code 1."""
    code = "import sys; from bench.demo import *; sys.exit(show([Chapter('Bad', (Step('Why.', {!r}, expect={!r}),))], True))"
    for command, expect in (("ghost get nothing", ""), ("ghost version", "nonsense")):
        done = run_demo("-c", code.format(command, expect))
        assert done.returncode == 1
        assert "The tour stopped" in done.stdout
        assert "\x1b[31m" in done.stdout


@pytest.mark.requirement("002-061", "002-064", "002-065")
def test_the_conventions_are_documented() -> None:
    """Every conventional namespace and tag of the specification is explained."""
    text = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8")
    for name in (
        "agent:<name>",
        "identity",
        "lore",
        "chat:<id>",
        "project:<name>",
        "learning",
        "convention",
        "capability",
        "user:<name>",
    ):
        assert f"`{name}`" in text, name


@pytest.mark.requirement("002-070")
def test_the_fusion_decision_is_recorded() -> None:
    """The default fusion differs from the specification, so the decisions name its measurement and the setting that restores RRF."""
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "reciprocal ranks" in line)
    assert "GHOST_FUSION=rrf" in row
    assert re.search(r"\d\d\.\d becomes \d\d\.\d", row)
