// Questions: every change asks once, in a <dialog> that says what will happen to what. Navigation closes every dialog.
import { add, el } from "./dom.js";
import { icon } from "./icons.js";

const opened = new Set(); // functions that close a dialog because the user went to another screen

// The second click of a double click on a button that closes a dialog must not reach the screen below.
let clickCloses = false;
document.addEventListener("click", (event) => {
  if (event.detail < 2) clickCloses = false;
  else if (clickCloses) { event.preventDefault(); event.stopPropagation(); }
}, true);

/** Close every dialog without an answer: the user has gone to another screen. */
export function closeDialogs() {
  for (const leave of [...opened].reverse()) leave();
}

/** Show a dialog until it is closed; `onclose` hears that, `onleave` is called before when navigation closes it. */
function open(box, onclose, onleave = null) {
  const back = document.activeElement;
  const leave = () => { onleave?.(); box.close(); };
  const closed = () => {
    if (!opened.delete(leave)) return; // the event of a dialog that is closed already
    clickCloses = true;
    box.remove();
    if (back instanceof HTMLElement && back.isConnected) back.focus({ preventScroll: true });
    onclose?.();
  };
  opened.add(leave);
  // the browser sends `close` in a later task; until then the next key would go to the closed dialog
  box.close = () => { HTMLDialogElement.prototype.close.call(box); closed(); };
  box.addEventListener("cancel", (event) => { if (event.target === box && !event.defaultPrevented) box.close(); });
  box.addEventListener("close", closed); // closed by the browser without `cancel`
  document.body.append(box);
  box.showModal();
}

const makeId = () => `dialog-${Math.random().toString(36).slice(2)}`;

/**
 * Ask before something happens: await ask({title, body, confirm: "Delete", danger: true}). `body` is a text, a node or a list.
 * With `form(data)` the fields of a form inside the body are read: what it returns is the answer; a text it throws is shown.
 * While `unsaved()` is true, Escape and Cancel ask before they discard what was typed; `onleave` is called when navigation closes the
 * dialog. `hint` stands beside the buttons.
 * Returns false when the answer is no, true (or what `form` returned) when it is yes.
 */
export function ask({ title, body, confirm = "OK", cancel = "Cancel", danger = false, form = null, wide = false, unsaved = null, onleave = null, hint = null }) {
  return new Promise((resolve) => {
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const yes = el("button", { class: danger ? "button danger" : "button primary", type: "submit", value: "yes" }, confirm);
    const no = el("button", { class: "button", type: "button", onclick: dismiss }, cancel);
    const id = makeId();
    const inner = el(
      "form",
      { class: "dialog-form", onsubmit: submit },
      el("h2", { id, dir: "auto" }, title),
      el("div", { class: "dialog-body" }, typeof body === "string" ? el("p", null, body) : body),
      problem,
      el("div", { class: "dialog-actions" }, hint && el("span", { class: "dialog-hint soft" }, hint), no, yes),
    );
    const box = el("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id, onkeydown: pressed, oncancel: cancelled }, inner);
    let answer = false;

    function submit(event) {
      event.preventDefault(); // the browser would close the dialog in a later task
      try {
        answer = form ? form(new FormData(inner)) : true;
        box.close();
      } catch (error) {
        problem.hidden = false;
        problem.textContent = error instanceof Error ? error.message : String(error);
      }
    }

    async function dismiss() {
      if (unsaved?.() && !(await ask(DISCARD))) return;
      box.close();
    }

    function pressed(event) {
      if (form && event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.target.closest("button")) {
        event.preventDefault();
        inner.requestSubmit();
        return;
      }
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation(); // the screen below has a meaning for Escape, too
      dismiss();
    }

    function cancelled(event) { // a gesture that closes, such as Back on a phone
      if (event.target !== box || !unsaved?.()) return;
      event.preventDefault();
      dismiss();
    }

    open(box, () => resolve(answer), onleave);
    const first = inner.querySelector("input, textarea, select");
    (first || (danger ? no : yes)).focus();
  });
}

const DISCARD = { title: "Discard your changes?", body: "The text that you typed is not saved.", confirm: "Discard", cancel: "Keep editing", danger: true };

/** Show something until it is closed. */
export function show(title, ...body) {
  const id = makeId();
  const close = el("button", { class: "button quiet icon-only", type: "button", "aria-label": "Close", onclick: () => box.close() }, icon("close"));
  const box = el("dialog", { class: "dialog wide", "aria-labelledby": id }, el("div", { class: "dialog-head" }, el("h2", { id }, title), close));
  add(box, el("div", { class: "dialog-body" }, body));
  open(box);
  return box;
}

/** Show a dialog that has no heading; `label` names it. */
export function bare(label, className, ...body) {
  const box = el("dialog", { class: `dialog ${className}`, "aria-label": label }, body);
  open(box);
  return box;
}
