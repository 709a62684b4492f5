"""Split a message into statements, sentences that can be understood alone.

Only the writer's own words are kept: pasted text, quotations and tasks are left out. Only the
heading or the opening above a sentence is added to it.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from ghostmem.text.blocks import BlockKind, MarkdownBlock, blocks
from ghostmem.text.machine import without_machine_text
from ghostmem.text.pasted import without_pasted

MAX_SENTENCE = 1_200  # characters; a longer sentence was pasted
MAX_READ = 2_000_000  # characters of one text
_MAX_LEAD = 160  # characters of a heading or an opening that is added to a sentence

_LABEL = re.compile(
    r"^[ \t]*(?:\*\*)?(?P<who>user|human|me|you|client|customer|assistant|ai|agent|bot"
    r"|claude|chatgpt|gpt|gemini|codex"
    r"|copilot|system|tool|用户|我|助手|usuario|asistente|nutzer|benutzer|assistent)(?:\*\*)?[ "
    r"\t]*[:：](?:\*\*)?(?:[ \t]+|$)",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER = re.compile(
    r"[ \t]*(?:\*\*)?(?P<who>[^\s:：/*]{1,19})(?:\*\*)?"
    r"(?::(?:\*\*)?(?:[ \t]+|$)|：(?:\*\*)?[ \t]*)"
)
_OTHER_SPEAKERS = frozenset(
    "assistant ai agent bot claude chatgpt gpt gemini codex copilot system tool 助手 "
    "asistente assistent".split()
)
# a run of marks is tried only from its first mark: a long run that ends no sentence would be read
# again from each mark otherwise
_END = re.compile(r"(?<![.!?…؟।])[.!?…؟।]++[\"')\]»”’]*+(?=\s)|[。！？；]+[」』”’）]*")
_ABBREVIATIONS = frozenset(
    "e.g i.e dr mr mrs ms mx prof st jr sr vs cf etc approx nr fig eq al inc ltd co corp "
    "z.b bzw d.h usw ca sra uds".split()
)
# a quotation before the answer
_QUOTE = re.compile(r"^[ \t]*[\"“][^\"“”]{20,4000}[\"”](?=[ \t]*(?:[-–—:.,]|$))", re.MULTILINE)
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_NUMBERED = re.compile(r"[ \t]*\d{1,9}[.)][ \t]")
_TASK = re.compile(
    r"\[[ xX✓✔-]\]|(?:todos?|to-do|fixme|xxx|action items?)\b|待办|pendientes?\s*:", re.IGNORECASE
)
_ENTRY = re.compile(r"\w[\w ]{0,29}[:：] ?\S")
_LEANS = re.compile(  # the start of a sentence that needs the sentence before it
    r"(?:it|its|it['’]s|this|that|that['’]s|these|those|they|them|he|she|his|her|their|there"
    r"|both|same|otherwise|because|so that|then|eso|esto|esta|ese|él|ella|porque|es|das"
    r"|dies\w*|sie|er|sonst|weil|deshalb)\b(?! (?:turned|turns) out)"
    r"|[这那它他她]|否则|不然|因为|所以",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|sure|great|cool|nice|perfect|你好|谢谢|hola"
    r"|gracias|hallo|danke)\b",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """A sentence, a text of it that can be understood alone, and whether it is a list of steps."""

    sentence: str
    content: str
    is_list: bool = False


def own_text(text: str) -> str:
    """Return the writer's part of a message: without pasted text and quotations."""
    text = without_pasted(without_machine_text(text[:MAX_READ].replace("\r\n", "\n")))
    text = _own_words(text)
    return _QUOTE.sub("", text) if '"' in text or "“" in text else text


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a message, in order."""
    text = own_text(text)
    heading, opening = "", ""
    for block in blocks(text):
        match block.kind:
            case BlockKind.HEADING:
                title = text[block.start : block.stop].partition("\n")[0].strip("# \t\r")
                is_title = len(title) <= _MAX_LEAD and any(map(str.isalpha, title))
                heading, opening = title if is_title else "", ""
            case BlockKind.WHOLE:
                opening = ""
            case BlockKind.PROSE:
                lines = text[text.rfind("\n", 0, block.start) + 1 : block.stop]
                opening = ""
                for statement in _prose(lines, heading):
                    yield statement
                    opening = _lead(statement.sentence)
            case BlockKind.LIST:
                yield from _listed(text, block, opening or heading)
                opening = ""


def _own_words(text: str) -> str:
    """Return the user's turns of a conversation with labels, such as `User: … Assistant: …`."""
    labels = list(_LABEL.finditer(text))
    speakers = {label["who"].lower() for label in labels}
    if not speakers & _OTHER_SPEAKERS or speakers <= _OTHER_SPEAKERS:
        return text if not speakers or speakers - _OTHER_SPEAKERS else ""
    ends = [label.start() for label in labels[1:]] + [len(text)]
    turns = [
        text[label.end() : end].strip()
        for label, end in zip(labels, ends, strict=True)
        if label["who"].lower() not in _OTHER_SPEAKERS
    ]
    return "\n\n".join(turns)


