// Choosing a memory by typing: a box with a list below it, of one namespace, by key and by meaning.
import { get, isAborted, post } from "./api.js";
import { all, el, put } from "./dom.js";

const PAUSE = 80;
const SHOWN = 8;
let made = 0;

/**
 * Return {node, input} of a box in which a memory of `ns` is found while one types; `onpick(memory)` hears the choice. Keys for which
 * `without(key)` is true are left out. With `keep` the chosen key stays in the box; otherwise it is emptied for the next.
 */
export function picker(ns, { onpick, without = () => false, keep = false, label = "Search for a memory" }) {
  made += 1;
  const id = `picker-${made}`;
  const list = el("ul", { class: "picker-list", id, role: "listbox", "aria-label": "Memories found", hidden: true });
  const input = el("input", {
    class: "input", type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list", "aria-label": label,
    autocomplete: "off", spellcheck: "false", dir: "auto", placeholder: "Type a key or what it says", oninput: typed, onkeydown: pressed, onfocus: typed, onblur: () => setTimeout(close, 150),
  });
  let timer = 0;
  let running = new AbortController();
  let shown = [];
  let at = -1;
  let chosen = "";

  function typed() {
    if (keep && chosen && input.value === chosen) return;
    chosen = "";
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  }

  async function ask() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = input.value.trim();
    try {
      const [starting, alike] = await Promise.all([
        get("/memories", { ns, key_prefix: text, limit: SHOWN }, signal),
        text ? post("/search", { query: text, ns, limit: SHOWN, include_all: true }, signal) : { results: [] },
      ]);
      const known = new Map();
      for (const memory of [...starting.memories, ...alike.results]) if (!known.has(memory.key) && !without(memory.key)) known.set(memory.key, memory);
      if (signal.aborted || !input.isConnected) return;
      shown = [...known.values()].slice(0, SHOWN);
      at = text && shown.length ? 0 : -1;
      open(text);
    } catch (error) {
      if (!isAborted(error)) { shown = []; put(list, el("li", { class: "picker-none problem" }, error.message)); list.hidden = false; }
    }
  }

  function open(text) {
    put(list, shown.length ? shown.map(option) : el("li", { class: "picker-none soft" }, text ? "Nothing found" : "No other memory here"));
    list.hidden = document.activeElement !== input;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  }

  function option(memory, place) {
    return el("li", { class: "picker-option", role: "option", id: `${id}-${place}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); choose(place); } },
      el("b", { dir: "auto" }, memory.key), el("span", { class: "soft", dir: "auto" }, memory.content.slice(0, 120)));
  }

  function mark() {
    all("[role=option]", list).forEach((node, place) => node.setAttribute("aria-selected", String(place === at)));
    if (at >= 0) { input.setAttribute("aria-activedescendant", `${id}-${at}`); list.children[at]?.scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  function choose(place) {
    const memory = shown[place];
    if (!memory) return;
    chosen = memory.key;
    input.value = keep ? memory.key : "";
    shown = [];
    close();
    onpick(memory);
  }

  function pressed(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) { ask(); event.preventDefault(); return; }
      at = Math.max(0, Math.min(shown.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      mark();
      event.preventDefault();
    } else if (event.key === "Enter" && !list.hidden && at >= 0) {
      choose(at);
      event.preventDefault();
    } else if (event.key === "Escape" && !list.hidden && input.value) { // where nothing is typed, Escape is for the dialog
      close();
      event.preventDefault();
      event.stopPropagation();
    }
  }

  return { node: el("div", { class: "picker" }, input, list), input };
}
