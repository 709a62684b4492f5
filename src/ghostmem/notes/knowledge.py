"""The knowledge of a project in its folder .ai-knowledge: a file per topic, and an index.

Every function takes the folder of the project and returns a text for the caller. A writer changes
the topic file first and then the index, each atomically, so that a process killed in between leaves
a topic that every reader finds."""

import os
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from ghostmem.errors import ConflictError, InvalidInputError, NotFoundError
from ghostmem.notes import topic_files
from ghostmem.notes.files import (
    DEVICE,
    MISSING,
    Text,
    checked_text,
    file_names,
    inside,
    is_text,
    read_file,
    replace_file,
)
from ghostmem.notes.lock import locked

FOLDER = ".ai-knowledge"
SUFFIX = ".mdk"
INDEX = "index"
NOTHING = "No topics found"
MAX_NAME_BYTES = 128


def recall_general_memory(root: Path) -> str:
    """Return the text of the index."""
    text = read_file(_path(root, INDEX)).text
    if text.strip():
        return text
    topics = _topics(root)
    return (
        f"The index is empty. There are topics: {', '.join(topics)}"
        if topics
        else "Nothing is memorized yet."
    )


def recall_memory(root: Path, topic: str) -> str:
    """Return a topic as markdown: name, tags, time of the last update, content."""
    parsed = topic_files.read_topic(_existing(root, topic).text)
    tags = f" {', '.join(parsed.tags)}" if parsed.tags else ""
    return (
        f"# {topic}\n\n**Tags:**{tags}\n**Last updated:** "
        f"{parsed.updated or 'unknown'}\n\n{parsed.body}\n"
    )


def search_memories(root: Path, tags: Iterable[str]) -> str:
    """Return the names of the topics with any of the tags, ignoring case."""
    wanted = {topic_files.folded(tag) for tag in tags}
    matches = [
        topic
        for topic in _topics(root)
        for parsed in [topic_files.read_topic(read_file(_path(root, topic)).text)]
        if wanted & {topic_files.folded(tag) for tag in parsed.tags}
    ]
    return ", ".join(matches) or NOTHING


def list_memories(root: Path) -> str:
    """Return the names of all topics."""
    return ", ".join(_topics(root)) or NOTHING


def memorize_new_topic(
    root: Path, topic: str, tags: Iterable[str], summary: str, content: str, now: datetime
) -> str:
    """Write the file of a topic that does not exist yet, and add its summary to the index."""
    path, clean_tags = _path(root, _checked(topic)), _clean_tags(tags)
    line, body = (
        topic_files.summary_line(_text(summary, "summary")),
        _text(content, "content"),
    )
    with locked(_folder(root)):
        index = _read_index(root)
        _check_new(root, topic, index.text)
        replace_file(path, topic_files.new_topic(topic, clean_tags, now, body).encode(), MISSING)
        _write_index(
            root,
            index,
            topic_files.with_entries(index.text, {topic: line}),
            [*_names(index.text), topic],
        )
    return f"Memorized the topic {topic}."


def refine_memory(
    root: Path,
    topic: str,
    tags_to_add: Iterable[str] = (),
    tags_to_remove: Iterable[str] = (),
    new_summary: str | None = None,
    new_content: str | None = None,
    *,
    now: datetime,
) -> str:
    """Change a topic's tags, its content or its summary in the index, without other bytes."""
    add, remove = _clean_tags(tags_to_add), _clean_tags(tags_to_remove)
    contradictory = [
        tag
        for tag in add
        if topic_files.folded(tag) in {topic_files.folded(removed) for removed in remove}
    ]
    if contradictory:
        raise InvalidInputError(
            f"the tag {contradictory[0]!r} is both to add and to remove",
            "put it in only one of the two lists",
        )
    line = (
        None if new_summary is None else topic_files.summary_line(_text(new_summary, "new summary"))
    )
    body = None if new_content is None else _text(new_content, "new content")
    _existing(root, topic)
    with locked(_folder(root)):
        file, index = _lossless(_existing(root, topic), f"{topic}{SUFFIX}"), _read_index(root)
        text = topic_files.refined_topic(file.text, topic, now, add, remove, body)
        replace_file(_path(root, topic), file.encode(text), file.digest)
        entry = next(
            (entry for entry in topic_files.entries(index.text) if entry.topic == topic), None
        )
        names = _names(index.text)
        if entry is None:
            line = line or topic_files.first_sentence(topic_files.read_topic(text).body, topic)
            _write_index(
                root, index, topic_files.with_entries(index.text, {topic: line}), [*names, topic]
            )
        elif line is not None:
            _write_index(root, index, topic_files.with_summary(index.text, entry, line), names)
    return f"Refined the topic {topic}."


