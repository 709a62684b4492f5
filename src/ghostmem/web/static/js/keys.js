// The keyboard: single keys and pairs such as "g s"; never while somebody types, except where it is asked for.

const bound = [];
let before = "";
let timer = 0;

/**
 * Bind a key: bind("j", "next", fn, {signal, group: "Results"}). Keys are as `KeyboardEvent.key` says, two are joined by a space.
 * With `typing` it also works while somebody types. The binding ends with the signal; later ones win.
 */
export function bind(keys, label, fn, { signal, group = "Everywhere", typing = false, hidden = false } = {}) {
  const entry = { keys, label, fn, group, typing, hidden };
  bound.unshift(entry);
  signal?.addEventListener("abort", () => bound.splice(bound.indexOf(entry), 1), { once: true });
}

/** Return the bindings as [group, [[keys, label]]], in the order they were made. */
export function bindings() {
  const found = new Map();
  for (const { keys, label, group, hidden } of [...bound].reverse()) {
    if (hidden) continue;
    if (!found.has(group)) found.set(group, []);
    found.get(group).push([keys, label]);
  }
  return [...found];
}

/** Say whether an element takes what is typed. */
export function isTyping(node) {
  return node instanceof HTMLElement && (node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName));
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return; // a dialog has its own keys
  const typing = isTyping(event.target);
  const pair = before ? `${before} ${event.key}` : "";
  const entry = bound.find((one) => (one.keys === pair || (!before && one.keys === event.key)) && (!typing || one.typing));
  const starts = !typing && !before && bound.some((one) => one.keys.startsWith(`${event.key} `));
  clearTimeout(timer);
  before = "";
  if (entry && entry.fn(event) !== false) event.preventDefault();
  else if (typing && event.key === "Escape" && !event.defaultPrevented) {
    event.preventDefault(); // the browser would empty a search box
    event.target.blur(); // the keys work again
  } else if (!entry && starts) {
    before = event.key;
    timer = setTimeout(() => { before = ""; }, 1200);
  }
}

/** Begin to listen. */
export const listenForKeys = () => document.addEventListener("keydown", pressed);
