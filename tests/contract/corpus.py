"""A corpus of 2,000 memories that is the same on every run: several namespaces, threads, sources, years, tags and languages."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from ghostmem.clock import format_time
from ghostmem.ids import encode

COUNT = 2000
NAMESPACES = ("agent:ada", "agent:ben", "team:harbour", "team:harbour:ops", "notes")
FIRST = datetime(2024, 1, 3, 7, 15, tzinfo=UTC)

_PEOPLE = ("Ann", "Bo", "Chiara", "Dmitri", "Eszter", None)
_NOUNS = (
    "ferry",
    "harbour",
    "invoice",
    "deployment",
    "parser",
    "kettle",
    "migration",
    "garden",
    "bicycle",
    "passport",
    "lantern",
)
_VERBS = (
    "moved",
    "painted",
    "repaired",
    "reviewed",
    "cancelled",
    "measured",
    "ordered",
    "tested",
    "shipped",
    "lost",
)
_PLACES = (
    "pier nine",
    "Lisbon",
    "the north depot",
    "Zürich",
    "the attic",
    "server rack 4",
    "Kraków",
    "the blue shed",
)
_CODE = (
    "parse_config",
    "HttpClient.retry",
    "user_id",
    "src/web/app.py",
    "--dry-run",
    "C++17",
    "max%load",
    "a\\b",
    "O'Brien",
    '"raw"',
)
_OTHER = (
    "我们决定把数据库迁移到新的集群。",
    "東京の事務所は三月に引っ越しました。",
    "서울 팀이 배포를 담당합니다.",
    "เราย้ายเซิร์ฟเวอร์ไปที่กรุงเทพ",
    "Der Fährplan gilt ab März für alle Häfen.",
    "La réunion est déplacée à jeudi, café compris ☕️.",
    "Собрание перенесли на четверг 👩‍💻.",
)
_TAGS = ("green", "infra", "travel", "home", "über", "日本")
_KINDS = ("semantic", "episodic", "procedural")
_TIERS = ("stm", "stm", "ltm", "ltm", "ltm", "dormant")
_RELS = ("relates_to", "depends_on", "refines", "contradicts", "contains")

QUESTIONS: tuple[tuple[str, str | None], ...] = (
    *(
        (f"Who {verb} the {noun}?", NAMESPACES[at % 3])
        for at, (verb, noun) in enumerate(zip(_VERBS, _NOUNS, strict=False))
    ),
    *((f"What happened at {place}?", NAMESPACES[at % 4]) for at, place in enumerate(_PLACES)),
    *((code, NAMESPACES[at % 2]) for at, code in enumerate(_CODE)),
    *((text[:9], "agent:ada") for text in _OTHER),
    ("数据库", "agent:ben"),
    ("東京 事務所", "team:harbour"),
    ("ferry harbour lantern", "agent:*"),
    ("invoice from Ann", "team:*"),
    ("what did Bo say in March 2025?", "agent:ada"),
    ("last week's deployment", None),
    ("the migration before the bicycle", None),
    ("step 12 of the passport", "team:harbour:ops"),
    ("ticket 1207", "agent:ada"),
    ("kettle", "notes"),
    ("lant", "notes"),
    ("nothing of this sort anywhere xyzzy", "notes"),
    ("retry", "agent:ben"),
    ("Zurich", "agent:ada"),
    ("why was the garden reviewed in Lisbon?", "agent:ben"),
    ("when did Chiara order the bicycle?", "team:harbour"),
    ("which invoice was cancelled most recently?", "agent:ada"),
    ("who knows about server rack 4?", "agent:ben"),
    ("%", "agent:ada"),
    ("_", "agent:ada"),
    ('it\'s the "raw" one', "agent:ben"),
    ("green travel", "agent:*"),
    ("everything on the north depot and the blue shed", "team:harbour"),
)


def lines() -> Iterator[str]:
    """Yield the corpus as an export."""
    rng = Random(20260314)
    yield json.dumps({"type": "ghost", "format": 1})
    made = [_memory(rng, at) for at in range(COUNT)]
    for memory in sorted(made, key=lambda one: (one["ns"], one["key"])):
        yield json.dumps(memory, ensure_ascii=False)
    for one, other in ((rng.choice(made), rng.choice(made)) for _ in range(6000)):
        if one["ns"] == other["ns"] and one["id"] < other["id"] and rng.random() < 0.5:
            weight, rel = round(rng.uniform(0.3, 0.95), 3), rng.choice(_RELS)
            at = max(one["created_at"], other["created_at"])
            yield json.dumps(
                {
                    "type": "edge",
                    "from_id": one["id"],
                    "to_id": other["id"],
                    "rel": rel,
                    "weight": weight,
                    "created_at": at,
                }
            )


def _memory(rng: Random, at: int) -> dict[str, object]:
    created = FIRST + timedelta(hours=at * 9.4, minutes=rng.randrange(60))
    ns = rng.choices(NAMESPACES, (8, 4, 5, 2, 1))[0]
    person, noun = rng.choice(_PEOPLE), rng.choice(_NOUNS)
    made: dict[str, object] = {
        "type": "memory",
        "id": encode((int(created.timestamp() * 1000) << 80) | at),
        "ns": ns,
        "key": f"{noun}-{at}",
        "content": _text(rng, noun, at, created),
        "kind": rng.choice(_KINDS),
        "version": 1,
        "created_at": format_time(created),
        "tier": rng.choice(_TIERS),
        "priority": rng.choices(("low", "normal", "high"), (1, 6, 1))[0],
        "importance": round(rng.uniform(0.1, 0.9), 2),
        "pinned": rng.random() < 0.004,
        "access_count": rng.randrange(6),
        "tags": rng.sample(_TAGS, rng.randrange(3)),
        "recorded_at": format_time(created),
    }
    if person is not None:
        made |= {"source_user": person, "source_kind": rng.choice(("stated", "observed", "peer"))}
    if rng.random() < 0.3:
        made["source_scope"] = f"talk-{at // 40}"
    if rng.random() < 0.05:
        made["valid_to"] = format_time(created + timedelta(days=rng.randrange(900)))
    if rng.random() < 0.05:
        made["files"] = [{"path": f"src/{noun}.py", "rel": "modified"}]
    return made


def _text(rng: Random, noun: str, at: int, created: datetime) -> str:
    said = f"{rng.choice(_PEOPLE) or 'Somebody'} {rng.choice(_VERBS)} the {noun} at {rng.choice(_PLACES)} on {created:%d %B %Y}."
    parts = [said]
    if rng.random() < 0.3:
        parts.append(
            f"Ticket {1000 + at}: see {rng.choice(_CODE)} before step {rng.randrange(20)}."
        )
    if rng.random() < 0.25:
        parts.append(rng.choice(_OTHER))
    if rng.random() < 0.04:  # long enough for several chunks
        parts += [
            f"Step {step}: {rng.choice(_VERBS)} {rng.choice(_NOUNS)} {rng.choice(_PLACES)}."
            for step in range(120)
        ]
    return " ".join(parts)
