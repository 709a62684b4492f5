// Notices: what was done, with a way back.
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { coded } from "./parts.js";

const SHOWN = 10000; // milliseconds; those with a way back stay longer
let last = null;

/** Say that something was done: toast("Pinned tea", {undo: async () => …}). Undo is also on the key `u`; `tone` is good, plain or bad. */
export function toast(message, { undo = null, tone = "good" } = {}) {
  const place = document.getElementById("toasts");
  const note = el("div", { class: `toast ${tone}`, role: tone === "bad" ? "alert" : "status" }, icon({ good: "check", plain: "info", bad: "warning" }[tone]));
  const text = el("span", { class: "toast-text" }, coded(message));
  note.append(text);
  const leave = () => { note.remove(); if (last === back) last = null; };
  const back = undo && (async () => {
    leave();
    try {
      await undo();
      toast("Undone");
    } catch (error) {
      toastError(error);
    }
  });
  if (back) {
    last = back;
    note.append(el("button", { class: "button quiet", type: "button", onclick: back }, icon("undo"), "Undo"));
  }
  note.append(el("button", { class: "button quiet icon-only", type: "button", "aria-label": "Dismiss", onclick: leave }, icon("close")));
  place.append(note);
  while (place.children.length > 3) place.firstElementChild.remove();
  setTimeout(leave, back ? SHOWN * 2 : SHOWN / 2);
}

/** Say that something went wrong. */
export function toastError(error) {
  toast([error.message, error.hint].filter(Boolean).join(": "), { tone: "bad" });
}

/** Take back the last thing that can be. */
export function undoLast() {
  if (!last) return false;
  last();
  return true;
}
