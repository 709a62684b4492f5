"""python -m bench.evolving: facts that change twice, and which version is shown first.

The days are those of bench.longitudinal: noise, chatter, constant facts, and reflect at night. In
addition, sixteen facts are stated and corrected twice, each time under another key and in other
words. Every day, each of them is asked for. A probe passes when the current statement is found and
no superseded one comes before it. `--held-out` uses twelve other facts, which were written before
the rules and measured twice."""

import argparse
import sys
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import NamedTuple

from bench.longitudinal import NS, START, Agent
from bench.report import machine, show, table
from ghostmem import Ghost, Settings

FRESHNESS = ("suggest", "close")


class Fact(NamedTuple):
    """The first, second and last statement of a fact, and the question for it."""

    name: str
    said: tuple[str, str, str]
    question: str


FACTS = (
    Fact(
        "staging",
        (
            "The staging database is Postgres 14.",
            "We upgraded the staging database to Postgres 15.",
            "The staging database now runs Postgres 16.",
        ),
        "which Postgres does the staging database run?",
    ),
    Fact(
        "office",
        (
            "The Porto office is on Rua das Flores 12.",
            "The Porto office moved to Avenida da Boavista 80.",
            "The Porto office is no longer on Boavista; it is at Cais da Ribeira 3 now.",
        ),
        "where is the Porto office?",
    ),
    Fact(
        "lead",
        (
            "The lead of the billing team is Hana Sato.",
            "The new lead of the billing team is Luis Ortega.",
            "The lead of the billing team is Priya Nair instead of Luis Ortega.",
        ),
        "who leads the billing team?",
    ),
    Fact(
        "formatter",
        (
            "We format the Python code with black.",
            "We switched from black to yapf for the Python code.",
            "We format the Python code with ruff instead of yapf.",
        ),
        "what do we format Python code with?",
    ),
    Fact(
        "standup",
        (
            "The platform standup is at 9:30.",
            "The platform standup was moved to 10:15.",
            "The platform standup is at 11:00 from now on.",
        ),
        "when is the platform standup?",
    ),
    Fact(
        "queue",
        (
            "Image jobs are sent through RabbitMQ.",
            "Image jobs are no longer sent through RabbitMQ but through Kafka.",
            "Image jobs are sent through NATS now; Kafka was replaced.",
        ),
        "through what are image jobs sent?",
    ),
    Fact(
        "phone",
        (
            "The user's phone is a Fairphone 4.",
            "The user replaced the Fairphone 4: the phone is a Pixel 9 now.",
            "The user's phone is an iPhone 17 now.",
        ),
        "which phone does the user have?",
    ),
    Fact(
        "gym",
        (
            "The user goes to the gym on Mondays and Thursdays.",
            "The user no longer goes to the gym on Mondays; it is Tuesdays and Thursdays.",
            "The user goes to the gym on Saturdays only now.",
        ),
        "on which days does the user go to the gym?",
    ),
    Fact(
        "diet",
        (
            "The user is vegetarian.",
            "The user is vegan now, no longer vegetarian.",
            "The user is not vegan any more and eats fish.",
        ),
        "what is the user's diet, vegan or vegetarian?",
    ),
    Fact(
        "deadline",
        (
            "The deadline for the grant proposal is March 3.",
            "The deadline for the grant proposal was postponed to March 17.",
            "The grant proposal's deadline is now April 2.",
        ),
        "when is the deadline for the grant proposal?",
    ),
    Fact(
        "port",
        (
            "The metrics exporter listens on port 9100.",
            "The metrics exporter was moved to port 9187.",
            "The metrics exporter listens on port 9256 instead of 9187.",
        ),
        "on which port does the metrics exporter listen?",
    ),
    Fact(
        "plan",
        (
            "Our hosting plan at Hetzner is CX22.",
            "Our hosting plan at Hetzner was changed to CX32.",
            "We now have the CX42 hosting plan at Hetzner.",
        ),
        "which hosting plan do we have at Hetzner?",
    ),
    Fact(
        "maintainer",
        (
            "Tomasz maintains the parser crate.",
            "Tomasz no longer maintains the parser crate; Ingrid does.",
            "The parser crate is maintained by Wei now, Ingrid left.",
        ),
        "who maintains the parser crate?",
    ),
    Fact(
        "car",
        (
            "The user drives a blue Renault Zoe.",
            "The user sold the Renault Zoe and drives a grey Kia Niro now.",
            "The user drives a Skoda Enyaq now instead of the Kia Niro.",
        ),
        "which car does the user drive?",
    ),
    Fact(
        "branch",
        (
            "Releases are cut from the branch master.",
            "Releases are cut from the branch main instead of master.",
            "Releases are now cut from the branch stable, no longer from main.",
        ),
        "from which branch are releases cut?",
    ),
    Fact(
        "dentist",
        (
            "The user's dentist is Dr. Weber in Altona.",
            "The user changed dentists: it is Dr. Lindqvist in Ottensen now.",
            "The user's dentist is Dr. Moreau now, since Dr. Lindqvist retired.",
        ),
        "who is the user's dentist?",
    ),
)
HELD_OUT = (
    Fact(
        "vet",
        (
            "The vet of the user's dog is Dr. Kessler in Barmbek.",
            "Dr. Kessler closed her practice; the dog's vet is Dr. Oyelaran now.",
            "The user takes the dog to the animal clinic in Wandsbek instead of Dr. Oyelaran.",
        ),
        "who is the vet of the user's dog?",
    ),
    Fact(
        "registry",
        (
            "Container images are pushed to Docker Hub.",
            "Container images are pushed to Harbor instead of Docker Hub.",
            "We moved the container images from Harbor to the GitHub registry.",
        ),
        "where are container images pushed to?",
    ),
    Fact(
        "sprint",
        (
            "Our sprints last two weeks.",
            "Our sprints were extended to three weeks.",
            "Sprints last one week from now on.",
        ),
        "how long do our sprints last?",
    ),
    Fact(
        "treasurer",
        (
            "The treasurer of the rowing club is Birgit Olsen.",
            "Birgit Olsen stepped down; the treasurer of the rowing club is Amadou Diallo now.",
            "The new treasurer of the rowing club is Fen Zhao.",
        ),
        "who is the treasurer of the rowing club?",
    ),
    Fact(
        "rent",
        (
            "The rent of the studio is 740 EUR.",
            "The rent of the studio was raised to 790 EUR.",
            "The studio's rent is now 820 EUR.",
        ),
        "how much is the rent of the studio?",
    ),
    Fact(
        "seat",
        (
            "Mira works in the Zurich branch.",
            "Mira was transferred to the Geneva branch.",
            "Mira no longer works in Geneva; she is at the Basel branch now.",
        ),
        "in which branch does Mira work?",
    ),
    Fact(
        "cache",
        (
            "The product catalogue is cached in Memcached.",
            "We replaced Memcached with Redis for the product catalogue.",
            "The product catalogue is cached in Valkey now, Redis was dropped.",
        ),
        "in what is the product catalogue cached?",
    ),
    Fact(
        "lesson",
        (
            "The user's piano lesson is on Wednesday at 17:00.",
            "The user's piano lesson has been rescheduled to Thursday at 18:00.",
            "The piano lesson of the user is on Saturday at 10:00 now.",
        ),
        "when is the user's piano lesson?",
    ),
    Fact(
        "bank",
        (
            "The company account is at Sparkasse.",
            "The company account was moved to Qonto.",
            "The company account is at Holvi now, no longer at Qonto.",
        ),
        "at which bank is the company account?",
    ),
    Fact(
        "python",
        (
            "The importer requires Python 3.9.",
            "The importer now requires Python 3.11.",
            "We bumped the importer to Python 3.13.",
        ),
        "which Python does the importer require?",
    ),
    Fact(
        "allotment",
        (
            "The user grows tomatoes on the allotment.",
            "The user grows pumpkins on the allotment now instead of tomatoes.",
            "The user stopped growing pumpkins on the allotment and grows beans.",
        ),
        "what does the user grow on the allotment?",
    ),
    Fact(
        "contact",
        (
            "Our contact at Nordlicht is Katja Brehm.",
            "Our new contact at Nordlicht is Timo Aalto.",
            "Timo Aalto left Nordlicht; our contact there is Selma Lind now.",
        ),
        "who is our contact at Nordlicht?",
    ),
)
"""Facts that were written before the rules and measured twice: one rule was added for the first,
the vet, in between.
"""

