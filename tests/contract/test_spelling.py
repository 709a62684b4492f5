"""Typos, other spellings, endings, keys and tags: a search finds its memory on every engine."""

from typing import Any

import pytest

from ghostmem import Ghost

NS = "agent:me"
TEXTS = {
    "cluster": "The Kubernetes version is 1.30 on every node.",
    "needle": "Needle injuries: fill in form 10482 at once.",
    "loyalty": "Loyalty points expire after two years.",
    "invoice": "Die Rechnung liegt im Ordner auf dem Schreibtisch.",
    "factura": "La factura está en la carpeta azul.",
    "account": "Счёт лежит в папке у двери.",
    "router": "The Wi-Fi password is on the router.",
    "scanner": "The set up of the scanner takes ten minutes.",
    "mail": "Send an email to the bookkeeper on Friday.",
    "paint": "The hallway has the color Sage Drift.",
}


@pytest.fixture
def filled(ghost: Ghost) -> Ghost:
    """Return a store with a few memories."""
    for key, text in TEXTS.items():
        ghost.put(NS, key, text)
    return ghost


def keys(ghost: Ghost, question: str, ns: str = NS) -> list[str]:
    """Return the keys of what is found."""
    return [hit.key for hit in ghost.search(question, ns)]


@pytest.mark.wide(keep=9)
@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("kuberntes", "cluster"),  # a letter is missing
        ("kubernettes", "cluster"),  # one too many
        ("kubernitis", "cluster"),  # two wrong
        ("ukbernetse", "cluster"),  # two swaps
        ("xubernetes", "cluster"),  # the first letter
        ("wich kuberntes verison do we hav", "cluster"),
        ("neadle injurey", "needle"),
        ("loyality ponits", "loyalty"),
        ("expier", "loyalty"),  # a typo in an ending
        ("bookkeper", "mail"),
        ("halway", "paint"),
        ("shreibtisch", "invoice"),
    ],
)
def test_typos(filled: Ghost, question: str, key: str) -> None:
    """One or two edits in a word that the namespace does not know."""
    assert keys(filled, question)[:1] == [key]


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("wifi", "router"),
        ("wi-fi", "router"),
        ("WiFi", "router"),
        ("Wi Fi", "router"),
        ("setup", "scanner"),
        ("set-up", "scanner"),
        ("e-mail", "mail"),
        ("e mail", "mail"),
        ("E-Mail bookkeeper", "mail"),
        ("colour", "paint"),
        ("hall-way", "paint"),
        ("Rechnungen", "invoice"),
        ("facturas", "factura"),
        ("счета", "account"),
        ("папку", "account"),
    ],
)
def test_other_spellings(filled: Ghost, question: str, key: str) -> None:
    """Compounds written as one word, two words or with a hyphen, and endings of other languages."""
    assert keys(filled, question)[:1] == [key]


def test_one_spelling_does_not_hide_the_other(ghost: Ghost) -> None:
    """A namespace that knows `wifi` still finds `Wi-Fi`."""
    ghost.put(NS, "one", "The wifi of the office is slow.")
    ghost.put(NS, "other", "Wi-Fi in the garage needs a repeater.")
    assert set(keys(ghost, "wifi")) == set(keys(ghost, "Wi-Fi")) == {"one", "other"}


def test_the_word_itself_comes_first(ghost: Ghost) -> None:
    """A near spelling is worth less than the word, and it is only looked for when the word is unknown."""
    ghost.put(NS, "near", "Harbour master: Mr Lindqvast.")
    assert keys(ghost, "lindqvist") == ["near"]
    ghost.put(NS, "itself", "Chief engineer: Ms Lindqvist.")
    assert keys(ghost, "lindqvist") == ["itself"]


def test_the_receipt_names_the_spelling(filled: Ghost) -> None:
    """A hit that a near spelling brought says so; one of ordinary words does not."""
    hits = filled.search("kuberntes", NS, explain=True)
    assert hits[0].why is not None
    assert hits[0].why.legs["spelling"] == 1
    assert "spelling" in hits.legs
    hits = filled.search("kubernetes version", NS, explain=True)
    assert hits[0].why is not None
    assert "spelling" not in {*hits[0].why.legs, *hits.legs}


@pytest.mark.parametrize("question", ["10483", "zanzibar", "metropolitan helicopters"])
def test_nothing_near_is_nothing(filled: Ghost, question: str) -> None:
    """Codes and numbers are met exactly, and a word that is near to none finds nothing."""
    assert keys(filled, question) == []


