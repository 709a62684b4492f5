"""Three-way merge of a memory and a unit, based on their state at the last run."""

from typing import NamedTuple

from ghostmem.notes.mirrors.units import fingerprint, strip_blank_lines
from ghostmem.notes.topic_file import folded
from ghostmem.store.mirror import MirrorItem


class Content(NamedTuple):
    """The text of a memory or a unit, and the tags that both can carry."""

    text: str
    tags: tuple[str, ...] = ()


class MergeResult(NamedTuple):
    """The content for both sides (None: remove), and a text to keep under another key."""

    keep: Content | None
    displaced: str | None = None


def merge(
    base: MirrorItem | None, memory: Content | None, unit: Content | None, *, locked: bool = False
) -> MergeResult:
    """Merge both sides: an edit wins over a removal, and of two edited texts none is lost.

    If both were edited, the folder's text keeps the key, unless the memory is locked."""
    if memory is None or unit is None:
        present = memory or unit
        removed = (
            present is not None
            and base is not None
            and is_unchanged(base, present)
            and not (locked and memory is not None)
        )
        return MergeResult(None if removed else present)
    base_tags: frozenset[str] = base.tags if base else frozenset()
    tags = memory.tags if locked else merge_tags(base_tags, memory.tags, unit.tags)
    memory_hash, unit_hash = fingerprint(memory.text), fingerprint(unit.text)
    if memory_hash == unit_hash or (base is not None and base.hash == unit_hash):
        return MergeResult(Content(memory.text, tags))
    if locked:
        return MergeResult(Content(memory.text, tags), unit.text)
    is_memory_edited = base is None or base.hash != memory_hash
    displaced = strip_blank_lines(memory.text) if is_memory_edited else None
    return MergeResult(Content(unit.text, tags), displaced)


def is_unchanged(base: MirrorItem, content: Content) -> bool:
    """Say whether a content is the one of the last run."""
    return base.hash == fingerprint(content.text) and base.tags == tag_set(content.tags)


def is_same(left: Content, right: Content) -> bool:
    """Say whether two contents have the same text and tags."""
    same_text = fingerprint(left.text) == fingerprint(right.text)
    return same_text and tag_set(left.tags) == tag_set(right.tags)


def merge_tags(
    base: frozenset[str], memory: tuple[str, ...], unit: tuple[str, ...]
) -> tuple[str, ...]:
    """Merge tags: those that either side removed are gone, those that either added are kept."""
    removed = base - tag_set(unit)
    known = tag_set(memory) | base
    return (
        *(tag for tag in memory if folded(tag) not in removed),
        *(tag for tag in unit if folded(tag) not in known),
    )


def tag_set(tags: tuple[str, ...]) -> frozenset[str]:
    """Return tags in the form in which they are compared."""
    return frozenset(folded(tag) for tag in tags)
