// What the whole page shares: the chosen namespace, kept for this tab.
import { session } from "./api.js";

const KEY = "ghost.ns";
let chosen = "";
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
export const ns = () => chosen;

/** Choose a namespace, or nothing for all. */
export function chooseNs(value) {
  chosen = value;
  try { sessionStorage.setItem(KEY, value); } catch { /* it lasts until the page is left */ }
  for (const fn of [...listeners]) fn(value);
}

/** Call `fn(ns)` when another namespace is chosen. */
export const onNs = (fn) => listeners.add(fn);

/** Say whether a namespace is among those that are chosen. */
export const isChosen = (name) => !chosen || (chosen.endsWith("*") ? name.startsWith(chosen.slice(0, -1)) : name === chosen);

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
