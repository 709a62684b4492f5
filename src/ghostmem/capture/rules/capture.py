"""Which sentences of a message are worth remembering, told by their words alone: no model is asked.

A candidate's content is the writer's own words. Questions, suppositions, requests of the moment and
chatter give nothing."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ghostmem.capture.rules.capture_cues import CAPTURE_CUES, DO, FAINT, LEADS, STEPS, WEAK, WEIGHTS
from ghostmem.capture.rules.cues import ADDRESS, NUMBER
from ghostmem.model import CAPTURED, Kind, Record, Sort, optional
from ghostmem.text.capture import Statement, statements
from ghostmem.text.entities import entities
from ghostmem.text.question import is_question, tells_time
from ghostmem.text.scripts import UNSPACED
from ghostmem.text.sections import slug
from ghostmem.text.terms import STOP_WORDS
from ghostmem.truth.alike import distinctive, essence

BASE, LEAST, MOST = 0.4, 0.35, 12
SECOND, EMPHASIS, CAPITALS, ENTITY = 0.25, 0.08, 0.04, 0.05
HEDGED, THIN, PASSING = -0.2, -0.25, -0.3
FEWEST = 2  # distinctive terms; what has fewer says nothing
KEY_WORDS, KEY_LENGTH = 6, 60
TAG = CAPTURED


@dataclass(frozen=True, eq=False, repr=False)
class Candidate(Record):
    """Something worth remembering: its key, the writer's words, as what, how much it matters, and
    by which words that shows.
    """

    key: str
    content: str
    sort: Sort
    kind: Kind
    importance: float
    tags: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    health: bool = optional(False)


_ASKS = re.compile(
    r"(?:and |but |so |ok(?:ay)?,? |hey,? |also,? )?(?:how|what|why|where|who|which|when) "
    r"(?:do|does|did|is|are|was|were|can"
    r"|could|should|would|about|if|will|many|much)\b"
    r"|(?:can|could|would|will|should|do|does|did|is|are|am|shall|may|has|have) (?:you|we|i"
    r"|it|this|that|the|there|they|he|she)\b"
    r"|(?:please )?(?:can|could) you\b|¿|(?:puedes|podrías|cómo|qué|por qué|cuándo|dónde)\b"
    r"|(?:kannst|könntest|wie|warum"
    r"|wieso|wann|wo|was) (?:du|ist|sind|kann|ich|wir|geht|macht)\b"
    r"|请问|怎么|为什么|什么时候|能不能|可不可以|要不要|是不是",
    re.IGNORECASE,
)
_TAIL_ASKS = re.compile(r"[吗呢吧][。.]?$|要不要|能不能|怎么样[。.]?$")
_SUPPOSES = re.compile(
    r"(?:and |but |so |well,? |hmm,? )?(?:what if|suppose|supposing|imagine|assuming"
    r"|hypothetically|let['’]?s (?:say|pretend"
    r"|assume)|pretend|say you"
    r"|maybe|perhaps|possibly|in theory|for (?:example|instance)|e\.g\.|i (?:wonder|am "
    r"wondering|guess)|i['’]m (?:wondering"
    r"|not sure|thinking|considering)|if (?:i|we|you) (?:were|was|had|used|could|did|ever)"
    r"|as if|i['’]?d (?:guess|imagine)"
    r"|(?:we|i|you|they|it|one|a user|someone|that|this|the \w+) (?:could|might|may)(?! not be)"
    r"|也许|可能|或许|假如|如果我|要是|假设|比如|例如"
    r"|quizás?|tal vez|supongamos|si (?:yo )?(?:usara|tuviera)"
    r"|por ejemplo"
    r"|vielleicht|angenommen|zum beispiel|was wäre)",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:i think|i guess|probably|might|maybe|perhaps|not sure|possibly|seems?|creo que"
    r"|ich glaube)\b|可能|大概|好像",
    re.IGNORECASE,
)
_STRESS = re.compile(
    r"\b(?:always|never|important|critical|crucial|must|absolutely|really|please remember"
    r"|under no circumstances)\b|!|！|重要"
    r"|务必|绝对|千万|必须",
    re.IGNORECASE,
)
_TROUBLE = re.compile(  # a report of the moment, not a fact that lasts
    r"\b(?:errors?|problems?|issues?|bugs?|fail(?:s|ed|ing)?|broken?|crash\w*|work(?:s|ing)?"
    r"|stalls?|stuck|exception"
    r"|right now|sometimes)\b|报错|出错|有问题",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\d|`|\w\.\w")
_CAPS = re.compile(r"\b(?:NEVER|ALWAYS|NOT|MUST|DO NOT|IMPORTANT|CRITICAL|STOP|ONLY|NO)\b")
_FILLER = STOP_WORDS | frozenset(
    "please actually really always never ever want wants like likes prefer remember note "
    "that's it's i'm i've don't doesn't can't"
    " won't we've we're let's going forward now use using make sure get got keep ok okay "
    "just also dont".split()
)
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_]+(?:['’.+#-][^\W_]+)*[+#]*")


def candidates(text: str, *, least: float = LEAST, most: int = MOST) -> list[Candidate]:
    """Return what a message holds that is worth remembering: the strongest ones, in the order in
    which they stand.
    """
    return best(
        (found for statement in statements(text) if (found := judged(statement))), least, most
    )


def best(found: Iterable[Candidate], least: float = LEAST, most: int = MOST) -> list[Candidate]:
    """Keep the strongest candidates that say something of their own, in their order, each under a
    key of its own.
    """
    unique: dict[tuple[str, ...], Candidate] = {}
    for candidate in found:
        if candidate.importance >= least:
            unique.setdefault(essence(candidate.content), candidate)
    ranked = sorted(enumerate(unique.values()), key=lambda row: (-row[1].importance, row[0]))[:most]
    taken: dict[str, str] = {}
    kept: list[Candidate] = []
    for _, candidate in sorted(ranked):
        if candidate.key in taken:
            candidate = replace(candidate, key=other_key(candidate.key, candidate.content))
        taken[candidate.key] = candidate.content
        kept.append(candidate)
    return kept


def judged(statement: Statement) -> Candidate | None:
    """Say what a statement is worth remembering as, or that it is not."""
    sentence = statement.sentence
    if _is_passing(sentence) and not statement.is_list:
        return None
    forces: dict[Sort, float] = {}
    words: dict[Sort, str] = {}
    if statement.is_list and _is_procedure(statement):
        forces[Sort.PROCEDURE], words[Sort.PROCEDURE] = LEADS, "a list of steps"
    for cue in CAPTURE_CUES:
        found = cue.words.search(sentence) if cue.force > forces.get(cue.sort, 0) else None
        if found and not (cue.unless and cue.unless.search(sentence)):
            forces[cue.sort], words[cue.sort] = (
                cue.force,
                " ".join(found[0].split())[:60].strip(" ,:;"),
            )
    if not forces:
        return None
    order = sorted(forces, key=lambda sort: -forces[sort] * WEIGHTS[sort])
    importance = BASE + min(1.0, forces[order[0]]) * WEIGHTS[order[0]]
    if len(order) > 1:
        importance += SECOND * min(1.0, forces[order[1]]) * WEIGHTS[order[1]]
    importance += _substance(statement, order[0], forces[order[0]])
    sort = Sort.BOUNDARY if order[0] is Sort.HEALTH else order[0]
    health = order[0] is Sort.HEALTH
    return Candidate(
        key_of(statement.content, sort),
        statement.content,
        sort,
        kind_of(sort, sentence),
        round(min(1.0, importance), 2),
        tuple(dict.fromkeys([TAG, sort.value, *(["health"] if health else [])])),
        tuple(f"{each.value}: {words[each]}" for each in order[:3]),
        health,
    )


def _is_procedure(statement: Statement) -> bool:
    """Say whether a numbered list is one of steps: its opening says so, or most of its items begin
    with an instruction.
    """
    items = [item.partition(" ")[2] for item in statement.content.split("\n")[1:]]
    return bool(STEPS.match(statement.sentence)) or 2 * sum(
        bool(DO.match(item)) for item in items
    ) > len(items)


def kind_of(sort: Sort, sentence: str) -> Kind:
    """Return the kind of memory: steps are procedural, a decision with its date is an event, all
    else is knowledge.
    """
    if sort is Sort.PROCEDURE:
        return Kind.PROCEDURAL
    return Kind.EPISODIC if sort is Sort.DECISION and tells_time(sentence) else Kind.SEMANTIC


def _is_passing(sentence: str) -> bool:
    """Say whether a sentence is a question, a supposition or too little to keep."""
    if sentence.endswith((":", "：")):
        return True  # it opens what is not there
    if (
        is_question(sentence)
        or _ASKS.match(sentence)
        or _TAIL_ASKS.search(sentence)
        or _SUPPOSES.match(sentence)
    ):
        return True
    return len(set(distinctive(sentence))) < FEWEST


def _substance(statement: Statement, sort: Sort, force: float) -> float:
    """Weigh what a statement says beside its cue: stress, names and numbers for it, doubt and
    emptiness against it.
    """
    names = len(entities(statement.content))
    exact = bool(
        ADDRESS.search(statement.sentence)
        or NUMBER.search(statement.sentence)
        or _EXACT.search(statement.sentence)
    )
    found = EMPHASIS * bool(_STRESS.search(statement.sentence)) + CAPITALS * bool(
        _CAPS.search(statement.sentence)
    )
    found += ENTITY * min(2, names)
    if _HEDGES.search(statement.sentence):
        found += HEDGED
    if sort is Sort.FACT and force <= WEAK and _TROUBLE.search(statement.sentence):
        found += PASSING
    if not exact and (force == FAINT or (force == WEAK and not names)):
        found += THIN
    return found


def key_of(content: str, sort: Sort) -> str:
    """Name a text by its distinctive words, in order."""
    words = [word for word in _WORD.findall(content[:600]) if not _is_filler(word.lower())]
    picked = [word if word.isascii() else word[:16] for word in dict.fromkeys(words)][:KEY_WORDS]
    name = slug(" ".join(picked)) if picked else ""
    if not picked or name == "untitled":
        return other_key(sort.value, content)
    return (
        name
        if len(name) <= KEY_LENGTH
        else name[: KEY_LENGTH + 1].rpartition("-")[0] or name[:KEY_LENGTH]
    )


def _is_filler(word: str) -> bool:
    return word in _FILLER or re.split("['’]", word)[0] in STOP_WORDS


def other_key(key: str, content: str) -> str:
    """Return a key for a text whose own is taken: it depends on the text alone, so that the same
    text finds it again.
    """
    return f"{key}-{hashlib.sha256(' '.join(essence(content)).encode()).hexdigest()[:6]}"
