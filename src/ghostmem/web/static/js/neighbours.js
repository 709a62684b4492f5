// What a memory is linked to, grouped by how, in both directions.
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { memoryLink, relChip, section, tierChip } from "./parts.js";
import { href } from "./router.js";
import { snippet } from "./snippet.js";
import { RELS, count } from "./words.js";

/** The section of links; `acts` has {may, consolidate(keys), unlink(near), link()}. */
export function neighbours({ memory, neighbours: near, neighbour_count: many }, kept, acts) {
  const groups = new Map();
  for (const one of near) {
    const name = RELS[one.rel]?.[one.out ? "label" : "back"] || one.rel; // some relations read the same from both ends
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(one);
  }
  const keys = new Set(near.map((one) => one.key));
  for (const key of [...kept.chosen]) if (!keys.has(key)) kept.chosen.delete(key);
  const merge = el("button", { class: "button small", type: "button", dataset: { act: "merge" }, onclick: () => acts.consolidate([memory.key, ...kept.chosen]) }, icon("merge", 16), el("span", null));
  const count_ = () => { merge.hidden = kept.chosen.size === 0; merge.lastChild.textContent = `Consolidate these ${kept.chosen.size + 1}`; };
  count_();
  const row = (one) => el(
    "li",
    { class: "near" },
    acts.may && el("input", { type: "checkbox", class: "near-pick", "aria-label": `Choose ${one.key}`, checked: kept.chosen.has(one.key), onchange: (event) => { if (event.target.checked) kept.chosen.add(one.key); else kept.chosen.delete(one.key); count_(); } }),
    el("div", { class: "near-text" }, el("p", { class: "near-head" }, memoryLink(memory.ns, one.key), one.tier !== "stm" && tierChip(one.tier), one.automatic && el("span", { class: "chip", title: "inferred by Ghost" }, "inferred")), el("p", { class: "soft near-summary", dir: "auto" }, snippet(one.summary, []))),
    el("span", { class: "weight", title: `weight ${one.weight.toFixed(2)}` }, el("i", { "aria-hidden": "true" }, el("b", { vars: { "--share": `${Math.round(one.weight * 100)}%` } })), el("span", { class: "sr" }, "weight "), one.weight.toFixed(2)),
    acts.may && el("button", { class: "button quiet icon-only", type: "button", "aria-label": `Remove the link to ${one.key}`, onclick: () => acts.unlink(one) }, icon("close", 16)),
  );
  const part = section("Linked to",
    near.length === 0 && el("p", { class: "soft" }, "Nothing is linked to it yet."),
    [...groups.values()].map((group) => el("div", { class: "near-group" }, el("h3", null, relChip(group[0].rel, group[0].out), el("span", { class: "soft" }, group.length)), el("ul", null, group.map(row)))),
    many > near.length && el("p", { class: "soft" }, `${count(many - near.length, "weaker link")} not shown.`));
  part.firstChild.append(el("span", { class: "section-tools" }, merge,
    near.length > 0 && el("a", { class: "button quiet small", href: href("graph", { ns: memory.ns, key: memory.key }) }, icon("graph", 16), "Graph"),
    acts.may && el("button", { class: "button quiet small", type: "button", title: "Link to another (n)", dataset: { act: "link" }, onclick: acts.link }, icon("plus", 16), "Link")));
  return part;
}
