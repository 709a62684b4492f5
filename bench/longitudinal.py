"""python -m bench.longitudinal: facts, noise and identity over weeks, with reflect on and off.

A simulated agent works every day: hooks capture noise as sensory memories, some chatter is stored
as it comes, a few facts are put in the first days and are later used, shown, asked for once a week,
or not used. Reflect runs at night, or not at all. The clock is virtual, the vectors are the
static model's, and everything is the same in every run."""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta

from bench.report import machine, show, table
from ghostmem import Ghost, Settings

NS = "agent:longitudinal"
START = datetime(2026, 1, 5, tzinfo=UTC)
NOISE, CHATTER = 8, 3  # a day
NOTICED = 5  # days after which one more sensory memory is read twice
TIMES = 2  # a day that a fact is used or shown
LEFT_AFTER = 14  # days after which the facts of the last sort are never asked for again
MODES = ("off", "built-in rules", "and one for chatter")
PERSONA = (
    "You are Ada, the release engineer of the harbour team. You answer briefly and never guess."
)

USED = {
    "deploy-day": (
        "The Atlas gateway is deployed on Thursdays at 14:00.",
        "when is the Atlas gateway deployed?",
    ),
    "oncall": (
        "Marguerite Oyelaran is on call for the payments service.",
        "who is on call for payments?",
    ),
    "staging-db": (
        "The staging database runs on host kestrel-07, port 6543.",
        "which host runs the staging database?",
    ),
    "style": (
        "Commit subjects are written in the imperative mood.",
        "how are commit subjects written?",
    ),
    "flaky": (
        "The checkout test is flaky because of the sandbox mailer.",
        "why is the checkout test flaky?",
    ),
    "vpn": (
        "The VPN profile for contractors is called heron-guest.",
        "what is the contractors' VPN profile called?",
    ),
}
SHOWN = {
    "coffee": (
        "The user drinks oat flat whites, never filter coffee.",
        "what coffee does the user drink?",
    ),
    "timezone": (
        "The user lives in Lisbon and works from ten to six.",
        "in which city does the user live?",
    ),
    "editor": (
        "The user edits in Helix with the gruvbox theme.",
        "which editor does the user prefer?",
    ),
    "keyboard": (
        "The user types on a split Ergodox keyboard.",
        "which keyboard does the user type on?",
    ),
    "language": (
        "The user reads Portuguese, English and some Danish.",
        "which languages can the user read?",
    ),
    "birthday": ("The user's daughter Inês has her birthday in June.", "when is Inês's birthday?"),
}
SELDOM = {
    "licence": (
        "The turbine simulator may be published under Apache 2.0.",
        "under which licence is the turbine simulator?",
    ),
    "backup": (
        "Quarterly backups are kept in the Falun vault for seven years.",
        "where are quarterly backups kept?",
    ),
    "contact": ("Legal questions go to Tobias Renner in Graz.", "who answers legal questions?"),
    "budget": (
        "The GPU budget for the spring is 18,400 euros.",
        "how large is the GPU budget for spring?",
    ),
    "incident": (
        "The March outage came from an expired intermediate certificate.",
        "what caused the March outage?",
    ),
    "retention": (
        "Session transcripts are deleted after 45 days.",
        "how long are session transcripts kept?",
    ),
}
LEFT = {
    "migration": (
        "The orders table was migrated to Postgres 16 partitions.",
        "what was the orders table migrated to?",
    ),
    "codename": (
        "The pricing rewrite is called Project Cormorant inside.",
        "what is the pricing rewrite called?",
    ),
    "vendor": (
        "The label printer comes from a vendor called Skogsberg.",
        "which vendor makes the label printer?",
    ),
    "badge": (
        "Visitor badges are printed at gate four of the Delft site.",
        "where are visitor badges printed?",
    ),
}
FACTS = USED | SHOWN | SELDOM | LEFT

WORDS = (
    "anchor basket canyon drawer ember falcon garnet hollow indigo jigsaw kernel lantern "
    "meadow needle oyster pillar quarry"
    " ribbon saddle timber umbra velvet walnut yonder zephyr"
).split()
CAPTURED = (
    "Bash: pytest -q tests/test_{a}.py gave {n} passed in {m} seconds.",
    "Read src/{a}/{b}.py from line {n} to line {m}.",
    "Edit: replaced {a}_{b} by {b}_{a} in src/{a}.py, line {n}.",
    "Grep for {a} found {n} matches in {m} files.",
    "git status: {n} files changed below {a}/{b}.",
    "The tool answered with exit code {n} after trying {a} and {b}.",
)
SAID = (
    "ok, then let us look at the {a} {b} first ({n})",
    "thanks, the {a} page of the {b} draft looks better now, {n} words",
    "hm, I am not sure about the {a} or the {b}; remind me around {n}:{m}",
)


