// A button that opens a short list of things to do.
import { all, el } from "./dom.js";
import { icon } from "./icons.js";

/** Return a button that opens a menu of [label, icon, run, danger]. */
export function menu(label, entries) {
  const list = el("div", { class: "menu-list", role: "menu", "aria-label": label }, entries.filter(Boolean).map(([text, picture, run, danger]) =>
    el("button", { class: danger ? "menu-entry bad" : "menu-entry", type: "button", role: "menuitem", onclick: () => { node.open = false; run(); } }, icon(picture, 16), text)));
  const node = el("details", { class: "menu", onkeydown: pressed, onfocusout: (event) => { if (!node.contains(event.relatedTarget)) node.open = false; } },
    el("summary", { class: "button", dataset: { act: "more" } }, icon("more"), label), list);
  function pressed(event) {
    const rows = all("[role=menuitem]", list);
    const at = rows.indexOf(document.activeElement);
    if (event.key === "Escape" && node.open) { node.open = false; node.firstChild.focus(); event.stopPropagation(); }
    else if (event.key === "ArrowDown") { node.open = true; rows[Math.min(rows.length - 1, at + 1)].focus(); }
    else if (event.key === "ArrowUp" && node.open) rows[Math.max(0, at - 1)].focus();
    else return;
    event.preventDefault();
  }
  return node;
}
