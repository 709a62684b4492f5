// Questions: every change asks once, in a <dialog> that says what will happen to what.
import { add, el } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Ask before something happens: await ask({title, body, confirm: "Delete", danger: true}). `body` is a text, a node or a list.
 * With `form(data)` the fields of a form inside the body are read: what it returns is the answer; a text it throws is shown.
 * Returns false when the answer is no, true (or what `form` returned) when it is yes.
 */
export function ask({ title, body, confirm = "OK", danger = false, form = null, wide = false }) {
  return new Promise((resolve) => {
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const yes = el("button", { class: danger ? "button danger" : "button primary", type: "submit", value: "yes" }, confirm);
    const no = el("button", { class: "button", type: "button", onclick: () => box.close() }, "Cancel");
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    const inner = el(
      "form",
      { method: "dialog", class: "dialog-form", onsubmit: submit },
      el("h2", { id }, title),
      el("div", { class: "dialog-body" }, typeof body === "string" ? el("p", null, body) : body),
      problem,
      el("div", { class: "dialog-actions" }, no, yes),
    );
    const box = el("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id }, inner);
    let answer = false;
    const back = document.activeElement;

    function submit(event) {
      try {
        answer = form ? form(new FormData(inner)) : true;
      } catch (error) {
        event.preventDefault();
        problem.hidden = false;
        problem.textContent = error instanceof Error ? error.message : String(error);
      }
    }

    box.addEventListener("close", () => {
      box.remove();
      if (back instanceof HTMLElement && back.isConnected) back.focus();
      resolve(answer);
    });
    document.body.append(box);
    box.showModal();
    const first = inner.querySelector("input, textarea, select");
    (first || (danger ? no : yes)).focus();
  });
}

/** Show something until it is closed. */
export function show(title, ...body) {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const close = el("button", { class: "button quiet icon-only", type: "button", "aria-label": "Close", onclick: () => box.close() }, icon("close"));
  const box = el("dialog", { class: "dialog wide", "aria-labelledby": id }, el("div", { class: "dialog-head" }, el("h2", { id }, title), close));
  add(box, el("div", { class: "dialog-body" }, body));
  const back = document.activeElement;
  box.addEventListener("close", () => {
    box.remove();
    if (back instanceof HTMLElement && back.isConnected) back.focus();
  });
  document.body.append(box);
  box.showModal();
  return box;
}
