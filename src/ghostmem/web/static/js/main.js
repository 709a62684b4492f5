// The viewer: a rail, a place for one screen at a time, and what both share.
//
// A screen is a module views/NAME.js, loaded when #/NAME is first shown. It exports
//   title        the title of the tab: a text, or a function of params that returns a list of parts
//   styles       names of files in css/ that it needs (optional); they apply only while the screen is shown
//   wide         true to use the whole width (optional)
//   view(params, signal)  returns its element, or a promise of one
// `params` is {args, query, kept}: #/memory/agent%3Ame/tea?version=2 gives args ["agent:me", "tea"], query {version: "2"}.
// `kept` is an object of this entry of the history: what a screen writes into it (how many pages are loaded) is there
// again after Back. The scroll position is restored in the same way, without the screen's help. Dialogs are closed on navigation.
// `signal` is aborted when the screen is left: pass it to every call of api.js, to bind() and onChange(), and to listeners on
// document or window. Return quickly, with skeleton() in the places that still load; errors go into failure(error, again).
// The screen is made anew when the hash or the chosen namespace changes; use remember(fields) to keep its state in the
// address without that. docs/viewer.md says more.
import { session, openSession, isAborted } from "./api.js";
import { all, el, one, put, svg } from "./dom.js";
import { closeDialogs, show } from "./dialog.js";
import { icon } from "./icons.js";
import { create, mayCreate } from "./create.js";
import { bind, bindings, listenForKeys } from "./keys.js";
import { listen, onChange } from "./live.js";
import { togglePalette } from "./palette.js";
import { failure, skeleton } from "./parts.js";
import { enter, forget, scrollBack } from "./places.js";
import { go, href, parse, replace, setTitle } from "./router.js";
import { choices, chooseNs, isOwnChoice, nameNs, ns, onNs, restoreNs } from "./state.js";
import { undoLast } from "./toast.js";
import { watchWaiting } from "./waiting.js";
import { number } from "./words.js";

// name, label, the key after g
const SCREENS = [
  ["home", "Home", "o"],
  ["search", "Search", "s"],
  ["timeline", "Timeline", "t"],
  ["graph", "Graph", "g"],
  ["context", "Context", "c"],
  ["lifecycle", "Lifecycle", "l"],
  ["health", "Health", "h"],
  ["settle", "Decisions", "d"],
];
const ON_PHONE = new Set(["home", "search", "timeline", "context", "settle"]); // the others are in the palette
const RECOUNT = 3000; // milliseconds between a change and the new numbers of memories in the namespaces
const KNOWN = new Set([...SCREENS.map(([name]) => name), "memory"]);

const main = one("#main");
const rail = one("#rail");
let leaving = new AbortController();
let shown = false; // whether a screen was shown before

/** Return the namespace that an address names: in the field `ns`, or of a memory outside the chosen ones. */
const namedNs = ({ name, args, query }) => (name !== "memory" ? query.ns : isOwnChoice(args[0]) ? "" : args[0]) || "";

/** Show the screen in the namespace that was chosen; an address that names another one is left. */
function renderChosen() {
  const place = parse();
  if (namedNs(place) === "") render();
  else if (place.name === "memory") go("search");
  else replace(place.name);
}

