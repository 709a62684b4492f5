"""The key and the kind of a captured text."""

import hashlib
import re

from ghostmem.model import Kind, Sort
from ghostmem.text.question import tells_time
from ghostmem.text.scripts import UNSPACED
from ghostmem.text.sections import slug
from ghostmem.text.terms import STOP_WORDS
from ghostmem.truth.alike import essence

_MAX_WORDS, _MAX_LENGTH = 6, 60
_MAX_READ = 600  # characters of a text from which a key is made
_FILLER = STOP_WORDS | frozenset(
    "please actually really always never ever want wants like likes prefer remember note "
    "that's it's i'm i've don't doesn't can't won't we've we're let's going forward now use using "
    "make sure get got keep ok okay just also dont".split()
)
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_]+(?:['’.+#-][^\W_]+)*[+#]*")


def key_of(content: str, sort: Sort) -> str:
    """Return a key of the distinctive words of a text, in order."""
    words = [word for word in _WORD.findall(content[:_MAX_READ]) if not _is_filler(word.lower())]
    picked = [word if word.isascii() else word[:16] for word in dict.fromkeys(words)][:_MAX_WORDS]
    name = slug(" ".join(picked)) if picked else ""
    if not picked or name == "untitled":
        return other_key(sort.value, content)
    is_short = len(name) <= _MAX_LENGTH
    return name if is_short else name[: _MAX_LENGTH + 1].rpartition("-")[0] or name[:_MAX_LENGTH]


def _is_filler(word: str) -> bool:
    return word in _FILLER or re.split("['’]", word)[0] in STOP_WORDS


def other_key(key: str, content: str) -> str:
    """Return a key for a text whose own key is taken; the same text always gets the same one."""
    return f"{key}-{hashlib.sha256(' '.join(essence(content)).encode()).hexdigest()[:6]}"


def kind_of(sort: Sort, sentence: str) -> Kind:
    """Return procedural for steps, episodic for a decision that names a time, else semantic."""
    if sort is Sort.PROCEDURE:
        return Kind.PROCEDURAL
    return Kind.EPISODIC if sort is Sort.DECISION and tells_time(sentence) else Kind.SEMANTIC
