// Pieces that several screens show: chips, times, links to memories, receipts, and the states of loading, emptiness and failure.
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { href } from "./router.js";
import { KINDS, RELS, TIERS, ago, when } from "./words.js";

/** A tier with its shape and its name. */
export function tierChip(tier) {
  const about = TIERS[tier] || { label: tier, about: "" };
  return el("span", { class: `chip tier tier-${TIERS[tier] ? tier : "stm"}`, title: about.about }, el("i", { class: "shape", "aria-hidden": "true" }), about.label);
}

/** A kind by its name. */
export const kindChip = (kind) => el("span", { class: "chip", title: KINDS[kind]?.about }, KINDS[kind]?.label || kind);

/** A relation with its colour and its name; `out` false reads it from the other end. */
export function relChip(rel, out = true) {
  const about = RELS[rel];
  return el("span", { class: `chip rel rel-${about ? rel : "relates_to"}` }, el("i", { class: "line", "aria-hidden": "true" }), about ? (out ? about.label : about.back) : rel);
}

/** A tag; with `onclick` a button. */
export function tagChip(tag, onclick) {
  return onclick ? el("button", { class: "tag", type: "button", dir: "auto", onclick, title: `Only with the tag ${tag}` }, tag) : el("span", { class: "tag", dir: "auto" }, tag);
}

/** A time as people say it, exact on hover. */
export const time = (at, text = ago(at)) => el("time", { datetime: at, title: when(at) }, text);

/** A link to a memory's own page. */
export const memoryLink = (ns, key, ...children) => el("a", { href: href("memory", ns, key), class: "memory-link", dir: "auto" }, children.length ? children : key);

/** A text on one line that is cut in the middle where it does not fit: keys often differ at their end. */
export function middle(text, tail = 12) {
  const signs = Array.from(text);
  const at = Math.max(0, signs.length - tail);
  return el("span", { class: "middle", title: text }, el("span", null, signs.slice(0, at).join("")), el("span", null, signs.slice(at).join("")));
}

/** Marks beside a memory: pinned, locked. */
export function marks(memory) {
  return [
    memory.pinned && el("span", { class: "mark-icon", title: "pinned: always in context" }, icon("pin", 15), el("span", { class: "sr" }, "pinned")),
    (memory.tags || []).includes("locked") && el("span", { class: "mark-icon", title: "locked: nothing rewrites it" }, icon("lock", 15), el("span", { class: "sr" }, "locked")),
  ];
}

/** A command to copy. */
export function command(text) {
  const button = el("button", { class: "button quiet icon-only", type: "button", "aria-label": `Copy: ${text}`, onclick: copy }, icon("copy", 16));
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.replaceChildren(icon("check", 16));
      setTimeout(() => button.replaceChildren(icon("copy", 16)), 1500);
    } catch { /* the text can still be selected */ }
  }
  return el("div", { class: "command" }, el("code", null, text), button);
}

/** Grey bars in the place of what is being loaded. */
export function skeleton(rows = 4, kind = "card") {
  return el("div", { class: `skeleton bones-${kind}`, "aria-hidden": "true" }, Array.from({ length: rows }, () => el("div", { class: "bone" }, el("i"), el("i"), el("i"))));
}

/** Nothing is there: what that means, and the next step. */
export function empty({ title, text = "", command: line = "", picture = "search", action = null }) {
  return el("div", { class: "state" }, el("div", { class: "state-icon" }, icon(picture, 28)), el("h2", null, title), text && el("p", null, text), line && command(line), action);
}

/** Return a text as nodes, with what stands between backticks as code. */
export const coded = (text) => String(text).split("`").map((part, place) => place % 2 ? el("code", null, part) : part);

/** Something went wrong: what (`title` and `message` of the error), what to do (`hint`), and another try. */
export function failure(error, again = null, ...actions) {
  const hint = error.hint || (error instanceof TypeError ? "reload the page" : "");
  return el(
    "div",
    { class: "state bad", role: "alert" },
    el("div", { class: "state-icon" }, icon("warning", 28)),
    el("h2", null, error.title || "That did not work"),
    error.message && el("p", null, error.message),
    hint && el("p", { class: "soft" }, typeof hint === "string" ? coded(hint) : hint),
    el("div", { class: "state-actions" }, again && el("button", { class: "button", type: "button", onclick: again }, "Try again"), actions),
  );
}

/** The head of a screen: a title, a line about it, and actions on the right. */
export function head(title, about = "", ...actions) {
  return el("div", { class: "head" }, el("div", null, el("h1", null, title), about && el("p", { class: "soft" }, about)), actions.length ? el("div", { class: "head-actions" }, actions) : null);
}

/** A section with a heading. */
export function section(title, ...children) {
  return el("section", { class: "section" }, el("h2", null, title), children);
}

/** A number with its name. */
export const figure = (value, label, about = "") => el("div", { class: "figure", title: about }, el("b", null, value), el("span", null, label));

/** Fields of a form: a label around an input, a select of [value, label] pairs, a checkbox. */
export function field(label, input, hint = "") {
  return el("label", { class: "field" }, el("span", { class: "field-label" }, label), input, hint && el("span", { class: "field-hint" }, hint));
}
export function select(props, choices) {
  const { value = "", ...rest } = props;
  const node = el("select", { class: "input", ...rest }, choices.map(([one, label]) => el("option", { value: one }, label)));
  node.value = value;
  return node;
}
export const checkbox = (label, props = {}) => el("label", { class: "check" }, el("input", { type: "checkbox", ...props }), el("span", null, label));