def lines_of_speaker(text: str, speaker: str) -> str:
    """Return the lines of a speaker in a text with labels such as `User: …`, without the labels.

    A line without a label belongs to the label above it; lines before the first label are kept."""
    wanted: list[str] = []
    is_wanted = True
    for line in text.split("\n"):
        label = _SPEAKER.match(line)
        if label is not None:
            is_wanted = label["who"].casefold() == speaker.casefold()
            line = line[label.end() :]
        if is_wanted:
            wanted.append(line)
    return "\n".join(wanted)


def is_entry(sentence: str) -> bool:
    """Say whether a sentence is a name with a value, such as `Editor: vim`."""
    return bool(_ENTRY.match(sentence))


def _lead(sentence: str) -> str:
    return sentence if sentence.endswith((":", "：")) and len(sentence) <= _MAX_LEAD else ""


def _prose(text: str, heading: str) -> Iterator[Statement]:
    """Yield the sentences of a paragraph, with the sentence before where one needs it."""
    before, lead = "", ""
    for sentence in _line_sentences(text):
        if len(sentence) > MAX_SENTENCE or _TASK.match(sentence):
            before, lead = "", ""
            continue
        if lead and is_entry(sentence):
            yield Statement(sentence, _under(lead, sentence))
            continue
        lead = _lead(sentence)
        leans = bool(_LEANS.match(sentence))
        content = f"{before} {sentence}" if before and leans else sentence
        yield Statement(sentence, _under(heading, content) if leans and not before else content)
        before = "" if _PLEASANTRY.match(sentence) and len(sentence) < 40 else sentence


def _line_sentences(text: str) -> Iterator[str]:
    return chain.from_iterable(map(sentences, _joined_lines(text)))


def _joined_lines(text: str) -> Iterator[str]:
    """Yield the lines of a paragraph without quotations and tables; wrapped lines joined."""
    open_part = ""
    for stripped in map(str.strip, text.split("\n")):
        is_foreign = stripped.startswith((">", "|"))
        is_open = 0 < len(open_part) < 4 * MAX_SENTENCE and open_part[-1] not in ".!?:…。！？："
        continues = stripped[:1].islower() or open_part.endswith(",")
        if is_open and continues and stripped and not is_foreign:
            open_part = f"{open_part} {stripped}"
            continue
        if open_part:
            yield open_part
        open_part = "" if is_foreign else stripped
    if open_part:
        yield open_part


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; abbreviations and initials do not end one."""
    start = 0
    for end in _END.finditer(text):
        word = (text[max(0, end.start() - 12) : end.start()].split() or [""])[-1].lstrip("(\"'")
        is_initial = len(word) == 1 and word.isupper() and word != "I"
        if end[0] == "." and (is_initial or word.lower() in _ABBREVIATIONS):
            continue
        if sentence := text[start : end.end()].strip():
            yield sentence
        start = end.end()
    if sentence := text[start:].strip():
        yield sentence


def _listed(text: str, block: MarkdownBlock, lead: str) -> Iterator[Statement]:
    """Yield a numbered list below its lead as one statement, else the sentences of its items."""
    if _TASK.match(lead):
        return
    stops = [*block.items[1:], block.stop]
    raw = [text[start:stop].rstrip() for start, stop in zip(block.items, stops, strict=True)]
    items = [(_BULLET.sub("", item, count=1).strip(), bool(_NUMBERED.match(item))) for item in raw]
    items = [(item, numbered) for item, numbered in items if item and not _TASK.match(item)]
    if len(items) > 1 and lead and all(numbered for _, numbered in items):
        steps = (item.strip() for item in raw)
        content = "\n".join([lead.rstrip(), *(step for step in steps if not _TASK.match(step))])
        if len(content) <= MAX_SENTENCE:
            yield Statement(lead, content, is_list=True)
            return
    for sentence in chain.from_iterable(_line_sentences(item) for item, _ in items):
        if len(sentence) <= MAX_SENTENCE and not _TASK.match(sentence):
            yield Statement(sentence, _under(lead, sentence))


def _under(lead: str, sentence: str) -> str:
    lead = lead.rstrip(" :：")
    return f"{lead}: {sentence}" if lead else sentence
