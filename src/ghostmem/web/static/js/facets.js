// Counts beside results: how many are of each kind, tag and namespace, each a button that narrows to it.
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { session } from "./api.js";
import { middle } from "./parts.js";
import { chooseNs, ns } from "./state.js";
import { KINDS, joinList, number } from "./words.js";

const FIRST_TAGS = 10;

/** Count results as the server counts lists: {namespaces, kinds, tags}, each a list of {name, count}, most first. */
export function countFacets(hits) {
  const tally = (names) => {
    const found = new Map();
    for (const name of names) found.set(name, (found.get(name) || 0) + 1);
    return [...found].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
  };
  return {
    namespaces: tally(hits.map((hit) => hit.ns)),
    kinds: tally(hits.map((hit) => hit.kind)),
    tags: tally(hits.flatMap((hit) => (hit.tags || []).filter((tag) => tag !== "locked"))),
  };
}

/**
 * Return {node, show(counts, chosen)}: the column of facets. `chosen` is {kind, tags: [...]}; `pick(fields)` hears a choice as filters.
 * The namespace is that of the whole page.
 */
export function facetColumn(pick) {
  const groups = el("div", { class: "facet-groups", id: "facets" });
  const fold = el("button", { class: "button small facet-fold", type: "button", "aria-expanded": "false", "aria-controls": "facets", onclick: toggle }, icon("filter", 16), "Narrow down");
  const node = el("aside", { class: "facets", "aria-label": "Narrow down" }, fold, groups);
  let allTags = false;

  function toggle() {
    const open = node.classList.toggle("open");
    fold.setAttribute("aria-expanded", String(open));
  }

  const row = (label, count, pressed, run, about = "") => el("li", null, el(
    "button", { class: "facet", type: "button", "aria-pressed": String(pressed), title: about || null, onclick: run },
    el("span", { class: "facet-name", dir: "auto" }, middle(label, 8)), count !== null && el("span", { class: "facet-count" }, number(count)), pressed && icon("close", 14)));
  const group = (title, rows, more = null) => rows.length > 0 && el("section", { class: "facet-group" }, el("h2", null, title), el("ul", null, rows), more);

  function show(counts, chosen) {
    const focus = groups.contains(document.activeElement) ? document.activeElement.querySelector(".facet-name")?.textContent : null;
    const tags = [...chosen.tags.filter((tag) => !counts.tags.some((one) => one.name === tag)).map((name) => ({ name, count: null })), ...counts.tags];
    tags.sort((a, b) => chosen.tags.includes(b.name) - chosen.tags.includes(a.name));
    const shown = allTags ? tags : tags.slice(0, FIRST_TAGS);
    const toggleTag = (tag) => chosen.tags.includes(tag) ? chosen.tags.filter((one) => one !== tag) : [...chosen.tags, tag];
    const isOne = ns() && !ns().endsWith("*");
    put(
      groups,
      group("Kind", counts.kinds.map(({ name, count }) => row(KINDS[name]?.label || name, count, chosen.kind === name, () => pick({ kind: chosen.kind === name ? "" : name }), KINDS[name]?.about))),
      group("Tags", shown.map(({ name, count }) => row(name, count, chosen.tags.includes(name), () => pick({ tags: joinList(toggleTag(name)) }))),
        tags.length > shown.length && el("button", { class: "button quiet small", type: "button", onclick: () => { allTags = true; show(counts, chosen); } }, `Show ${tags.length} tags`)),
      (session.everything || counts.namespaces.length > 1) && group("Namespace", counts.namespaces.map(({ name, count }) => row(name, count, isOne && ns() === name, () => chooseNs(isOne && ns() === name && session.everything ? "" : name)))),
    );
    node.hidden = !groups.childElementCount;
    if (focus) [...groups.querySelectorAll(".facet")].find((button) => button.querySelector(".facet-name").textContent === focus)?.focus({ preventScroll: true });
  }

  return { node, show };
}