def memorize_general_info(root: Path, content: str) -> str:
    """Replace the general knowledge of the index."""
    body = topic_files.trimmed(topic_files.without_own_heading(_text(content, "content")))
    fence = topic_files.open_fence(body)
    if fence:
        raise InvalidInputError(
            f"the content opens a code fence with {fence[:60]!r} that is never closed", "close it"
        )
    if not body:
        raise InvalidInputError("the content is only a heading", "send the text below it")
    if topic_files.has_special_heading(body):
        raise InvalidInputError(
            f"the content has the heading {topic_files.SPECIAL!r}, below which the index "
            "lists its topics",
            "leave that heading out; memorize_new_topic adds a topic",
        )
    with locked(_folder(root)):
        index = _read_index(root)
        if not topic_files.is_marked(index.text) and topic_files.has_special_heading(
            topic_files.general_text(index.text), fenced=True
        ):  # an open fence would hide the topics
            raise ConflictError(
                f"in index{SUFFIX} the heading {topic_files.SPECIAL!r} is in a code fence of "
                "the general knowledge",
                f"close the fence above that heading in {FOLDER}/index{SUFFIX}, then try again",
            )
        _write_index(
            root, index, topic_files.with_general(index.text, body), _names(index.text), body
        )
    return "Memorized the general project information."


def forget_memory(root: Path, topic: str) -> str:
    """Remove a topic from the index, and delete its file if possible."""
    path = _folder(root) / f"{_checked(topic)}{SUFFIX}"
    _path(root, topic)
    if not _folder(root).is_dir():
        raise _unknown(root, topic)
    with locked(_folder(root)):
        index = _read_index(root)
        names = _names(index.text)
        if topic not in names and not os.path.lexists(path):
            raise _unknown(root, topic)
        problem = _delete(path)
        if topic in names:
            _write_index(
                root,
                index,
                topic_files.without_entry(index.text, topic),
                [name for name in names if name != topic],
            )
    return f"Forgot the topic {topic}{problem}."


# Names and paths


def _checked(topic: str) -> str:
    """Return the name of a topic if it can be a file name on every system."""
    wrong = next((reason for reason, bad in _RULES if bad(topic)), None)
    if wrong is not None:
        excerpt = topic if len(topic) <= MAX_NAME_BYTES else f"{topic[:MAX_NAME_BYTES]}…"
        raise InvalidInputError(
            f"the topic {excerpt!r} {wrong}",
            "use a few plain words as its name, such as auth-tokens",
        )
    return topic


_RULES = (
    ("is empty", lambda topic: not topic.strip()),
    ("contains / or \\", lambda topic: "/" in topic or "\\" in topic),
    ("is a folder of the system", lambda topic: topic in (".", "..")),
    ("is the name of the index", lambda topic: topic.casefold() == INDEX),
    (
        "has a character that cannot be seen",
        lambda topic: not is_text(topic),
    ),
    ("starts with a dot", lambda topic: topic.startswith(".")),
    ("starts or ends with a space", lambda topic: topic != topic.strip()),
    ("ends with a dot", lambda topic: topic.endswith(".")),
    (f"is longer than {MAX_NAME_BYTES} bytes", lambda topic: len(topic.encode()) > MAX_NAME_BYTES),
    (
        'has one of the characters < > : " | ? *',
        lambda topic: any(char in '<>:"|?*' for char in topic),
    ),
    ("is the name of a device on Windows", lambda topic: DEVICE.fullmatch(topic) is not None),
)


