"""The results as a picture: one panel a measure, one bar a peer, in plain SVG."""

from collections.abc import Callable
from html import escape
from math import log10
from typing import Any, NamedTuple

Found = dict[str, Any]
WIDE, NAMES, BARS, ROW, GAP, TOP = 980, 130, 260, 17, 34, 34
OURS, THEIRS, INK, PALE = "#2f6f4f", "#9aa7b4", "#222222", "#777777"


class Panel(NamedTuple):
    """A measure: its title, how to read and format its value, whether its scale is logarithmic."""

    title: str
    read: Callable[[Found], float]
    write: str = "{:,.0f}"
    log: bool = True


PANELS = (
    Panel("bulk, memories/s (more is better)", lambda peer: peer["ingest"]["per_s"]),
    Panel("one put, p50 ms (less)", lambda peer: peer["put"]["p50_ms"], "{:,.1f}"),
    Panel("search, p50 ms (less)", lambda peer: peer["search"]["p50_ms"], "{:,.1f}"),
    Panel("start to first answer, ms (less)", lambda peer: peer["cold"]["wall_ms"]),
    Panel(
        "topical questions, hit@5 % (more)",
        lambda peer: peer["quality"]["small"]["topical"]["hit5"],
        log=False,
    ),
    Panel(
        "identifiers, hit@5 % (more)",
        lambda peer: peer["quality"]["small"]["identifier"]["hit5"],
        log=False,
    ),
    Panel("peak memory, MB (less)", lambda peer: peer["ingest"]["peak_mb"]),
    Panel("installed, MB (less)", lambda peer: peer["install"]["mb"]),
)


def plot(results: Found) -> str:
    """Draw the panels two by two."""
    peers = list(results["peers"].items())
    high = TOP + ROW * len(peers) + GAP
    rows = (len(PANELS) + 1) // 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {rows * high}" '
        'font-family="sans-serif" font-size="11">',
        "<title>Ghost and its peers, measured in one run</title>",
        f'<rect width="{WIDE}" height="{rows * high}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(PANELS):
        parts += _panel(panel, peers, number % 2 * WIDE // 2, number // 2 * high)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel, peers: list[tuple[str, Found]], left: int, top: int) -> list[str]:
    values = {name: _value(panel, peer) for name, peer in peers}
    known = [value for value in values.values() if value is not None]
    scale = ", logarithmic" if panel.log else ""
    out = [
        f'<text x="{left + 10}" y="{top + 20}" font-weight="bold" '
        f'fill="{INK}">{escape(panel.title + scale)}</text>'
    ]
    for at, (name, value) in enumerate(values.items()):
        y = top + TOP + at * ROW
        out.append(
            f'<text x="{left + NAMES}" y="{y + 10}" text-anchor="end" '
            f'fill="{INK}">{escape(name)}</text>'
        )
        if value is None:
            out.append(f'<text x="{left + NAMES + 6}" y="{y + 10}" fill="{PALE}">—</text>')
            continue
        long = _length(panel, value, known)
        colour = OURS if name.startswith("ghost") else THEIRS
        out.append(
            f'<rect x="{left + NAMES + 6}" y="{y + 1}" width="{long:.1f}" '
            f'height="{ROW - 5}" fill="{colour}"/>'
        )
        label = escape(panel.write.format(value))
        out.append(
            f'<text x="{left + NAMES + 11 + long:.1f}" y="{y + 10}" fill="{INK}">{label}</text>'
        )
    return out


def _value(panel: Panel, peer: Found) -> float | None:
    try:
        return float(panel.read(peer))
    except (KeyError, TypeError):
        return None


def _length(panel: Panel, value: float, known: list[float]) -> float:
    """Return the length of a bar; a logarithmic axis starts at a power of ten."""
    if not panel.log:
        return max(1.0, BARS * value / max(100.0, *known))
    least = 10 ** int(log10(max(min(known), 1e-3)) - (min(known) < 1))
    most = max(*known, least * 10)
    return max(1.0, BARS * log10(max(value, least) / least) / log10(most / least))