@dataclass
class Figures:
    """The state of the store after the last night."""

    days: int
    mode: str
    found: dict[str, float] = field(
        default_factory=dict
    )  # share of each sort of facts among the first five hits
    left_asleep: float = (
        0.0  # share of facts that were left alone which a search through all tiers still finds
    )
    noise_put: int = 0
    noise_live: int = 0
    chatter_put: int = 0
    chatter_awake: int = 0
    promoted: int = 0
    promoted_unused: int = 0
    exposed: int = 0  # shown more than 50 times and never used, and not moved to long-term
    awake: int = 0
    stored: int = 0
    identity_same: bool = True
    awake_by_day: list[int] = field(default_factory=list)

    @property
    def unused_share(self) -> float:
        """Return which share of the long-term memories was never really used."""
        return self.promoted_unused / self.promoted if self.promoted else 0.0


class Agent:
    """A simulated agent that captures, stores, asks for and uses memories."""

    def __init__(self, ghost: Ghost, seed: int = 7) -> None:
        self.ghost, self.noise, self.chatter = ghost, 0, 0
        self._chance = random.Random(seed)

    def day(self, number: int) -> Iterator[int]:
        """Live through a day, and yield whenever an hour has passed."""
        if number == 1:
            self.ghost.put(
                NS, "persona", PERSONA, tier="identity", importance=1.0, tags=["identity"]
            )
        for at, (key, (text, _)) in enumerate(FACTS.items()):
            if at % 5 + 1 == number:
                self.ghost.put(NS, key, text, kind="semantic")
        yield 9
        for time in range(TIMES):
            self._work(number)
            yield 11 + 2 * time
        for at in range(NOISE):
            self.noise += 1
            self.ghost.put(
                NS, f"hook-{self.noise}", self._line(CAPTURED), tier="sensory", tags=["hook"]
            )
            if number % NOTICED == 0 and at == 0:
                self.ghost.get(NS, f"hook-{self.noise}")
                self.ghost.get(NS, f"hook-{self.noise}")
        for _ in range(CHATTER):
            self.chatter += 1
            self.ghost.put(NS, f"chat-{self.chatter}", self._line(SAID), tags=["chat"])
        yield 17

    def _work(self, number: int) -> None:
        """Ask for needed memories and use them; receive others without asking."""
        for key in [*USED, *(LEFT if number <= LEFT_AFTER else {})]:
            if number > 5:
                self._use(key)
        for _, question in SHOWN.values():
            if number > 5:
                self.ghost.context(question, NS, budget=200)
        for at, key in enumerate(SELDOM):
            if number > 5 and number % 7 == at:
                self._use(key)

    def _use(self, key: str) -> None:
        hits = self.ghost.search(FACTS[key][1], NS, limit=5)
        if key in [hit.key for hit in hits]:
            self.ghost.get(NS, key)
            self.ghost.used(NS, [key])

    def _line(self, templates: tuple[str, ...]) -> str:
        one, other = self._chance.sample(WORDS, 2)
        template = self._chance.choice(templates)
        return template.format(
            a=one, b=other, n=self._chance.randint(10, 9999), m=self._chance.randint(10, 59)
        )


def simulate(days: int, mode: str) -> Figures:
    """Simulate `days` days, with reflect every night if it is on, and return the figures."""
    now = START
    with Ghost.open(
        ":memory:", settings=Settings(embed_provider="static"), clock=lambda: now
    ) as ghost:
        if mode == MODES[2]:
            given = {"to_tier": "dormant"}
            ghost.lifecycle.set_rule(
                "old chatter sleeps",
                "DEMOTE",
                tag="chat",
                tier="stm",
                unaccessed_gt_hours=168,
                action_params=given,
            )
        agent, found = Agent(ghost), Figures(days, mode)
        for number in range(1, days + 1):
            for hour in agent.day(number):
                now = START + timedelta(days=number, hours=hour)
            now = START + timedelta(days=number, hours=27)  # three at night
            if mode != MODES[0]:
                before = _identity(ghost)
                ghost.reflect()
                found.identity_same &= _identity(ghost) == before
            found.awake_by_day.append(_awake(ghost))
        return _look(ghost, agent, found)


