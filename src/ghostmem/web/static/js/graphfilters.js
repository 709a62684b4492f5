// The legend of the graph, which is also its filter: tiers, colours, relations, weight, weak links and unlinked memories.
import { el, put, svg } from "./dom.js";
import { GROUPS } from "./paint.js";
import { checkbox, select } from "./parts.js";
import { isWeak } from "./scene.js";
import { KINDS, RELS, SOURCES, TIERS, number } from "./words.js";

// what nodes can be coloured by: its name, and the values of a node, of which the most frequent one counts
const COLOURS = {
  tier: ["Tier", null],
  tag: ["Tag", (node) => node.tags || []],
  kind: ["Kind", (node) => [node.kind]],
  source: ["Source", (node) => (node.source ? [node.source] : [])],
};
const LABELS = { kind: (name) => KINDS[name]?.label || name, source: (name) => SOURCES[name] || name };

/**
 * Return {node, fill(model)}; `changed` hears {tiers, rels, groups (all three: what is hidden), groupOf, weight, weak, loose}.
 * `colour` is what nodes are coloured by at first; `remember` hears another choice.
 */
export function graphFilters(changed, colour = "tier", remember = () => {}) {
  const hidden = { tiers: new Set(), rels: new Set(), groups: new Set() };
  let chosen = COLOURS[colour] ? colour : "tier";
  let known = { nodes: [], edges: [] };
  const groups = el("div", { class: "legend-group", role: "group", "aria-label": "Colours" });
  const by = select({ class: "input", "aria-label": "Colour by", value: chosen, onchange: () => { chosen = by.value; hidden.groups.clear(); remember(chosen); recolour(); } }, Object.entries(COLOURS).map(([name, [label]]) => [name, label]));
  const weakCount = el("span", { class: "soft" });
  const weak = checkbox("Weak automatic links", { name: "weak", onchange: (event) => changed({ weak: event.target.checked }) });
  weak.append(weakCount);
  const tiers = el("div", { class: "legend-group", role: "group", "aria-label": "Tiers" });
  const rels = el("div", { class: "legend-group", role: "group", "aria-label": "Relations" });
  const shown = el("output", { class: "num" }, "0.00");
  const weight = el("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0, "aria-label": "Minimum weight of a link", oninput: weigh });
  const loose = checkbox("Unlinked memories", { checked: true, onchange: (event) => changed({ loose: event.target.checked }) });

  function weigh() {
    shown.textContent = Number(weight.value).toFixed(2);
    changed({ weight: Number(weight.value) });
  }

  function toggle(group, name, many, mark, label, about) {
    const button = el("button", { class: `legend ${{ rels: "rel", tiers: "tier", groups: "group" }[group]}-${name}`, type: "button", "aria-pressed": String(!hidden[group].has(name)), title: about, onclick: flip }, mark, label, el("span", { class: "soft" }, number(many)));
    function flip() {
      if (hidden[group].has(name)) hidden[group].delete(name);
      else hidden[group].add(name);
      button.setAttribute("aria-pressed", String(!hidden[group].has(name)));
      changed({ [group]: hidden[group] });
    }
    return button;
  }

  /** Give each node the group of the most frequent of its values; the groups after the first few share a colour. */
  function recolour() {
    const values = COLOURS[chosen][1];
    const many = new Map();
    if (values) for (const node of known.nodes) for (const value of values(node)) many.set(value, (many.get(value) || 0) + 1);
    const order = [...many].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
    const place = new Map(order.map((value, at) => [value, Math.min(at, GROUPS - 1)]));
    const groupOf = values && ((node) => Math.min(GROUPS - 1, ...values(node).map((value) => place.get(value) ?? GROUPS - 1)));
    const sizes = Array(GROUPS).fill(0);
    if (groupOf) for (const node of known.nodes) sizes[groupOf(node)] += 1;
    const name = (at) => (at === GROUPS - 1 ? (order.length > GROUPS ? "others" : order[at] === undefined ? `no ${COLOURS[chosen][0].toLowerCase()}` : order[at]) : order[at]);
    put(groups, sizes.map((size, at) => size > 0 && toggle("groups", at, size, el("i", { class: "dot", "aria-hidden": "true" }), (LABELS[chosen] || String)(name(at)), `Show or hide: ${name(at)}`)));
    groups.hidden = !values;
    node.classList.toggle("by-group", Boolean(values));
    changed({ groupOf, groups: hidden.groups });
  }

  function fill({ nodes, edges }) {
    known = { nodes, edges };
    const many = edges.filter(isWeak).length;
    weak.hidden = !many;
    weakCount.textContent = number(many);
    const tally = (list, field) => list.reduce((found, one) => found.set(one[field], (found.get(one[field]) || 0) + 1), new Map());
    const inTier = tally(nodes, "tier");
    const inRel = tally(edges, "rel");
    put(tiers, Object.entries(TIERS).filter(([tier]) => inTier.has(tier)).map(([tier, about]) => toggle("tiers", tier, inTier.get(tier), el("i", { class: "shape", "aria-hidden": "true" }), about.label, about.about)));
    put(rels, Object.entries(RELS).filter(([rel]) => inRel.has(rel)).map(([rel, about]) => toggle("rels", rel, inRel.get(rel), sample(about.dash), about.label, `Show or hide: ${about.label}`)));
    recolour();
  }

  const narrow = matchMedia("(max-width: 899px)").matches;
  const node = el(
    "details", { class: "graph-filters", open: !narrow },
    el("summary", null, "Legend and filters"),
    el("div", { class: "graph-legend" }, el("label", { class: "weight colour-by" }, el("span", { class: "soft" }, "Colour by"), by), el("label", { class: "weight" }, el("span", { class: "soft" }, "Weight from"), weight, shown), weak, loose, el("div", { class: "legend-line" }, tiers, groups), rels),
  );
  return { node, fill };
}

/** A relation's line as it is drawn in the map. */
function sample(dash) {
  return svg("svg", { class: "sample", width: 26, height: 8, "aria-hidden": "true" }, svg("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-dasharray": dash.join(" ") || null }));
}