BUDGET = 600


@dataclass
class Figures:
    """The results of every probe of every day."""

    days: int
    freshness: str
    probes: int = 0
    first_in_search: int = 0
    first_in_context: int = 0
    summaries: int = 0
    summaries_flagged: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def search(self) -> float:
        """Return the share of searches with the current statement before all superseded ones."""
        return self.first_in_search / self.probes if self.probes else 0.0

    @property
    def context(self) -> float:
        """Return the same share of contexts."""
        return self.first_in_context / self.probes if self.probes else 0.0


def simulate(
    days: int, freshness: str, provider: str = "static", facts: tuple[Fact, ...] = FACTS
) -> Figures:
    """Simulate `days` days and probe every fact every evening."""
    now = START
    settings = Settings(embed_provider=provider, freshness=freshness)
    with Ghost.open(":memory:", settings=settings, clock=lambda: now) as ghost:
        agent, found = Agent(ghost), Figures(days, freshness)
        for number in range(1, days + 1):
            for hour in agent.day(number):
                now = START + timedelta(days=number, hours=hour)
            for at, fact in enumerate(facts):
                _tell(ghost, fact, number, days, at)
            for at, fact in enumerate(facts):
                _probe(ghost, fact, _stage(number, days, at), number, found)
            now = START + timedelta(days=number, hours=27)
            ghost.reflect(NS)
        _summaries(ghost, facts, found)
        return found


