"""How long a reflection over a large namespace takes, and how much memory."""

import json

from bench.child import json_of_python
from bench.corpus import many_sentences
from bench.latency_search import NS, load
from bench.timing import Plan, Section

MEMORIES = 50_000
_REFLECT = """
import json, resource, sys, time
from datetime import timedelta
from ghostmem import Ghost, Settings
from ghostmem.clock import now
path, days, dry = json.loads(sys.argv[1])
with Ghost.open(path, settings=Settings(embed_provider="static"), clock=lambda: now() + \
timedelta(days=days)) as ghost:
    began = time.process_time()
    report = ghost.reflect(dry_run=dry)
    spent = time.process_time() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == \
"darwin" else 1024)
found = {name: value for name, value in report.to_dict().items() if isinstance(value, int) and not \
isinstance(value, bool)}
print(json.dumps({"cpu_s": round(spent, 1), "peak_mb": round(peak), **found}))
"""


def reflecting(plan: Plan) -> Section:
    """Reflect over real sentences with static vectors: dry run, real run, and once more."""
    path = plan.folder / "reflect.db"
    load(path, many_sentences(MEMORIES))
    data = {}
    rows = []
    for name, days, dry in (("dry run", 3, True), ("first run", 3, False), ("next run", 4, False)):
        found = json_of_python("-c", _REFLECT, json.dumps([str(path), days, dry]))
        data[name.replace(" ", "_")] = found
        rows.append(
            (f"reflect, {name}, {MEMORIES:,} memories of {NS}", f"{found['cpu_s']} s", "", "< 60 s")
        )
        rows.append((f"reflect, {name}, peak memory", f"{found['peak_mb']:,} MB", "", "< 1,000 MB"))
    return Section(data, rows)
