"""python -m bench.dormancy: answers that the rule about idle memories hides, over a virtual year.

A project has long-term facts that are asked for at different intervals, from once a week to once a
year, and notes in the same words that nobody asks for. Reflect runs every week. For each idle time
after which a long-term memory becomes dormant, the share of questions whose answer is among the
first five hits. One more group of facts helped once and is shown every day, as hooks do. The clock
is virtual, the vectors are the static model's, and everything is the same in every run."""

import argparse
import random
import sys
from datetime import UTC, datetime, timedelta
from itertools import product

from bench.report import machine, show, table
from ghostmem import Ghost, Settings

NS = "project:dormancy"
START = datetime(2026, 1, 5, tzinfo=UTC)
WEEKS = 52
INTERVALS = (1, 2, 4, 8, 13, 26, 52)  # weeks between two questions about a fact
RULE = "sys-demote-stale-ltm"
LIMITS: dict[str, float | None] = {
    "168 h (specified)": 168,
    "30 days": 30 * 24,
    "90 days": 90 * 24,
    "180 days": 180 * 24,
    "a year": 365 * 24,
    "never": None,
}
NOTES = 300
SERVICES = (
    "anchor basket canyon drawer ember falcon garnet hollow indigo jigsaw kernel lantern meadow "
    "needle oyster pillar quarry ribbon saddle timber umbra velvet walnut yonder zephyr"
).split()
PEOPLE = "Ada Bruno Chiara Dmitri Elif Farid Greta Hiro Ines Jonas".split()
CITIES = "Graz Lund Porto Delft Turku Ghent Basel Split Brno Vaasa".split()
# a fact, and a question about it in partly other words
FACTS = (
    ("The {service} service listens on port {number}.", "which port does {service} use?"),
    ("{person} maintains the {service} service.", "who looks after {service}?"),
    ("Backups of {service} are stored in {city}.", "where are the backups of {service}?"),
    ("The {service} team meets on weekday {digit} at ten.", "when does the {service} team meet?"),
)
NOTE = "In week {digit} {person} looked at the {service} dashboard: {number} errors in {city}."
SHOWN = ("The {service} logs are kept for {number} days.", "how long are {service} logs kept?")
SHOWN_DAYS = 60


def simulate(limit: float | None) -> dict[str, float]:
    """Return the share of answers found, by interval, and of the facts that are shown every day."""
    now = START
    settings = Settings(embed_provider="static")
    with Ghost.open(":memory:", settings=settings, clock=lambda: now) as ghost:
        _set_limit(ghost, limit)
        questions = _fill(ghost)
        asked = dict.fromkeys(INTERVALS, 0)
        found = dict.fromkeys(INTERVALS, 0)
        for week in range(1, WEEKS + 1):
            now = START + timedelta(weeks=week)
            ghost.reflect()
            for number, (key, question) in enumerate(questions.items()):
                interval = INTERVALS[number % len(INTERVALS)]
                if week % interval == 0:
                    asked[interval] += 1
                    found[interval] += _finds(ghost, key, question)
    shares = {str(interval): found[interval] / asked[interval] for interval in INTERVALS}
    return {**shares, "all": sum(found.values()) / sum(asked.values())}


def simulate_shown() -> float:
    """Return the share of facts found that helped once and were shown on sixty days."""
    now = START
    settings = Settings(embed_provider="static")
    chance = random.Random(5)
    with Ghost.open(":memory:", settings=settings, clock=lambda: now) as ghost:
        questions = {}
        for service in SERVICES:
            text, question = SHOWN
            ghost.put(NS, service, _made(text, service, chance), kind="semantic")
            ghost.used(NS, [service])
            questions[service] = question.format(service=service)
        for day in range(1, SHOWN_DAYS + 1):
            now = START + timedelta(days=day)
            for question in questions.values():
                ghost.context(question, NS, budget=60)
            ghost.reflect()
        return sum(_finds(ghost, *pair) for pair in questions.items()) / len(questions)


def _set_limit(ghost: Ghost, limit: float | None) -> None:
    if limit is None:
        ghost.lifecycle.rm_rule(RULE)
        return
    ghost.lifecycle.set_rule(
        RULE,
        "DEMOTE",
        rule_id=RULE,
        tier="ltm",
        unaccessed_gt_hours=limit,
        action_params={"to_tier": "dormant"},
    )


def _fill(ghost: Ghost) -> dict[str, str]:
    """Store facts and notes, and return the questions by the key of their answer."""
    chance = random.Random(7)
    questions = {}
    for number, (service, (text, question)) in enumerate(product(SERVICES, FACTS)):
        key = f"fact-{number}"
        ghost.put(NS, key, _made(text, service, chance), kind="semantic", tier="ltm")
        questions[key] = question.format(service=service)
    for number in range(NOTES):
        text = _made(NOTE, chance.choice(SERVICES), chance)
        ghost.put(NS, f"note-{number}", text, tier="ltm")
    return questions


def _made(text: str, service: str, chance: random.Random) -> str:
    return text.format(
        service=service,
        person=chance.choice(PEOPLE),
        city=chance.choice(CITIES),
        number=chance.randint(1000, 9999),
        digit=chance.randint(1, 5),
    )


def _finds(ghost: Ghost, key: str, question: str) -> bool:
    return key in [hit.key for hit in ghost.search(question, NS, limit=5)]


def main() -> int:
    """Simulate a year for each limit, and print the shares."""
    parser = argparse.ArgumentParser(prog="python -m bench.dormancy", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    arguments = parser.parse_args()
    runs = {name: simulate(limit) for name, limit in LIMITS.items()}
    shown = simulate_shown()
    head = ("dormant after", *(f"every {weeks} w" for weeks in INTERVALS), "all questions")
    rows = [(name, *(f"{share:.0%}" for share in run.values())) for name, run in runs.items()]
    text = f"{table(head, rows)}\n\nhelped once, then shown on {SHOWN_DAYS} days: {shown:.0%} found"
    show({"runs": runs, "shown": shown, "machine": machine()}, text, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
