// What the whole page shares: the chosen namespace, kept for this tab.
import { session } from "./api.js";

const KEY = "ghost.ns";
let chosen = "";
let named = ""; // by the address of the screen; it goes before the choice
const listeners = new Set();

function stored() {
  try { return sessionStorage.getItem(KEY) || ""; } catch { return ""; }
}

/** Read what was chosen before; a namespace that is gone is no choice. */
export function restoreNs() {
  const before = stored();
  if (before && choices().some(([value]) => value === before)) chosen = before;
  else if (!session.everything && session.namespaces.length) chosen = session.namespaces[0];
}

/** The chosen namespace or prefix, or nothing for all: what to send as `ns`. */
export const ns = () => named || chosen;

/** Choose a namespace, or nothing for all. */
export function chooseNs(value) {
  chosen = value;
  named = "";
  try { sessionStorage.setItem(KEY, value); } catch { /* it lasts until the page is left */ }
  for (const fn of [...listeners]) fn(value);
}

/** Show the namespace that an address names, if there is one, until the next screen; the choice stays. */
export function nameNs(value) {
  const next = session.namespaces.includes(value) ? value : "";
  if (next === named) return;
  named = next;
  for (const fn of [...listeners]) fn(ns(), true);
}

/** Call `fn(ns, isNamed)` when another namespace is chosen, or named by an address. */
export const onNs = (fn) => listeners.add(fn);

/** Say whether a namespace is among those that are chosen. */
export const isChosen = (name) => isWithin(name, ns());
const isWithin = (name, filter) => !filter || (filter.endsWith("*") ? name.startsWith(filter.slice(0, -1)) : name === filter);

/** Say whether a namespace is among those that the person chose, whatever the address names. */
export const isOwnChoice = (name) => isWithin(name, chosen);

/** What there is to choose, each with its number of memories: all, prefixes that several share, and each namespace. */
export function choices() {
  const names = [...session.namespaces].sort();
  const size = (name) => session.counts[name] || 0;
  const heads = new Map();
  for (const name of names) {
    const parts = name.split(":");
    for (let depth = 1; depth < parts.length; depth += 1) {
      const head = `${parts.slice(0, depth).join(":")}:*`;
      heads.set(head, [...(heads.get(head) || []), size(name)]);
    }
  }
  const sum = (sizes) => sizes.reduce((a, b) => a + b, 0);
  const prefixes = [...heads].filter(([, sizes]) => sizes.length > 1).map(([head, sizes]) => [head, head, sum(sizes)]);
  return [...(session.everything ? [["", "All namespaces", sum(names.map(size))], ...prefixes] : []), ...names.map((name) => [name, name, size(name)])];
}
