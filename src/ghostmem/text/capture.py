"""Take a message apart into what it states, sentence by sentence, each such that it can be
understood alone.

Only the writer's own words are kept: code, logs, quotations, tasks and what programs wrote are left
out, and nothing is added but the heading or the opening words that a sentence stands under."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ghostmem.text.blocks import Block, Kind, blocks
from ghostmem.text.machine import is_machine_line, without_machine_text

LONGEST = 1_200  # characters; a longer sentence was pasted
MOST_READ = 2_000_000  # characters of one text
_LEAD = 160  # characters; a longer opening or heading says more than what stands under it

_LABEL = re.compile(
    r"^[ \t]*(?:\*\*)?(?P<who>user|human|me|you|client|customer|assistant|ai|agent|bot"
    r"|claude|chatgpt|gpt|gemini|codex"
    r"|copilot|system|tool|用户|我|助手|usuario|asistente|nutzer|benutzer|assistent)(?:\*\*)?[ "
    r"\t]*[:：](?:\*\*)?(?:[ \t]+|$)",
    re.IGNORECASE | re.MULTILINE,
)
_OTHERS = frozenset(
    "assistant ai agent bot claude chatgpt gpt gemini codex copilot system tool 助手 "
    "asistente assistent".split()
)
# a run of marks is tried once, from its first mark: a long run that ends no sentence would else be
# read again from each mark
_END = re.compile(r"(?<![.!?…؟।])[.!?…؟।]++[\"')\]»”’]*+(?=\s)|[。！？；]+[」』”’）]*")
_SHORT = frozenset(
    "e.g i.e dr mr mrs ms mx prof st jr sr vs cf etc approx nr fig eq al inc ltd co corp "
    "z.b bzw d.h usw ca sra uds".split()
)
_QUOTE = re.compile(
    r"^[ \t]*[\"“][^\"“”]{20,4000}[\"”](?=[ \t]*(?:[-–—:.,]|$))", re.MULTILINE
)  # what another said, before the answer
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_NUMBERED = re.compile(r"[ \t]*\d{1,9}[.)][ \t]")
_TASK = re.compile(
    r"\[[ xX✓✔-]\]|(?:todos?|to-do|fixme|xxx|action items?)\b|待办|pendientes?\s*:", re.IGNORECASE
)
_LEANS = re.compile(  # a sentence that begins so is about what was said before it
    r"(?:it|its|it['’]s|this|that|that['’]s|these|those|they|them|he|she|his|her|their|there|both|same|otherwise|because"
    r"|so that|then|eso|esto|esta|ese|él|ella|porque|es|das|dies\w*|sie|er|sonst|weil"
    r"|deshalb)\b(?! (?:turned|turns) out)"
    r"|[这那它他她]|否则|不然|因为|所以",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|sure|great|cool|nice|perfect|你好|谢谢|hola"
    r"|gracias|hallo|danke)\b",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """A sentence, its words as they can stand alone, and whether it is a list of steps."""

    sentence: str
    content: str
    is_list: bool = False


def statements(text: str) -> Iterator[Statement]:
    """Yield what a message states, in order."""
    text = _own_words(without_machine_text(text[:MOST_READ].replace("\r\n", "\n")))
    text = _QUOTE.sub("", text) if '"' in text or "“" in text else text
    heading, opening = "", ""
    for block in blocks(text):
        match block.kind:
            case Kind.HEADING:
                heading, opening = _title(text[block.start : block.stop]), ""
            case Kind.WHOLE:
                opening = ""
            case Kind.PROSE:
                found = list(
                    _prose(text[text.rfind("\n", 0, block.start) + 1 : block.stop], heading)
                )
                yield from found
                last = found[-1].sentence if found else ""
                opening = last if last.endswith((":", "：")) and len(last) <= _LEAD else ""
            case Kind.LIST:
                yield from _listed(text, block, opening or heading)
                opening = ""


def _own_words(text: str) -> str:
    """Keep the user's turns of a conversation written with labels, such as `User: …
    Assistant: …`.
    """
    labels = list(_LABEL.finditer(text))
    speakers = {label["who"].lower() for label in labels}
    if not speakers & _OTHERS or speakers <= _OTHERS:
        return text if not speakers or speakers - _OTHERS else ""
    ends = [label.start() for label in labels[1:]] + [len(text)]
    turns = [
        text[label.end() : end].strip()
        for label, end in zip(labels, ends, strict=True)
        if label["who"].lower() not in _OTHERS
    ]
    return "\n\n".join(turns)


def _title(raw: str) -> str:
    title = raw.partition("\n")[0].strip("# \t\r")
    return title if len(title) <= _LEAD and any(char.isalpha() for char in title) else ""


def _prose(text: str, heading: str) -> Iterator[Statement]:
    """Yield the sentences of a paragraph; one that leans on the one before takes it along."""
    before = ""
    for part in _joined_lines(text):
        for sentence in sentences(part):
            if len(sentence) > LONGEST or _TASK.match(sentence):
                before = ""
                continue
            leans = bool(_LEANS.match(sentence))
            content = f"{before} {sentence}" if before and leans else sentence
            yield Statement(sentence, _under(heading, content) if leans and not before else content)
            before = "" if _PLEASANTRY.match(sentence) and len(sentence) < 40 else sentence


def _joined_lines(text: str) -> Iterator[str]:
    """Yield a paragraph's own lines, joined where a line only goes on.

    Quotations, code and logs are passed over.
    """
    lines = text.split("\n")
    if all(line.startswith(("    ", "\t")) for line in lines):
        return  # code, as markdown has it
    open_part = ""
    for line in lines:
        stripped = line.strip()
        if stripped.startswith((">", "|")) or is_machine_line(stripped):
            if open_part:
                yield open_part
            open_part = ""
            if stripped.startswith("Traceback (most recent"):
                return
        elif open_part and stripped and _goes_on(open_part, stripped):
            open_part = f"{open_part} {stripped}"
        else:
            if open_part:
                yield open_part
            open_part = stripped
    if open_part:
        yield open_part


def _goes_on(before: str, line: str) -> bool:
    """Say whether a line continues the one before: that has no end of its own, and this one begins
    in the middle.
    """
    return (
        len(before) < 4 * LONGEST
        and before[-1] not in ".!?:…。！？："
        and (line[0].islower() or before[-1] == ",")
    )


def sentences(text: str) -> Iterator[str]:
    """Yield a text's sentences, not cut behind abbreviations and initials."""
    start = 0
    for found in _END.finditer(text):
        if found[0] == "." and _is_short(text[max(0, found.start() - 12) : found.start()]):
            continue
        if sentence := text[start : found.end()].strip():
            yield sentence
        start = found.end()
    if rest := text[start:].strip():
        yield rest


def _is_short(before: str) -> bool:
    word = before.rsplit(maxsplit=1)[-1].lstrip("(\"'") if before.split() else ""
    return word.lower() in _SHORT or (len(word) == 1 and word.isupper() and word != "I")


def _listed(text: str, block: Block, lead: str) -> Iterator[Statement]:
    """Yield a numbered list under its opening as one statement, and the items of any other one by
    one.
    """
    stops = [*block.items[1:], block.stop]
    raw = [text[start:stop].rstrip() for start, stop in zip(block.items, stops, strict=True)]
    items = [(_BULLET.sub("", item, count=1).strip(), bool(_NUMBERED.match(item))) for item in raw]
    items = [(item, numbered) for item, numbered in items if item and not _TASK.match(item)]
    if len(items) > 1 and lead and not _TASK.match(lead) and all(numbered for _, numbered in items):
        content = "\n".join(
            [lead.rstrip(), *(item.strip() for item in raw if not _TASK.match(item.strip()))]
        )
        if len(content) <= LONGEST:
            yield Statement(lead, content, is_list=True)
            return
    if _TASK.match(lead):
        return
    for item, _ in items:
        for part in _joined_lines(item):
            for sentence in sentences(part):
                if len(sentence) <= LONGEST and not _TASK.match(sentence):
                    yield Statement(sentence, _under(lead, sentence))


def _under(lead: str, sentence: str) -> str:
    lead = lead.rstrip(" :：")
    return f"{lead}: {sentence}" if lead else sentence