def _stage(number: int, days: int, at: int) -> int:
    """Return which statement of a fact is true on a day; each fact changes on different days."""
    return sum(number >= 1 + at % 3 + days * stage // 3 for stage in range(3)) - 1


def _tell(ghost: Ghost, fact: Fact, number: int, days: int, at: int) -> None:
    stage = _stage(number, days, at)
    if stage < 0 or stage == _stage(number - 1, days, at):
        return
    ghost.put(NS, f"{fact.name}-{'abc'[stage]}", fact.said[stage], kind="semantic")
    if stage == 0:  # somebody sums up what is known on the first day, and never does so again
        ghost.put(
            NS,
            f"{fact.name}-aside",
            f"There is a page about {fact.name} in the handbook.",
            kind="semantic",
        )
        ghost.consolidate(
            NS,
            f"{fact.name}-summary",
            f"Summary: {fact.said[0]}",
            [f"{fact.name}-a", f"{fact.name}-aside"],
        )


def _probe(ghost: Ghost, fact: Fact, stage: int, number: int, found: Figures) -> None:
    if stage < 0:
        return
    keys = [f"{fact.name}-{letter}" for letter in "abc"[: stage + 1]]
    hits = [hit.key for hit in ghost.search(fact.question, NS, limit=5)]
    pack = ghost.context(fact.question, NS, budget=BUDGET).keys
    found.probes += 1
    good = _leads(hits, keys), _leads(pack, keys) or _stands(pack, fact, stage)
    found.first_in_search += good[0]
    found.first_in_context += good[1]
    for name, fine, seen in (("search", good[0], hits), ("context", good[1], pack)):
        if not fine:
            found.failures.append(f"day {number}, {name}, {fact.question}: {seen}")


def _leads(seen: list[str], keys: list[str]) -> bool:
    """Say whether the last of some keys is present and before all the others."""
    return keys[-1] in seen and all(
        seen.index(keys[-1]) < seen.index(key) for key in keys[:-1] if key in seen
    )


def _stands(pack: list[str], fact: Fact, stage: int) -> bool:
    """Say whether a summary made that day covers a fact that has not changed yet."""
    return stage == 0 and f"{fact.name}-summary" in pack


def _summaries(ghost: Ghost, facts: tuple[Fact, ...], found: Figures) -> None:
    """Count the summaries with an outdated statement, and those that are flagged or closed."""
    doubts = {doubt.key for doubt in ghost.conflicts(NS).maybe_stale}
    for fact in facts:
        key = f"{fact.name}-summary"
        is_flagged = key in doubts or ghost.get(NS, key).valid_to is not None
        found.summaries += 1
        found.summaries_flagged += is_flagged
        if not is_flagged:
            found.failures.append(f"not flagged: {key}")


def main() -> int:
    """Simulate both settings for corrections and print the results of the probes."""
    parser = argparse.ArgumentParser(prog="python -m bench.evolving", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--days", type=int, default=90, help="virtual days (default %(default)s)")
    parser.add_argument(
        "--provider", default="static", help="where vectors come from (default %(default)s)"
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="other facts, all but one of which no rule was chosen by",
    )
    arguments = parser.parse_args()
    if arguments.days < 9:
        parser.error(f"{arguments.days} days are too few for facts to change twice")
    facts = HELD_OUT if arguments.held_out else FACTS
    runs = [
        simulate(arguments.days, freshness, arguments.provider, facts) for freshness in FRESHNESS
    ]
    rows = [
        (
            "current statement first in search",
            *(f"{one.search:.4f} of {one.probes}" for one in runs),
        ),
        (
            "current statement first in context",
            *(f"{one.context:.4f} of {one.probes}" for one in runs),
        ),
        (
            "summaries of old statements flagged",
            *(f"{one.summaries_flagged} of {one.summaries}" for one in runs),
        ),
    ]
    text = table((f"after {arguments.days} days, freshness", *FRESHNESS), rows)
    failures = "".join(f"\n{one.freshness}: {line}" for one in runs for line in one.failures[:20])
    show(
        {"days": arguments.days, "runs": [asdict(one) for one in runs], "machine": machine()},
        text + failures,
        arguments.json,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