def _identity(ghost: Ghost) -> str:
    """Return the pinned memory's row as it is exported."""
    return next(line for line in ghost.export(NS) if '"persona"' in line)


def _awake(ghost: Ghost) -> int:
    return sum(memory.tier != "dormant" for memory in ghost.list(NS, limit=100_000))


def _look(ghost: Ghost, agent: Agent, found: Figures) -> Figures:
    """Count the remaining memories, then ask for every fact."""
    memories = ghost.list(NS, limit=100_000)
    lines = [json.loads(line) for line in ghost.export(NS)]
    used = {line["memory_id"] for line in lines if line["type"] == "access" and line["used"]}
    lasting = [memory for memory in memories if memory.tier == "ltm" and not memory.pinned]
    found.noise_put, found.chatter_put = agent.noise, agent.chatter
    found.noise_live = sum(
        memory.key.startswith("hook-") and memory.tier == "sensory" for memory in memories
    )
    found.chatter_awake = sum(
        memory.key.startswith("chat-") and memory.tier != "dormant" for memory in memories
    )
    found.promoted, found.promoted_unused = (
        len(lasting),
        sum(memory.id not in used for memory in lasting),
    )
    found.exposed = sum(
        memory.access_count > 50 and memory.tier == "stm" and memory.id not in used
        for memory in memories
    )
    found.awake, found.stored = found.awake_by_day[-1], len(memories)
    persona = next(memory for memory in memories if memory.key == "persona")
    found.identity_same &= (persona.content, persona.tier, persona.importance, persona.version) == (
        PERSONA,
        "ltm",
        1.0,
        1,
    )
    for name, facts in (("used", USED), ("shown", SHOWN), ("seldom", SELDOM), ("left", LEFT)):
        found.found[name] = _share(ghost, facts, False)
    found.left_asleep = _share(ghost, LEFT, True)
    return found


def _share(ghost: Ghost, facts: dict[str, tuple[str, str]], every_tier: bool) -> float:
    hits = [
        key in [hit.key for hit in ghost.search(question, NS, limit=5, include_all=every_tier)]
        for key, (_, question) in facts.items()
    ]
    return sum(hits) / len(hits)


def rows_of(runs: list[Figures]) -> list[tuple[str, ...]]:
    """Return the figures side by side, one row for each."""
    told = {
        "facts used every day, found": [f"{one.found['used']:.0%}" for one in runs],
        "facts only shown, found": [f"{one.found['shown']:.0%}" for one in runs],
        "facts asked for once a week, found": [f"{one.found['seldom']:.0%}" for one in runs],
        f"facts left alone after {LEFT_AFTER} days, found": [
            f"{one.found['left']:.0%}" for one in runs
        ],
        "the same, in all tiers": [f"{one.left_asleep:.0%}" for one in runs],
        "noise still there": [f"{one.noise_live} of {one.noise_put}" for one in runs],
        "chatter still awake": [f"{one.chatter_awake} of {one.chatter_put}" for one in runs],
        "moved to long-term": [f"{one.promoted}" for one in runs],
        "of these never used": [f"{one.unused_share:.0%}" for one in runs],
        "shown > 50 times, never used, not moved": [f"{one.exposed}" for one in runs],
        "awake after the last night": [f"{one.awake}" for one in runs],
        "most awake on any day": [f"{max(one.awake_by_day)}" for one in runs],
        "stored, asleep too": [f"{one.stored}" for one in runs],
        "identity the same to the byte": ["yes" if one.identity_same else "no" for one in runs],
    }
    return [(name, *cells) for name, cells in told.items()]


def main() -> int:
    """Simulate with reflect off and on, and print both."""
    parser = argparse.ArgumentParser(prog="python -m bench.longitudinal", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--days", type=int, default=90, help="virtual days (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.days < 1:
        parser.error(f"{arguments.days} days are too few")
    runs = [simulate(arguments.days, mode) for mode in MODES]
    text = table((f"after {arguments.days} days, reflect", *MODES), rows_of(runs))
    show(
        {"days": arguments.days, "runs": [asdict(one) for one in runs], "machine": machine()},
        text,
        arguments.json,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
