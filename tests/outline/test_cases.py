"""Sources of each language, with the exact edges and symbols of their graphs

Each file of the folder `cases` has the cases of a language. A case begins with a line `== title`;
below it stand what it shows, its files behind `--- file PATH` (a `.mod`, `.toml` or `.json` is only
read), and what the graph has: `--- edges KIND ...` are all edges of these kinds as `start kind end
rung`, and behind `loose` the references of these kinds that stay open, with how many symbols have
the name; `--- nodes` are all symbols of the project as `name kind file:line`, then the full name
where it is another; `--- notes` is what the graph says of itself. Where symbols share a name, it has
their place.

The cases `calls: ...` are the same eight failures of other tools in each of the eight languages that
have them: same name, dropped receiver, chain, star, alias, pointer, overload, module level.
"""

import pytest

from outline.conftest import CASES, Case, check_orders, check_whole


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_the_graph_has_exactly_this(case: Case) -> None:
    """Nothing is missing, nothing is invented, and what cannot be known is counted."""
    graph = case.graph()
    check_whole(graph)
    assert {head: case.told(graph, head) for head in case.expected} == case.expected


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in CASES.items() if len(case.sources) > 1]
)
def test_the_order_of_files_does_not_matter(case: Case) -> None:
    """Any order of files gives the same graph."""
    check_orders(case.language, case.sources, case.others)