async function render() {
  const place = parse();
  const { name, args, query } = place;
  nameNs(namedNs(place));
  const kept = enter();
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const { scroll = 0 } = kept;
  for (const link of all("[data-screen]", rail)) {
    if (link.dataset.screen === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!KNOWN.has(name)) return replace("home");
  const wait = setTimeout(() => { if (!signal.aborted) put(main, skeleton(5)); }, 150);
  try {
    const screen = await import(`./views/${name}.js`);
    await Promise.all((screen.styles || []).map(loadStyle));
    const title = typeof screen.title === "function" ? screen.title({ args, query }) : [screen.title || name];
    setTitle(...title);
    const node = await screen.view({ args, query, kept }, signal);
    if (signal.aborted) return;
    main.classList.toggle("whole", Boolean(screen.wide));
    main.dataset.screen = name;
    useStyles(screen.styles || []);
    put(main, node);
    one("[data-focus]", main)?.focus({ preventScroll: true });
    if (shown && document.activeElement === document.body) main.focus({ preventScroll: true }); // the link that was followed is gone
    shown = true;
    scrollBack(scroll, signal);
  } catch (error) {
    if (signal.aborted || isAborted(error)) return;
    put(main, failure(error, render));
  } finally {
    clearTimeout(wait);
  }
}

const stylePath = (name) => `/static/css/${name}`;

/** Load a style sheet of a screen without applying it. */
function loadStyle(name) {
  if (one(`link[href="${stylePath(name)}"]`)) return Promise.resolve();
  return new Promise((done) => document.head.append(
    el("link", { rel: "stylesheet", href: stylePath(name), media: "not all", dataset: { screen: "" }, onload: done, onerror: done })));
}

/** Apply these style sheets and no other screen's, so that the rules of one screen cannot change another. */
function useStyles(names) {
  const wanted = new Set(names.map(stylePath));
  for (const link of all("link[data-screen]", document.head)) link.media = wanted.has(link.getAttribute("href")) ? "all" : "not all";
}

function buildRail() {
  const picker = el("select", { class: "input ns-picker", id: "ns", "aria-label": "Namespace", onchange: (event) => chooseNs(event.target.value) });
  const fillPicker = () => {
    put(picker, choices().map(([value, label, size]) => el("option", { value }, `${label} (${number(size)})`)));
    picker.value = ns();
  };
  fillPicker();
  const links = SCREENS.map(([name, label, key]) =>
    el("a", { href: href(name), "data-screen": name, class: ON_PHONE.has(name) ? null : "desk", title: `${label} (g ${key})` }, icon(name, 20), el("span", null, label)));
  const more = el("button", { class: "nav-more", type: "button", "aria-label": "More: all screens, namespaces and actions", onclick: palette }, icon("more", 20), el("span", null, "More"));
  put(
    rail,
    el("a", { class: "brand", href: href("home"), "aria-label": "Ghost" }, mark(), el("span", null, "Ghost")),
    el("div", { class: "rail-ns" }, picker),
    mayCreate() && el("button", { class: "button rail-new", id: "new", type: "button", "aria-label": "New memory", title: "New memory (c)", onclick: create }, icon("plus", 18), el("span", null, "New memory")),
    el("nav", { class: "nav", "aria-label": "Screens" }, links, more),
    el(
      "div",
      { class: "rail-foot" },
      el("span", { class: "live-state", id: "live-state", dataset: { state: "connecting" } }, el("i", { "aria-hidden": "true" }), el("span", null, "connecting")),
      session.read_only && el("span", { class: "chip", title: "started with --read-only" }, "read-only"),
      el("span", { class: "store soft", title: session.store }, session.store, " · ", session.version),
      el(
        "div",
        { class: "rail-buttons" },
        el("button", { class: "button quiet icon-only", id: "theme", type: "button", "aria-label": "Switch between light and dark", onclick: switchTheme }, icon("moon")),
        el("button", { class: "button quiet icon-only", type: "button", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts (?)", onclick: help }, icon("keyboard")),
        el("button", { class: "button quiet", id: "palette", type: "button", title: `Command palette (${CONTROL} K)`, onclick: palette }, el("span", { class: "sr" }, "Command palette"), el("kbd", null, CONTROL), el("kbd", null, "K")),
      ),
    ),
  );
  onNs((_, isNamed) => { fillPicker(); if (!isNamed) { forget(); renderChosen(); } });
  let timer = 0;
  const recount = () => { timer = 0; openSession().then(fillPicker).catch(() => {}); };
  onChange((news) => {
    const known = Object.keys(news.namespaces).every((name) => session.namespaces.includes(name));
    if (!known) { clearTimeout(timer); recount(); } else timer = timer || setTimeout(recount, RECOUNT);
  });
}

const CONTROL = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** What the palette offers besides namespaces and memories. */
function commands() {
  return [
    ...SCREENS.map(([name, label, key]) => ({ label, group: "Go to", picture: name, keys: `g ${key}`, run: () => go(name) })),
    mayCreate() && { label: "New memory", group: "Actions", picture: "plus", keys: "c", run: create },
    { label: `Use the ${isDark() ? "light" : "dark"} theme`, group: "Actions", picture: isDark() ? "sun" : "moon", run: switchTheme },
    { label: "Keyboard shortcuts", group: "Actions", picture: "keyboard", keys: "?", run: help },
  ].filter(Boolean);
}

const palette = () => togglePalette(commands());

/** Show how many decisions wait beside the screen where they are made. */
function showWaiting(count) {
  const link = one("[data-screen=settle]", rail);
  one(".badge", link)?.remove();
  if (count > 0) link.append(el("span", { class: "badge" }, count > 99 ? "99+" : count, el("span", { class: "sr" }, " waiting")));
}

function mark() {
  const eye = (cx) => svg("circle", { cx, cy: "13.5", r: "1.9" });
  const body = "M16 3C9.9 3 5.5 7.6 5.5 13.8V28l3.5-2.6 3.5 2.6 3.5-2.6 3.5 2.6 3.5-2.6 3.5 2.6V13.8C26.5 7.6 22.1 3 16 3z";
  return svg("svg", { class: "brand-mark", viewBox: "0 0 32 32", "aria-hidden": "true" }, svg("path", { d: body }), eye("12.2"), eye("19.8"));
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showTheme() {
  one("#theme")?.replaceChildren(icon(isDark() ? "sun" : "moon"));
}

function switchTheme() {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("ghost.theme", next); } catch { /* it lasts until the page is left */ }
  showTheme();
  window.dispatchEvent(new Event("ghost:theme"));
}

function showLive(state) {
  const node = one("#live-state");
  if (!node) return;
  node.dataset.state = state;
  node.lastChild.textContent = { live: "live", connecting: "connecting", lost: "signed out" }[state];
}

function help() {
  const palette = ["Everywhere", [[`${CONTROL} K`, "command palette"]]];
  const groups = joined([palette, ...bindings()]).map(([group, rows]) => el(
    "section", { class: "keys" }, el("h3", null, group),
    el("dl", null, rows.map(([keys, label]) => [el("dt", null, keys.split(" ").map((key) => el("kbd", null, NAMES[key] || key))), el("dd", null, label)])),
  ));
  show("Keyboard", el("div", { class: "keys-groups" }, groups));
}
/** Join the rows of groups with the same name. */
function joined(groups) {
  const found = new Map();
  for (const [name, rows] of groups) found.set(name, [...(found.get(name) || []), ...rows]);
  return [...found];
}
const NAMES = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

async function start() {
  listenForKeys();
  try {
    await openSession();
  } catch (error) {
    put(main, failure(error, () => location.reload()));
    return;
  }
  restoreNs();
  buildRail();
  showTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  for (const [name, label, key] of SCREENS) bind(`g ${key}`, label, () => go(name), { group: "Go to" });
  bind("/", "search", () => { if (parse().name === "search") one("#query")?.focus(); else go("search"); });
  bind("u", "undo the last change", () => undoLast());
  if (mayCreate()) bind("c", "new memory", () => { create(); });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") { event.preventDefault(); palette(); }
  });
  bind("?", "this help", help);
  one("#skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  listen(session, showLive);
  window.addEventListener("hashchange", () => { closeDialogs(); render(); });
  await render();
  watchWaiting(showWaiting);
}

start();
