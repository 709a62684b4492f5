// Pieces that several screens show: chips, times, links to memories, receipts, and the states of loading, emptiness and failure.
import { add, el } from "./dom.js";
import { icon } from "./icons.js";
import { href } from "./router.js";
import { KINDS, TIERS, ago, when } from "./words.js";

/** A tier with its shape and its name. */
export function tierChip(tier) {
  const about = TIERS[tier] || { label: tier, about: "" };
  return el("span", { class: `chip tier tier-${TIERS[tier] ? tier : "stm"}`, title: about.about }, el("i", { class: "shape", "aria-hidden": "true" }), about.label);
}

/** A kind by its name. */
export const kindChip = (kind) => el("span", { class: "chip", title: KINDS[kind]?.about }, KINDS[kind]?.label || kind);

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
    hint && el("p", { class: "soft" }, coded(hint)),
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

const STOP = new Set("a an and are as at be by did do does for from had has have how i in is it its of on or that the their they this to was were what when where which who why will with you your".split(" "));

/** Return the words of a question that are worth marking. */
export function terms(question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
  return [...new Set(words.filter((word) => word.length > 1 && !STOP.has(word)))].slice(0, 24);
}

/** Return a text as nodes, with the words of a question marked. */
export function marked(text, words) {
  if (!words.length) return [text];
  const stems = words.map((word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word)).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{Script=Latin}\\p{N}])(?:${stems.join("|")})[\\p{Script=Latin}\\p{N}]*`, "giu");
  const found = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) found.push(text.slice(from, match.index));
    found.push(el("mark", null, match[0]));
    from = match.index + match[0].length;
  }
  found.push(text.slice(from));
  return found;
}

/** Return the part of a text around its match, or around its first marked word if the server named no match; whole words only. */
export function excerpt(text, words, { match_start = null, match_end = null } = {}, length = 320) {
  const flat = squeezed(text).trim();
  if (flat.length <= length) return flat;
  const [start, end] = match_start === null ? firstWord(flat, words) : [flatOffset(text, match_start), flatOffset(text, match_end)];
  const spare = Math.max(0, length - (end - start));
  let from = Math.max(0, Math.min(start - Math.floor(spare / 2), flat.length - length));
  let to = Math.min(flat.length, from + length);
  const opening = from > 0 ? flat.indexOf(" ", from) : -1;
  if (opening >= 0 && opening < start) from = opening + 1;
  const closing = to < flat.length ? flat.lastIndexOf(" ", to) : -1;
  if (closing >= end && closing > from) to = closing;
  if (isLowSurrogate(flat, from)) from += 1;
  if (isLowSurrogate(flat, to)) to -= 1;
  return `${from > 0 ? "… " : ""}${flat.slice(from, to)}${to < flat.length ? " …" : ""}`;
}

const squeezed = (text) => text.replace(/\s+/g, " ");
/** Return where a character of a text, counted in code points as the server does, is in its squeezed form. */
const flatOffset = (text, offset) => squeezed(Array.from(text).slice(0, offset).join("")).trimStart().length;
const isLowSurrogate = (text, at) => at > 0 && at < text.length && /[\uDC00-\uDFFF]/.test(text[at]);

function firstWord(flat, words) {
  const lower = flat.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = places.length ? Math.min(...places) : 0;
  return [start, start];
}

export { relChip } from "./chips.js";
export { receipt } from "./receipt.js";
export { add, el };
