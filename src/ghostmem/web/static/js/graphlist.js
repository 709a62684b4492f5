// The graph as a list: the same nodes and links for those who read rather than look.
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { coded, memoryLink, relChip, tierChip } from "./parts.js";
import { count } from "./words.js";

const FIRST = 100;

/** Draw the nodes that are not filtered out, best linked first, each with its links. */
export function graphList(place, space, known, map, choose, rows = FIRST) {
  const shown = known.nodes.map((_, node) => node).filter((node) => map.shows(node));
  shown.sort((a, b) => known.nodes[b].degree - known.nodes[a].degree || known.nodes[a].key.localeCompare(known.nodes[b].key));
  const open = new Set([...place.querySelectorAll("details[open]")].map((one) => one.dataset.key));
  put(
    place,
    el("ol", { class: "node-rows" }, shown.slice(0, rows).map((node) => row(space, known, node, choose, open))),
    shown.length > rows && el("button", { class: "button", type: "button", onclick: () => graphList(place, space, known, map, choose, rows * 4) }, `Show more of ${shown.length}`),
  );
}

function row(space, known, node, choose, open) {
  const { key, summary, tier, degree } = known.nodes[node];
  const links = known.around(node);
  const inner = el("ul", { class: "node-links" });
  const box = el(
    "details", { dataset: { key }, open: open.has(key), ontoggle: fill },
    el("summary", null, icon("chevron", 14), count(degree, "link")),
    inner,
  );
  function fill() {
    if (inner.childElementCount || !box.open) return;
    put(inner, links.map((edge) => {
      const out = edge.source === node;
      const other = known.nodes[out ? edge.target : edge.source].key;
      return el("li", null, relChip(edge.rel, out), memoryLink(space, other), el("span", { class: "soft num" }, edge.weight.toFixed(2)));
    }));
  }
  if (box.open) fill();
  return el(
    "li", { class: "node-row" },
    el("div", { class: "node-head" }, memoryLink(space, key), tierChip(tier)),
    el("p", { class: "soft", dir: "auto" }, coded(summary)),
    links.length ? box : degree ? el("button", { class: "button small", type: "button", onclick: () => choose(key) }, `Bring ${count(degree, "link")}`) : null,
  );
}
