"""Spellings of a person's name: declared, resolved and moved alike on every engine."""

from pathlib import Path
from typing import Any

import pytest

from conftest import Clock
from ghostmem import ConflictError, Ghost, InvalidInputError, NotFoundError, migrate
from ghostmem.settings import Settings

NS = "agent:me"
NONE = Settings(embed_provider="none")


def declared(ghost: Ghost, ns: str | None = None) -> list[tuple[str, str, str]]:
    """Return the aliases as plain values."""
    return [(alias.ns, alias.alias, alias.canonical) for alias in ghost.admin.source_aliases(ns)]


def preferred(ghost: Ghost, name: str, ns: str = NS) -> set[str]:
    """Return the keys of memories that count more for a person."""
    pack = ghost.context("tea in the morning", ns, for_user=name)
    return {memory.key for memory in pack.memories if "source" in memory.why.parts}


@pytest.fixture
def talk(ghost: Ghost) -> Ghost:
    """Return a store in which one person has two names, and another one has one."""
    ghost.put(NS, "bob", "Green tea in the morning, please.", source_user="Bob")
    ghost.put(NS, "robert", "No tea after four in the morning.", source_user="robert")
    ghost.put(NS, "ann", "Ann drinks tea in the morning too.", source_user="Ann")
    ghost.put(NS, "nobody", "There is tea in the morning.")
    return ghost


def test_for_user_knows_every_spelling(talk: Ghost) -> None:
    """All spellings that lead to the same name count, without case; the rows stay as they are."""
    assert preferred(talk, "Robert") == {"robert"}
    talk.admin.set_source_alias(NS, " bob ", "Robert")
    assert preferred(talk, "Robert") == preferred(talk, "BOB") == {"bob", "robert"}
    assert preferred(talk, "Ann") == {"ann"}
    assert talk.get(NS, "bob").source_user == "Bob"
    talk.admin.rm_source_alias(NS, "Bob")
    assert preferred(talk, "Robert") == {"robert"}


def test_an_alias_belongs_to_its_namespace(talk: Ghost) -> None:
    """Another namespace, also under the same prefix, does not know it."""
    talk.admin.set_source_alias("agent:other", "bob", "Robert")
    talk.admin.set_source_alias(NS, "bob", "Bertie")
    assert preferred(talk, "Robert") == {"robert"}
    assert preferred(talk, "Robert", "agent:*") == {"robert"}
    assert preferred(talk, "Bertie", "agent:*") == {"bob"}
    assert declared(talk) == [(NS, "bob", "Bertie"), ("agent:other", "bob", "Robert")]
    assert declared(talk, "agent:o*") == [("agent:other", "bob", "Robert")]


def test_the_past_knows_the_names_of_today(talk: Ghost, clock: Any) -> None:
    """A context of an earlier time resolves the spellings that are declared now."""
    at = clock()
    clock.forward(days=1)
    talk.admin.set_source_alias(NS, "Bob", "robert")
    pack = talk.context("tea in the morning", NS, for_user="robert", as_of=at)
    assert {memory.key for memory in pack.memories if "source" in memory.why.parts} == {
        "bob",
        "robert",
    }


def test_an_alias_can_be_declared_again(ghost: Ghost) -> None:
    """The last declaration of a spelling holds, whatever its case."""
    ghost.admin.set_source_alias(NS, "Bob", "Robert")
    ghost.admin.set_source_alias(NS, "BOB", "Bertie")
    assert declared(ghost) == [(NS, "BOB", "Bertie")]
    with pytest.raises(NotFoundError, match="no alias 'Rob'"):
        ghost.admin.rm_source_alias(NS, "Rob")


def test_chains_and_empty_names_are_refused(ghost: Ghost) -> None:
    """A person has one canonical name; a refusal changes nothing."""
    ghost.admin.set_source_alias(NS, "Bob", "Robert")
    for alias, canonical, error in (
        ("Bobby", "bob", ConflictError),
        ("ROBERT", "Bertie", ConflictError),
        ("Ann", "ANN", InvalidInputError),
        (" ", "Ann", InvalidInputError),
        ("Ann", "", InvalidInputError),
        ("a\nb", "Ann", InvalidInputError),
    ):
        with pytest.raises(error):
            ghost.admin.set_source_alias(NS, alias, canonical)
    with pytest.raises(InvalidInputError):
        ghost.admin.set_source_alias("agent:*", "Bob", "Robert")
    assert declared(ghost) == [(NS, "Bob", "Robert")]


def test_removing_a_namespace_for_good_removes_its_aliases(talk: Ghost) -> None:
    """A removal that can be restored keeps them."""
    talk.admin.set_source_alias(NS, "Bob", "Robert")
    talk.admin.set_source_alias("other", "Bob", "Robert")
    talk.admin.rm_namespace(NS)
    assert len(declared(talk)) == 2
    talk.admin.rm_namespace(NS, hard=True)
    assert declared(talk) == [("other", "Bob", "Robert")]


def test_an_export_has_them(talk: Ghost) -> None:
    """They arrive to the byte; one that contradicts those of the target is left out and named."""
    talk.admin.set_source_alias(NS, "Bob", "Robert")
    talk.admin.set_source_alias("other", "Bob", "Robert")
    lines = list(talk.export())
    with Ghost.open(":memory:", settings=NONE, clock=Clock()) as target:
        assert target.import_(lines, trust=True).source_aliases == 2
        assert list(target.export()) == lines
        assert target.import_(lines, trust=True).source_aliases == 0
        assert declared(target) == declared(talk)
    with Ghost.open(":memory:", settings=NONE, clock=Clock()) as target:
        target.admin.set_source_alias(NS, "Robert", "Bertie")
        report = target.import_(lines, trust=True)
        assert report.source_aliases == 1
        assert any("'Bob'" in note for note in report.notes)
    assert len([line for line in talk.export("other") if '"source_alias"' in line]) == 1


def test_a_bad_line_is_refused(ghost: Ghost) -> None:
    """Nothing is imported, and the error names the line."""
    header = '{"type": "ghost", "format": 1}'
    line = (
        '{"type": "source_alias", "ns": "a b", "alias": "Bob", "canonical": "Robert",'
        ' "created_at": "2026-01-01T00:00:00Z"}'
    )
    with pytest.raises(InvalidInputError, match="line 2"):
        ghost.import_([header, line])
    assert declared(ghost) == []


@pytest.mark.parametrize("engine", ["file", "postgres"])
def test_a_migration_moves_them(
    request: pytest.FixtureRequest, tmp_path: Path, engine: str
) -> None:
    """A store that moves to another engine and back keeps them."""
    source, back = str(tmp_path / "source.db"), str(tmp_path / "back.db")
    target = str(tmp_path / "target.db")
    if engine == "postgres":
        target = request.getfixturevalue("pg_databases").fresh()
    with Ghost.open(source, settings=NONE) as ghost:
        ghost.put(NS, "tea", "Green tea.", source_user="Bob")
        for ns in (NS, "only:aliases"):
            ghost.admin.set_source_alias(ns, "Bob", "Robert")
            ghost.admin.set_source_alias(ns, "Bobby", "Robert")
        before = declared(ghost)
    migrate(source, target, settings=NONE)
    migrate(target, back, settings=NONE)
    for where in (target, back):
        with Ghost.open(where, settings=NONE) as ghost:
            assert declared(ghost) == before
            assert ghost.admin.check().problems == ()
