"""A store with realistic invented content for screenshots: 300 memories of four months.

It begins with the small store of the browser tests and adds the notes in `demo_memories.csv`: what
a team of four, their agents and a small study would have stored. A key that occurs twice there is
updated. The same time and seed give the same store."""

import csv
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from browser.believable import ME, SHOP, Moving, fill
from ghostmem import Ghost
from ghostmem.caller import CLIENT
from ghostmem.settings import Settings

NOTES = Path(__file__).with_name("demo_memories.csv")
BILLING, SITE, OPS = "project:billing-api", "project:website", "team:operations"
TEAM, LAB = "team:shared", "project:battery-lab"
CLIENTS = ("claude-code", "cursor", "codex")
START_DAYS, DORMANT_DAYS = 120, 70  # only older notes may be dormant
# namespace, key, relation, key
LINKS = (
    (BILLING, "currency-of-customer", "contradicts", "currency-of-invoice"),
    (BILLING, "retry-setting", "contradicts", "payment-retries"),
    (OPS, "backup-location", "contradicts", "backup-region"),
    (SITE, "visit-counts", "contradicts", "analytics"),
    (SHOP, "photo-delivery", "contradicts", "product-photos-format"),
    (SHOP, "idempotency-key", "caused_by", "payment-timeout"),
    (SHOP, "refund-flow", "depends_on", "payment-states"),
    (SHOP, "capture-on-ship", "refines", "payment-states"),
    (SHOP, "connection-pool", "caused_by", "load-test"),
    (SHOP, "klarna-sandbox", "depends_on", "payment-provider"),
    (SHOP, "klarna-api-version", "depends_on", "payment-provider"),
    (SHOP, "webhook-secret", "depends_on", "payment-provider"),
    (SHOP, "returns-portal", "depends_on", "refund-flow"),
    (SHOP, "search-suggestions", "prevents", "search-zero"),
    (BILLING, "double-entry", "refines", "ledger-rule"),
    (BILLING, "chargebacks", "depends_on", "ledger-rule"),
    (OPS, "search-index-restore", "caused_by", "restore-march"),
    (OPS, "spare-switch", "caused_by", "power-cut"),
    (LAB, "intervals", "caused_by", "reviewer"),
    (TEAM, "ines-start", "caused_by", "hiring"),
)
# used again and again, so that no run of the lifecycle makes them dormant
USED = (
    (SHOP, "deploy"),
    (SHOP, "payment-provider"),
    (SHOP, "payment-states"),
    (SHOP, "stack"),
    (ME, "name"),
)


def fill_demo(path: str, now: datetime, provider: str = "local", seed: int = 5) -> None:
    """Make the store."""
    fill(path, now, provider)
    random, clock = Random(seed), Moving(now - timedelta(days=START_DAYS))
    settings = Settings(embed_provider=provider)
    client = CLIENT.set("claude-code")
    with Ghost.open(path, settings=settings, clock=clock) as ghost:
        with NOTES.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="|", quoting=csv.QUOTE_NONE))
        for row in sorted(rows, key=lambda row: -float(row["days"])):
            clock.at = now - timedelta(days=float(row["days"]))
            ghost.put(row["ns"], row["key"], row["text"], **_fields(row, random))
        for ns, key, relation, other in LINKS:
            ghost.edge(ns, key, other, relation)
        _use(ghost, clock, now, random)
    CLIENT.reset(client)


def _fields(row: dict[str, str], random: Random) -> dict[str, Any]:
    tiers = ("stm", "ltm", "dormant") if float(row["days"]) > DORMANT_DAYS else ("stm", "ltm")
    return {
        "kind": row["kind"],
        "tags": row["tags"].split(","),
        "files": [name for name in row["files"].split(",") if name],
        "importance": round(random.uniform(0.3, 0.8), 2),
        "tier": random.choices(tiers, (5, 4, 1)[: len(tiers)])[0],
        "source_user": row["by"],
        "source_client": random.choice(CLIENTS),
    }


def _use(ghost: Ghost, clock: Moving, now: datetime, random: Random) -> None:
    """Use a third of the memories on several days, and let the lifecycle run."""
    memories = [m for m in ghost.list(limit=1000) if m.tier == "ltm" or random.random() < 0.35]
    for days in (40, 26, 15, 9, 5, 3, 1):
        clock.at = now - timedelta(days=days)
        known = [memory for memory in memories if memory.created_at < clock.at]
        for memory in known[days % 3 :: 3]:
            ghost.used(memory.ns, [memory.key])
        for memory in known if days == 3 else ():
            if memory.tier == "ltm":
                ghost.used(memory.ns, [memory.key])
    for ns, key in USED:
        ghost.used(ns, [key])
        while ghost.history(ns, key)[-1].tier == "dormant":
            ghost.curate(ns, key, "promote")
    clock.at = now - timedelta(hours=4)
    ghost.reflect(relink=True)
