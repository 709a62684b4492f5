// What each entry of the browser's history remembers: the scroll position, and what its screen wrote into `kept`.

const KEY = "ghost.places";
const MAX_PLACES = 60;
const PATIENCE = 4000; // milliseconds in which a page may grow tall enough to be scrolled back
const places = new Map(stored());
let current = {};
let restoring = false;

function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY) || "[]"); } catch { return []; }
}

/** Begin an entry of the history, or come back to one; return what is kept for it. */
export function enter() {
  const id = history.state?.entry || Math.random().toString(36).slice(2);
  if (!history.state?.entry) history.replaceState({ entry: id }, "");
  current = places.get(id) || {};
  places.delete(id);
  places.set(id, current); // the entries used last are at the end
  if (places.size > MAX_PLACES) places.delete(places.keys().next().value);
  return current;
}

/** Forget what the present entry keeps, because it now shows something else. */
export function forget() {
  for (const name of Object.keys(current)) delete current[name];
}

/** Scroll to a height as soon as the page is tall enough, unless the user scrolls first. */
export function scrollBack(height, signal) {
  window.scrollTo(0, height);
  if (window.scrollY >= height - 1) return;
  restoring = true;
  const watch = new ResizeObserver(() => { window.scrollTo(0, height); if (window.scrollY >= height - 1) stop(); });
  const timer = setTimeout(stop, PATIENCE);
  function stop() {
    restoring = false;
    watch.disconnect();
    clearTimeout(timer);
    for (const name of MOVES) window.removeEventListener(name, stop);
  }
  for (const name of MOVES) window.addEventListener(name, stop, { passive: true });
  signal.addEventListener("abort", stop, { once: true });
  watch.observe(document.body);
}
const MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

history.scrollRestoration = "manual";
window.addEventListener("scroll", () => { if (!restoring) current.scroll = window.scrollY; }, { passive: true });
window.addEventListener("pagehide", () => {
  try { sessionStorage.setItem(KEY, JSON.stringify([...places])); } catch { /* it lasts until the page is left */ }
});
