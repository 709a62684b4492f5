"""Read wikilinks, labelled relations and tags from the text of notes, outside fenced code."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ghostmem.model import Rel
from ghostmem.text.blocks import code_end, line_end

LINKS = "links to"  # the relation of a plain link

_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_RELATION = re.compile(
    r"[ \t]*[-*+][ \t]+(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\[\]\"']+))[ \t]*\[\[([^\[\]\n]+)\]\]"
)
_OBSERVATION = re.compile(r"[ \t]*[-*+][ \t]+(?!\[[ xX-]\])\S")
_TAGS = re.compile(r"(?<!\S)((?:#[^\s#()]+)+)")
_WORD_TAG = re.compile(r"(?<![^\s(])(?<!\]\()#(\w[\w/-]*)")
_CODE = re.compile(r"(`+)[^`]+\1")

_BETWEEN = re.compile(r"[\W_]+")

# A part is not a child that its whole could replace in a context, so `contains` and `part of` are
# plain relations. The words of the second list have the opposite direction.
_PHRASES: dict[Rel, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Rel.CONTRADICTS: (("contradicts", "conflicts with", "disagrees with"), ("contradicted by",)),
    Rel.DEPENDS_ON: (
        ("depends on", "requires", "needs", "relies on"),
        ("required by", "needed by", "dependency of"),
    ),
    Rel.REFINES: (
        ("refines", "extends", "elaborates", "improves"),
        ("refined by", "extended by", "improved by"),
    ),
    Rel.CAUSED_BY: (("caused by", "results from"), ("causes", "leads to", "results in")),
    Rel.PREVENTS: (("prevents", "blocks", "avoids"), ("prevented by", "blocked by")),
    Rel.IMPLIES: (("implies", "means"), ("implied by",)),
}
_WORDS = {
    word: (rel, bool(reverse))
    for rel, directions in _PHRASES.items()
    for reverse, phrases in enumerate(directions)
    for word in phrases
}


def prose_lines(body: str) -> Iterator[str]:
    """Yield the lines outside fenced code."""
    at = 0
    while at < len(body):
        after = code_end(body, at)
        end = line_end(body, at if after is None else after)
        if after is None:
            yield body[at:end]
        at = end + 1


def observed_tags(lines: Iterable[str]) -> list[str]:
    """Return the tags of observations (`- [category] text #tag`, the category is optional)."""
    groups = (group for line in lines if _OBSERVATION.match(line) for group in _TAGS.findall(line))
    return [tag for group in groups for tag in group.split("#") if tag]


def inline_tags(lines: Iterable[str]) -> list[str]:
    """Return `#tags` in the text; a tag has at least one character that is not a digit."""
    tags = (tag for line in lines if "#" in line for tag in _WORD_TAG.findall(_CODE.sub("", line)))
    return [tag for tag in tags if not tag.isdigit()]


def relations(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield relations as (word, target): the label of a list item, or LINKS for a plain link."""
    for line in lines:
        if "[[" not in line:
            continue
        line = _CODE.sub("", line)
        relation = _RELATION.match(line)
        if relation is not None:
            yield (relation[1] or relation[2] or relation[3]).strip(), link_target(relation[4])
        for link in _LINK.finditer(line, relation.end() if relation else 0):
            yield LINKS, link_target(link[1])


def wikilinks(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield every link as (LINKS, target), with the heading in the target."""
    for line in lines:
        for link in _LINK.finditer(_CODE.sub("", line)) if "[[" in line else ():
            yield LINKS, _before_pipe(link[1])


def link_target(link: str) -> str:
    """Return the note of a link, without its display text and its heading."""
    return _before_pipe(link).partition("#")[0].strip() or link.strip()


def _before_pipe(link: str) -> str:
    """Return a link without its display text; in a table the bar is escaped."""
    return link.partition("|")[0].rstrip("\\").strip()


def link_name(text: str) -> str:
    """Return a name in the form in which links are compared."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold().removesuffix(".md")


def relation_of(word: str) -> tuple[Rel, bool]:
    """Return the relation of a word, and whether it has the opposite direction."""
    return _WORDS.get(_BETWEEN.sub(" ", word).strip().lower(), (Rel.RELATES_TO, False))
