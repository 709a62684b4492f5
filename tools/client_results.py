"""Print the results of `make test-clients` as a table, or write it into docs/clients/index.md.

python tools/client_results.py            print, with the time of each client
python tools/client_results.py --write    write the table into the page
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from ghostmem.setup.clients import CLIENTS

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / ".clients" / "results"
PAGE = ROOT / "docs" / "clients" / "index.md"
STEPS = ("setup", "put", "recall", "correction", "compaction", "isolation", "remove")
MODES = {
    "headless": "headless",
    "terminal": "terminal",
    "plugin": "headless, with the plugin",
    "listed": "list of servers only",
}
_PLACE = re.compile(r"(<!-- results of .*?-->\n).*?(<!-- end of the results -->\n)", re.DOTALL)


def table(results: list[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown, with a sentence about the other clients."""
    lines = [f"| client | version | session | {' | '.join(STEPS)} |"]
    lines += ["|---" * (3 + len(STEPS)) + "|"]
    for result in results:
        cells = [result["title"], result["version"], MODES[result["mode"]]]
        cells += [result["steps"].get(step, "–") for step in STEPS]
        lines.append(f"| {' | '.join(cells)} |")
    run = {result["client"] for result in results}
    others = ", ".join(client.title for name, client in CLIENTS.items() if name not in run)
    return "\n".join(
        [*lines, "", f"Not run; configuration written from the published format: {others}."]
    )


def main() -> int:
    """Print or write the table."""
    order = list(CLIENTS)
    results = [json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")]
    results.sort(key=lambda result: (order.index(result["client"]), result["mode"]))
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            _PLACE.sub(lambda place: f"{place[1]}\n{table(results)}\n\n{place[2]}", page),
            encoding="utf-8",
            newline="\n",
        )
        return 0
    print(table(results))
    print()
    for result in results:
        print(f"{result['seconds']:4} s  {result['title']}, {MODES[result['mode']]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
