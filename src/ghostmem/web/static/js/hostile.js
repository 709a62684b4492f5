// Text that must not be trusted, shown so that nothing in it hides: what is invisible or turns the reading direction is written out.
import { el } from "./dom.js";

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/gu;
const LONGEST = 20000;

/** Return a text as it is, in one block, with its hidden characters written as their numbers. */
export function hostile(text) {
  const shown = text.slice(0, LONGEST);
  const found = [];
  let from = 0;
  for (const match of shown.matchAll(HIDDEN)) {
    found.push(shown.slice(from, match.index), el("span", { class: "hidden-sign", title: "an invisible character" }, `U+${match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`));
    from = match.index + match[0].length;
  }
  found.push(shown.slice(from));
  return el("pre", { class: "hostile", tabindex: "0", dir: "ltr" }, found, text.length > LONGEST && el("span", { class: "soft" }, ` … and ${text.length - LONGEST} further characters`));
}
