"""A store with realistic invented content for screenshots: several hundred memories, four months.

It begins with the small store of the browser tests and adds what a team of four and their agents
would have stored: decisions, incidents, conventions, people and meetings in six namespaces. The
same time and seed give the same store."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from random import Random
from typing import Any, NamedTuple

from browser.believable import ME, SHOP, TEAM, Moving, fill
from ghostmem import Ghost
from ghostmem.caller import CLIENT
from ghostmem.settings import Settings

BILLING, SITE, OPS = "project:billing-api", "project:website", "team:operations"
PEOPLE = ("mara", "jonas", "priya", "tom")
CLIENTS = ("claude-code", "cursor", "codex")
START_DAYS = 120


class Statement(NamedTuple):
    """A memory to store, and how many days before the picture."""

    days: float
    ns: str
    key: str
    text: str
    fields: dict[str, Any]


SERVICES = {
    SHOP: ("checkout", "cart", "search", "catalogue", "webhook worker", "image proxy"),
    BILLING: ("invoice job", "ledger", "refund queue", "tax service", "PDF renderer"),
    SITE: ("landing page", "blog", "pricing page", "docs search"),
    OPS: ("backup job", "log pipeline", "status page", "VPN gateway"),
}
# what is known of a part of a project: name, kind, tags, text
ASPECTS = (
    ("owner", "semantic", ("people",), "{person} owns the {part}; ask before changing its tests."),
    (
        "timeout",
        "semantic",
        ("limits",),
        "The {part} times out after {n} seconds; the client retries {m} times.",
    ),
    (
        "cache",
        "semantic",
        ("performance",),
        "Answers of the {part} are cached for {n} minutes in Redis, under the prefix `{slug}:`.",
    ),
    (
        "logs",
        "procedural",
        ("debugging",),
        "To debug the {part}: `make logs SERVICE={slug}`, then filter by the request id.",
    ),
    (
        "incident",
        "episodic",
        ("incident",),
        "On {date} the {part} was down for {n} minutes: {cause}. Fixed by {person}.",
    ),
    (
        "test",
        "procedural",
        ("testing",),
        "Tests of the {part} need the fixture `{slug}_data`: `pytest tests/{slug} -x`.",
    ),
    (
        "limit",
        "semantic",
        ("limits",),
        "The {part} accepts at most {k} requests per minute and answers 429 above that.",
    ),
    (
        "decision",
        "semantic",
        ("decision",),
        "We keep the {part} in Python: a rewrite in Go saved {m}0 ms and cost two weeks.",
    ),
    (
        "metric",
        "semantic",
        ("monitoring",),
        "The alert for the {part} fires when p95 is above {k} ms for {n} minutes.",
    ),
    (
        "migration",
        "episodic",
        ("database",),
        "{person} added the column `{slug}_state` in migration 00{n}, filled in the background.",
    ),
    (
        "style",
        "procedural",
        ("style",),
        "Code of the {part} uses dataclasses, not dictionaries, at its borders.",
    ),
    (
        "release",
        "episodic",
        ("release",),
        "Version {m}.{n} of the {part} went live on {date}; {person} watched the dashboard.",
    ),
    (
        "todo",
        "episodic",
        ("todo",),
        "The {part} still uses the old client of the payment provider; replace it before June.",
    ),
)
CAUSES = (
    "the connection pool was too small",
    "a certificate had expired",
    "a deploy ran during a migration",
    "the disk of the log volume was full",
    "a feature flag was on for everybody",
)
MEETINGS = (
    "weekly planning: {a}, then {b}; {person} takes the first",
    "talked with {person} about {a}; we wait for the numbers",
    "retro: {a} went well, {b} did not; shorter reviews from now on",
    "{person} showed {a}; the open question is {b}",
)
TOPICS = (
    "the move to PostgreSQL 17", "dark mode", "the new refund flow", "search suggestions",
    "the accessibility audit", "invoices in Swedish", "shorter build times", "the on-call rota",
    "rate limits for partners", "the spring campaign", "passkeys", "the retention policy",
)  # fmt: skip
HABITS = (
    "prefers small pull requests, below 300 lines", "wants to hear of risks first",
    "reads email only in the morning", "is away every second Friday",
    "writes commit messages in the imperative", "likes tables more than prose",
    "pairs on Wednesdays after lunch", "asks for a benchmark before an optimisation",
)  # fmt: skip
# days ago, namespace, key, and the texts of its versions
VERSIONS = (
    (
        60,
        SHOP,
        "free-shipping",
        (
            "Shipping is free from 500 kronor.",
            "Shipping is free from 400 kronor.",
            "Shipping is free from 300 kronor, also to Finland.",
        ),
    ),
    (52, SHOP, "session-length", ("Sessions last 14 days.", "Sessions last 30 days.")),
    (
        45,
        BILLING,
        "invoice-day",
        (
            "Invoices are sent on the first of the month.",
            "Invoices are sent on the last working day of the month.",
        ),
    ),
    (
        44,
        BILLING,
        "vat",
        ("VAT is rounded per invoice.", "VAT is rounded per line, then summed up."),
    ),
    (
        40,
        OPS,
        "on-call",
        ("Jonas is on call this week.", "Priya is on call this week.", "Tom is on call this week."),
    ),
    (
        36,
        SITE,
        "fonts",
        (
            "The site loads Inter from a CDN.",
            "The site ships Inter itself; nothing is loaded from elsewhere.",
        ),
    ),
    (
        33,
        TEAM,
        "standup",
        ("Stand-up is at 09:30 in the kitchen.", "Stand-up is at 09:15, in writing on Mondays."),
    ),
    (25, SHOP, "python-version", ("CI runs Python 3.12.", "CI runs Python 3.13.")),
    (
        21,
        OPS,
        "backup-window",
        ("Backups run at 02:00.", "Backups run at 03:30, after the invoice job."),
    ),
    (
        0.3,
        SHOP,
        "search-limit",
        ("Search shows 24 products per page.", "Search shows 36 products per page."),
    ),
    (
        0.2,
        BILLING,
        "refund-limit",
        (
            "Refunds above 2000 kronor need a second person.",
            "Refunds above 5000 kronor need a second person.",
        ),
    ),
)
# namespace, older and newer statement, and who made them
DISPUTES = (
    (
        BILLING,
        "currency-old",
        "Invoices are issued in euros only.",
        "jonas",
        "currency-new",
        "Invoices are issued in the currency of the customer.",
        "priya",
    ),
    (
        BILLING,
        "retry-old",
        "Failed payments are retried three times.",
        "tom",
        "retry-new",
        "Failed payments are retried five times.",
        "jonas",
    ),
    (
        OPS,
        "region-a",
        "Backups are stored in Frankfurt.",
        "priya",
        "region-b",
        "Backups are stored in Stockholm.",
        "tom",
    ),
    (
        SITE,
        "analytics-a",
        "The website uses no analytics.",
        "mara",
        "analytics-b",
        "The website counts visits with Plausible.",
        "jonas",
    ),
)


def fill_demo(path: str, now: datetime, provider: str = "static", seed: int = 5) -> None:
    """Make the store."""
    fill(path, now, provider)
    clock = Moving(now - timedelta(days=START_DAYS))
    settings = Settings(embed_provider=provider)
    client = CLIENT.set("claude-code")
    with Ghost.open(path, settings=settings, clock=clock) as ghost:
        for statement in sorted(_statements(Random(seed), now), key=lambda one: -one.days):
            clock.at = now - timedelta(days=statement.days)
            ghost.put(statement.ns, statement.key, statement.text, **statement.fields)
        _disputes(ghost, clock, now)
        _use(ghost, clock, now, Random(seed))
    CLIENT.reset(client)


def _statements(lot: Random, now: datetime) -> Iterator[Statement]:
    yield from _aspects(lot, now)
    yield from _meetings(lot)
    for person, (number, habit) in product(PEOPLE, enumerate(HABITS)):
        if lot.random() < 0.6:
            said: dict[str, Any] = {"kind": "semantic", "tags": ["person", person]}
            yield Statement(
                lot.uniform(2, 110),
                TEAM,
                f"{person}-{number + 1}",
                f"{person.title()} {habit}.",
                {**said, "source_user": person},
            )
    for days, ns, key, texts in VERSIONS:
        for place, text in enumerate(texts):
            person = lot.choice(PEOPLE)
            fields: dict[str, Any] = {"kind": "semantic", "source_user": person, "importance": 0.6}
            yield Statement(days * (1 - place / (len(texts) + 0.2)), ns, key, text, fields)


def _aspects(lot: Random, now: datetime) -> Iterator[Statement]:
    for ns, parts in SERVICES.items():
        for part, (name, kind, tags, text) in product(parts, ASPECTS):
            if lot.random() < 0.12:
                continue
            days, slug = lot.uniform(0.05, START_DAYS - 1), part.replace(" ", "_").lower()
            person = lot.choice(PEOPLE)
            words = {
                "part": part,
                "slug": slug,
                "person": person.title(),
                "n": lot.randint(5, 45),
                "m": lot.randint(2, 6),
                "k": lot.choice((60, 120, 250, 300, 500, 600)),
                "cause": lot.choice(CAUSES),
                "date": f"{now - timedelta(days=days + 1):%d %B}".lstrip("0"),
            }
            fields: dict[str, Any] = {
                "kind": kind,
                "tags": [*tags, slug],
                "importance": round(lot.uniform(0.3, 0.8), 2),
                "tier": lot.choices(("stm", "ltm", "dormant"), (6, 3, 1))[0],
                "source_user": person if lot.random() < 0.5 else None,
                "source_client": lot.choice(CLIENTS),
            }
            if kind == "procedural":
                fields["files"] = [f"tests/{slug}/test_{name}.py"]
            yield Statement(
                days, ns, f"{slug.replace('_', '-')}/{name}", text.format(**words), fields
            )


def _meetings(lot: Random) -> Iterator[Statement]:
    for week in range(int(START_DAYS / 7)):
        for number in range(lot.randint(2, 4)):
            first, second = lot.sample(TOPICS, 2)
            person = lot.choice(PEOPLE)
            text = lot.choice(MEETINGS).format(a=first, b=second, person=person.title())
            fields = {"kind": "episodic", "tags": ["meeting"], "source_user": person}
            days = week * 7 + lot.uniform(0.4, 6.5)
            yield Statement(
                days,
                TEAM,
                f"meeting-{week:02}-{number + 1}",
                f"{text[0].upper()}{text[1:]}.",
                fields,
            )


def _disputes(ghost: Ghost, clock: Moving, now: datetime) -> None:
    for number, (ns, old, text, who, new, other, whose) in enumerate(DISPUTES):
        clock.at = now - timedelta(days=30 - number)
        ghost.put(ns, old, text, source_user=who, kind="semantic", source_client="cursor")
        clock.at = now - timedelta(days=4 - number)
        ghost.put(ns, new, other, source_user=whose, kind="semantic", source_client="claude-code")
        ghost.edge(ns, new, old, "contradicts")


def _use(ghost: Ghost, clock: Moving, now: datetime, lot: Random) -> None:
    """Use a third of the memories on several days, the newest and the deploy procedure included."""
    memories = [m for m in ghost.list(limit=1000) if m.tier == "ltm" or lot.random() < 0.35]
    for days in (40, 26, 15, 9, 5, 3, 1):
        clock.at = now - timedelta(days=days)
        known = [memory for memory in memories if memory.created_at < clock.at]
        for memory in known[days % 3 :: 3]:
            ghost.used(memory.ns, [memory.key])
        for memory in known if days == 3 else ():
            if memory.tier == "ltm":
                ghost.used(memory.ns, [memory.key])
    clock.at = now - timedelta(hours=4)
    ghost.reflect(relink=True)
    for ns, key in ((SHOP, "deploy"), (SHOP, "payment-provider"), (ME, "name")):
        ghost.used(ns, [key])
        while ghost.history(ns, key)[-1].tier == "dormant":
            ghost.curate(ns, key, "promote")
