// Chips that other pieces are made of.
import { el } from "./dom.js";
import { RELS } from "./words.js";

/** A relation with its colour and its name; `out` false reads it from the other end. */
export function relChip(rel, out = true) {
  const about = RELS[rel];
  return el("span", { class: `chip rel rel-${about ? rel : "relates_to"}` }, el("i", { class: "line", "aria-hidden": "true" }), about ? (out ? about.label : about.back) : rel);
}
