"""Print the results of a benchmark: a table, or one JSON object."""

import json
import os
import platform
import sys
from collections.abc import Sequence
from typing import Any


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out in columns, texts to the left and figures to the right."""
    cells = [list(head), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    figures = [
        all(_is_figure(row[column]) for row in rows) and bool(rows) for column in range(len(head))
    ]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if figure else cell.ljust(width)
            for cell, width, figure in zip(row, widths, figures, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _is_figure(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] in "-<≤"


def machine() -> dict[str, Any]:
    """Describe the machine of the measurement."""
    import apsw

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 1,
        "load": round(load, 2),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
    }


def show(found: dict[str, Any], text: str, as_json: bool) -> None:
    """Print the findings in the form asked for."""
    sys.stdout.write((json.dumps(found, ensure_ascii=False) if as_json else text) + "\n")