def same_file_name(name: str) -> str:
    """Return a form that is equal for all names that are one file on some system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _folder(root: Path) -> Path:
    if not root.is_dir():
        raise InvalidInputError(
            f"there is no folder {root}", "start again with another root folder"
        )
    return inside(root, FOLDER)


def _path(root: Path, topic: str) -> Path:
    _folder(root)
    return inside(root, os.path.join(FOLDER, f"{topic}{SUFFIX}"))


def _topics(root: Path) -> list[str]:
    topics = [
        name.removesuffix(SUFFIX) for name in file_names(_folder(root)) if name.endswith(SUFFIX)
    ]
    return sorted(topic for topic in topics if _is_topic(root, topic))


def _is_topic(root: Path, topic: str) -> bool:
    with suppress(InvalidInputError):  # a link that leads out of the folder
        return not any(bad(topic) for _, bad in _RULES) and _path(root, topic).is_file()
    return False


# Existing topics


def _existing(root: Path, topic: str) -> Text:
    file = read_file(_path(root, _checked(topic)))
    if file.digest == MISSING:
        raise _unknown(root, topic)
    return file


def _unknown(root: Path, topic: str) -> NotFoundError:
    if topic in _names(read_file(_path(root, INDEX)).text):
        hint = "forget_memory removes it from the index; then memorize_new_topic can write it anew"
        return NotFoundError(f"the index lists the topic {topic!r}, but its file is gone", hint)
    near = {same_file_name(name): name for name in _topics(root)}
    close = [near[name] for name in get_close_matches(same_file_name(topic), near, n=3)]
    hint = f"did you mean {' or '.join(close)}?" if close else "list_memories shows the topics"
    return NotFoundError(f"there is no topic {topic!r}", hint)


def _names(index: str) -> list[str]:
    return [entry.topic for entry in topic_files.entries(index)]


def _check_new(root: Path, topic: str, index: str) -> None:
    """Refuse a topic that exists, or that is the same file as another on some system."""
    files, names = _topics(root), _names(index)
    twin = next(
        (name for name in [*files, *names] if same_file_name(name) == same_file_name(topic)), None
    )
    if twin is None and not os.path.lexists(_folder(root) / f"{topic}{SUFFIX}"):
        return
    if twin not in (None, topic):
        raise ConflictError(
            f"there is a topic {twin!r}, and {topic!r} is the same file on some systems",
            f"refine {twin!r}",
        )
    if topic in names and topic not in files:
        hint = "forget_memory removes it from the index; then memorize it again"
        raise ConflictError(
            f"the index lists the topic {topic!r} already, but its file is gone", hint
        )
    lost = "" if topic in names else ", though the index does not list it"
    hint = "refine_memory changes it" + (", and adds it to the index" if lost else "")
    raise ConflictError(f"the topic {topic!r} exists already{lost}", hint)


# Writing


def _read_index(root: Path) -> Text:
    return _lossless(read_file(_path(root, INDEX)), f"{INDEX}{SUFFIX}")


def _lossless(file: Text, name: str) -> Text:
    """Return a file that is valid UTF-8, so that it can be written without loss."""
    if file.lossy:
        raise InvalidInputError(
            f"{name} is not UTF-8, so that it cannot be changed without loss",
            "save it as UTF-8 first",
        )
    return file


def _write_index(
    root: Path, index: Text, text: str, names: Sequence[str], general: str | None = None
) -> None:
    """Write the index if it reads back with exactly these topics and general knowledge."""
    if _names(text) != list(names) or (
        general is not None and topic_files.general_text(text) != general
    ):
        raise ConflictError(
            f"index{SUFFIX} has a layout that cannot be changed safely; it was not changed",
            f"look for code fences and headings that are not closed in {FOLDER}/index{SUFFIX}",
        )
    replace_file(_path(root, INDEX), index.encode(text), index.digest)


def _delete(path: Path) -> str:
    try:
        path.unlink()
    except FileNotFoundError:
        return "; its file was gone already"
    except OSError as error:
        return (
            ": it is no longer in the index, but its file could not be deleted: "
            f"{error.strerror or error}"
        )
    return ""


def _text(text: str, what: str) -> str:
    return topic_files.trimmed(checked_text(text, what, f"give the {what} some text"))


def _clean_tags(tags: Iterable[str]) -> list[str]:
    """Return tags on one line each, without empty and duplicate ones."""
    unique: dict[str, str] = {}
    for tag in tags:
        line = " ".join(checked_text(tag, "tag", "").split()) if tag.strip() else ""
        if any(unicodedata.category(char) == "Cc" for char in line):
            raise InvalidInputError(
                f"the tag {line!r} has a control character", "use plain words for the tag"
            )
        if line:
            unique.setdefault(line.casefold(), line)
    return list(unique.values())