def test_words_stay_in_their_namespace_and_go_with_their_memory(filled: Ghost) -> None:
    """What another namespace or a removed memory had does not stand for a misspelled word."""
    filled.put("agent:other", "ship", "The Fibrenne contract starts in July.")
    assert keys(filled, "fibrene", "agent:other") == ["ship"]
    assert keys(filled, "fibrene") == []
    filled.put("agent:other", "ship", "The contract starts in July.")
    assert keys(filled, "fibrene", "agent:other") == []
    filled.rm(NS, "cluster")
    assert keys(filled, "kuberntes") == []
    filled.restore(NS, "cluster")
    assert keys(filled, "kuberntes") == ["cluster"]
    assert filled.admin.repair().ok
    assert keys(filled, "kuberntes") == ["cluster"]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize(
    ("key", "question"),
    [
        ("deploy-window", "deploy window"),
        ("deploy-window", "deploy-window"),
        ("deploy-window", "deploywindow"),
        ("deployWindow", "deploy window"),
        ("deployWindow", "deploywindow"),
        ("ops/deploy_window.md", "deploy window"),
        ("ops/deploy_window.md", "ops/deploy_window.md"),
    ],
)
def test_keys_are_words(ghost: Ghost, key: str, question: str) -> None:
    """A key's words are found, however they are joined."""
    ghost.put(NS, key, "Tuesdays from nine to eleven.")
    ghost.put(NS, "tea", "Green, never black.")
    assert keys(ghost, question) == [key]


def test_tags_are_words(ghost: Ghost, clock: Any) -> None:
    """A memory is found by its tags, whichever way they change, and no longer by those it lost."""
    ghost.put(NS, "due", "On the first of the month.", tags=["billing", "team:mango-squad"])
    ghost.put(NS, "tea", "Green, never black.")
    assert keys(ghost, "billing") == keys(ghost, "mango squad") == keys(ghost, "biling") == ["due"]
    ghost.admin.rename_tag("billing", "payroll")
    assert keys(ghost, "billing") == []
    assert keys(ghost, "payroll") == keys(ghost, "pay-roll") == ["due"]
    ghost.put(NS, "due", "On the third of the month.")
    assert keys(ghost, "payroll third") == ["due"]
    ghost.patch(NS, "due", "@@ -1 +1 @@\n-On the third of the month.\n+On the last of the month.\n")
    assert keys(ghost, "payroll") == ["due"]
    ghost.rm(NS, "due")
    assert keys(ghost, "payroll") == []
    ghost.restore(NS, "due")
    assert keys(ghost, "payroll") == ["due"]
    ghost.restore(NS, "due", version=2)
    assert keys(ghost, "payroll third") == ["due"]
    ghost.admin.rm_tag("payroll")
    assert keys(ghost, "payroll") == []
    ghost.put(NS, "due", "On the third of the month.", tags=["wages"])
    assert keys(ghost, "wages") == ["due"]
    assert ghost.admin.repair().ok
    assert keys(ghost, "wages") == ["due"]


def test_a_tag_changes_no_other_word_and_no_vector(ghost: Ghost) -> None:
    """Renaming a tag keeps a memory's chunks, and words of its text that equal a tag stay."""
    ghost.put(
        NS,
        "due",
        "Billing runs on the first.\n\n" + "Numbers follow. " * 120,
        tags=["billing", "finance"],
    )
    memory = ghost.get(NS, "due")
    with ghost.store.engine.read() as tx:
        before = tx.index.numbers(memory.id), [chunk.text for chunk in tx.index.chunks(memory)]
    ghost.admin.rm_tag("billing")
    with ghost.store.engine.read() as tx:
        assert (
            tx.index.numbers(memory.id),
            [chunk.text for chunk in tx.index.chunks(memory)],
        ) == before
    assert keys(ghost, "billing") == ["due"]
    assert keys(ghost, "finance") == ["due"]


@pytest.mark.parametrize(
    "tags", [["transcript"], ["captured", "decision"], ["mined", "procedure"], ["locked"]]
)
def test_tags_of_the_machinery_are_no_words(ghost: Ghost, tags: list[str]) -> None:
    """Tags that Ghost sets itself say nothing of what a memory is about."""
    for number in range(3):
        ghost.put(NS, f"note-{number}", f"Tea number {number} is green.", tags=tags)
    assert [keys(ghost, tag) for tag in tags] == [[]] * len(tags)
    ghost.put(NS, "mine", "We chose PostgreSQL.", tags=["decision"])
    assert keys(ghost, "decision") == ["mine"]


def test_an_import_brings_tags(ghost: Ghost, open_ghost: Any) -> None:
    """What arrives from another store is found by its tags."""
    source = open_ghost("source.db")
    source.put(NS, "due", "On the first of the month.", tags=["billing"])
    ghost.import_(source.export())
    assert keys(ghost, "billing") == ["due"]


def test_a_check_finds_tags_that_are_not_indexed(ghost: Ghost) -> None:
    """A tag that came past the index is reported, and a repair adds it."""
    ghost.put(NS, "due", "On the first of the month.", tags=["billing"])
    with ghost.store.engine.write() as tx:
        memory = tx.memories.last(NS, "due")
        assert memory is not None
        tx.memories.change(memory, "tag", ghost.store.clock(), tags=("payroll",))
    assert ghost.admin.check().problems == ("1 memories that are not found by all their tags",)
    assert ghost.admin.repair().ok
    assert keys(ghost, "payroll") == ["due"]
