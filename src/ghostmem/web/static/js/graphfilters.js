// The legend of the graph, which is also its filter: tiers, relations, weight, and whether unlinked memories are drawn.
import { el, put, svg } from "./dom.js";
import { checkbox } from "./parts.js";
import { RELS, TIERS, number } from "./words.js";

/** Return {node, fill(model)}; `changed` hears {tiers, rels (both: what is hidden), weight, loose}. */
export function graphFilters(changed) {
  const hidden = { tiers: new Set(), rels: new Set() };
  const tiers = el("div", { class: "legend-group", role: "group", "aria-label": "Tiers" });
  const rels = el("div", { class: "legend-group", role: "group", "aria-label": "Relations" });
  const shown = el("output", { class: "num" }, "0.00");
  const weight = el("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0, "aria-label": "Least weight of a link", oninput: weigh });
  const loose = checkbox("Unlinked too", { checked: true, onchange: (event) => changed({ loose: event.target.checked }) });

  function weigh() {
    shown.textContent = Number(weight.value).toFixed(2);
    changed({ weight: Number(weight.value) });
  }

  function toggle(group, name, many, mark, label, about) {
    const button = el("button", { class: `legend ${group === "rels" ? `rel-${name}` : `tier-${name}`}`, type: "button", "aria-pressed": String(!hidden[group].has(name)), title: about, onclick: flip }, mark, label, el("span", { class: "soft" }, number(many)));
    function flip() {
      if (hidden[group].has(name)) hidden[group].delete(name);
      else hidden[group].add(name);
      button.setAttribute("aria-pressed", String(!hidden[group].has(name)));
      changed({ [group]: hidden[group] });
    }
    return button;
  }

  function fill({ nodes, edges }) {
    const tally = (list, field) => list.reduce((found, one) => found.set(one[field], (found.get(one[field]) || 0) + 1), new Map());
    const inTier = tally(nodes, "tier");
    const inRel = tally(edges, "rel");
    put(tiers, Object.entries(TIERS).filter(([tier]) => inTier.has(tier)).map(([tier, about]) => toggle("tiers", tier, inTier.get(tier), el("i", { class: "shape", "aria-hidden": "true" }), about.label, about.about)));
    put(rels, Object.entries(RELS).filter(([rel]) => inRel.has(rel)).map(([rel, about]) => toggle("rels", rel, inRel.get(rel), sample(about.dash), about.label, `Show or hide: ${about.label}`)));
  }

  const narrow = matchMedia("(max-width: 899px)").matches;
  const node = el(
    "details", { class: "graph-filters", open: !narrow },
    el("summary", null, "Legend and filters"),
    el("div", { class: "graph-legend" }, tiers, el("label", { class: "weight" }, el("span", { class: "soft" }, "Weight from"), weight, shown), loose, rels),
  );
  return { node, fill };
}

/** A relation's line as it is drawn in the map. */
function sample(dash) {
  return svg("svg", { class: "sample", width: 26, height: 8, "aria-hidden": "true" }, svg("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-dasharray": dash.join(" ") || null }));
}
