"""ghost put, patch: store and change memories."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TextIO

import click

from ghostmem.cli.console import Console, command
from ghostmem.cli.options import KEYED, json_object, one_key, options, read_text, refuse, words
from ghostmem.cli.output import bold, named
from ghostmem.errors import InvalidInputError
from ghostmem.memory.put import put_unnamed
from ghostmem.model import Memory, Outcome
from ghostmem.text.excerpt import visible


@command(
    "put",
    """\
  ghost put "We use tabs, not spaces."
  ghost put -n agent:me -k tea "The user drinks green tea."
  echo "Deploys go out on Tuesdays." | ghost put -n agent:me -k deploys --kind procedural -t ops
  ghost put -n agent:me -k cart --files src/cart.py --symbols Cart.total "Totals are in cents."
  ghost put -n agent:me -k draft --base-version 3 "The next text, if nobody was faster."
""",
    creates=True,
    sections={
        "Weight and lifetime": "priority importance tier pinned ttl",
        "Code": "files file_rel symbols language root",
        "Source": "source_user source_kind source_scope source_client",
        "Time": "created_at valid_from valid_to",
        "Writing": "base_version supersedes dedup unlock allow_secrets",
    },
)
@options(
    "put",
    "ns key kind tags priority importance tier pinned ttl meta files",
    click.option(
        "--file-rel", help="What was done to the files: modified, created, deleted or read."
    ),
    "symbols language root source_user source_kind source_scope source_client created_at",
    "valid_from valid_to base_version unlock dedup supersedes allow_secrets",
)
@click.argument("content", nargs=-1)
def put(
    console: Console,
    ns: str | None,
    key: str | None,
    content: tuple[str, ...],
    tags: tuple[str, ...],
    files: tuple[str, ...],
    symbols: tuple[str, ...],
    file_rel: str | None,
    meta: str | None,
    **fields: Any,
) -> None:
    space = console.ns(ns)
    paths = words(files)
    refuse(
        file_rel is not None and paths is None and not symbols,
        f"--file-rel {file_rel} needs a file",
        "give the files with --files",
    )
    for option in ("language", "root"):
        refuse(
            fields[option] is not None and not symbols,
            f"--{option} {fields[option]} needs a symbol",
            "give the symbols with --symbols",
        )
    write: Callable[..., Memory] = (
        partial(put_unnamed, console.ghost.store)
        if key is None
        else partial(console.ghost.put, key=console.new_key(ns, space, key))
    )
    memory = write(
        ns=space,
        content=read_text(content, "content"),
        tags=words(tags),
        files=None if paths is None else [(path, file_rel or "modified") for path in paths],
        symbols=[(name, file_rel or "modified") for name in _symbol_names(symbols)]
        if symbols
        else None,
        meta=json_object(meta, "meta"),
        **fields,
    )
    console.show(memory, put_text(memory))
    console.notes(memory.notes)
    console.vector_note()


def _symbol_names(values: tuple[str, ...]) -> list[str]:
    """Split names of symbols at commas, but not inside brackets, as in `add(int, String)`."""
    parts = (part for value in values for part in re.split(r",(?![^()<>\[\]]*[)>\]])", value))
    return [part.strip() for part in parts if part.strip()]


def put_text(memory: Memory) -> str:
    """Return in a sentence what a put did."""
    if memory.outcome is Outcome.QUARANTINED:
        return f"held in quarantine: {named(memory)} ({memory.id})"
    if memory.outcome is Outcome.REINFORCED and memory.requested_key:
        return f"not stored again: {named(memory)} says the same, reinforced"
    if memory.outcome is Outcome.REINFORCED:
        return f"{named(memory)} v{memory.version} unchanged, reinforced"
    return f"{memory.outcome} {named(memory)} v{memory.version}{_verdict(memory)}"


# the words for a verdict, and for a tentative one
_VERDICTS = {
    "restatement": ("says the same as", "may say the same as"),
    "update": ("updates", "may update"),
    "conflict": ("contradicts", "may contradict"),
}


def _verdict(memory: Memory) -> str:
    verdict = memory.verdict
    if verdict is None or verdict.key in (None, memory.key):
        return ""
    return (
        f"\n    {_VERDICTS[verdict.kind][verdict.is_tentative]} {bold(visible(verdict.key or ''))}"
    )


def _read_diff(file: TextIO) -> str:
    try:
        return file.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{file.name} is not UTF-8 (byte {error.start})", "convert it, for example with iconv"
        ) from None


@command(
    "patch",
    """\
  ghost patch -n agent:me notes < change.diff
  diff -u old.md new.md | ghost patch -n agent:me notes --dry-run
""",
)
@KEYED
@click.option(
    "--patch-file", type=click.File(encoding="utf-8"), help="Read the diff from a file instead."
)
@options("patch", "base_version unlock allow_secrets dry_run")
def patch(
    console: Console,
    ns: str | None,
    key: str | None,
    key_argument: str | None,
    patch_file: TextIO | None,
    base_version: int | None,
    unlock: bool,
    allow_secrets: bool,
    dry_run: bool,
) -> None:
    """Change a memory with a unified diff, read from standard input."""
    diff = _read_diff(patch_file) if patch_file else read_text((), "a diff")
    space, name = console.memory_name(ns, one_key(key, key_argument))
    memory = console.ghost.patch(
        space,
        name,
        diff + "\n",
        base_version=base_version,
        dry_run=dry_run,
        unlock=unlock,
        allow_secrets=allow_secrets,
    )
    console.notes(memory.notes)
    if dry_run and not console.as_json:
        console.raw(memory.content)
    elif memory.outcome is Outcome.QUARANTINED:
        console.show(memory, put_text(memory))
    else:
        console.show(memory, f"patched {named(memory)}, now v{memory.version}")
