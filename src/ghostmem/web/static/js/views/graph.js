// The graph: how memories of a namespace are linked, as a map or as a list.
import { get, isAborted, post, session } from "../api.js";
import { arranger } from "../arrange.js";
import { announce, el, put } from "../dom.js";
import { graphFilters } from "../graphfilters.js";
import { graphList } from "../graphlist.js";
import { graphPanel } from "../graphpanel.js";
import { model } from "../graphmodel.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { empty, failure, head, middle, select, skeleton } from "../parts.js";
import { scene } from "../scene.js";
import { go, remember } from "../router.js";
import { isChosen } from "../state.js";
import { count, number } from "../words.js";

export const title = "Graph";
export const styles = ["graph.css"];
export const wide = true;

const LIMITS = [100, 500, 2000, 5000];
const REACH = 60; // neighbours that a click brings

export function view({ query }, signal) {
  const spaces = session.namespaces.filter(isChosen);
  if (spaces.length > 1) return pick(spaces);
  const [space] = spaces;
  if (!space) return nothing("");
  const asked = { ns: space, limit: Number(query.limit) || 500, key: query.key || "", depth: query.depth || "", list: query.list || "", node: query.node || query.key || "", colour: query.colour || "tier" };
  const status = el("span", { id: "graph-status" }, "\u00a0");
  const canvas = el("canvas", {
    class: "graph-canvas", id: "graph", tabindex: 0, role: "application", "aria-label": `Map of ${space}`, "aria-describedby": "graph-help", onkeydown: moved,
  });
  const wait = el("div", { class: "graph-wait" }, skeleton(3, "line"));
  const stage = el("div", { class: "graph-stage" }, canvas, zoomButtons(), wait);
  const list = el("div", { class: "graph-list", hidden: true });
  const panel = graphPanel(asked.ns, { choose: chooseKey, close: () => choose(-1), only: (key) => go("graph", { ns: asked.ns, key, depth: 2 }) }, signal);
  const problem = el("div");
  const body = el("div", { class: "graph-body" }, stage, list, panel.node);
  const map = scene(canvas, { chosen: (node) => choose(node), hovered: () => {} }, signal);
  const filters = graphFilters((fields) => { map.filter(fields); if (totals) counted(); }, asked.colour, (colour) => { asked.colour = colour; keepAddress(); });
  const arranging = arranger(placed, signal, matchMedia("(prefers-reduced-motion: reduce)").matches);
  let known = model();
  let chosen = -1;
  let totals = null;
  let turn = 0;
  canvas.scene = map; // the bench asks it where nodes are

  async function load(again = false) {
    turn += 1;
    const mine = turn;
    try {
      const fields = asked.key ? { ns: asked.ns, key: asked.key, depth: asked.depth || 2, limit: asked.limit } : { ns: asked.ns, limit: asked.limit };
      const found = await get("/graph", fields, signal);
      if (mine !== turn) return; // a newer answer is on its way
      const fresh = model();
      const old = known;
      const key = chosen >= 0 ? old.nodes[chosen].key : asked.node;
      if (!again) body.hidden = false;
      fresh.merge(found);
      fresh.keep(old);
      known = fresh;
      totals = found;
      put(problem);
      wait.hidden = true;
      if (!found.nodes.length) { body.hidden = filters.node.hidden = true; put(problem, nothing(asked.ns)); status.textContent = ""; return; }
      body.hidden = filters.node.hidden = false;
      map.set(known.nodes, known.edges, known.x, known.y);
      arrange(again ? 0.15 : 1);
      filters.fill(known);
      counted();
      if (asked.list) drawList();
      if (key) await chooseKey(key, !again);
    } catch (error) {
      if (isAborted(error) || mine !== turn) return;
      wait.hidden = true;
      body.hidden = true;
      put(problem, failure(error, () => load(again)));
    }
  }

  function arrange(heat) {
    canvas.dataset.settled = "false";
    arranging.run({ ...known.forces(), aspect: map.aspect() }, heat);
  }

  function placed(x, y, done) {
    if (x.length !== known.nodes.length) return;
    known.place(x, y);
    map.place(x, y, done);
    canvas.dataset.settled = String(done);
  }

  function counted() {
    const { nodes, edges } = map.counts();
    const of = totals.total_nodes > nodes ? ` of ${number(totals.total_nodes)}` : "";
    const links = totals.total_edges > edges ? ` of ${number(totals.total_edges)}` : "";
    const groups = totals.clusters ? `, ${count(totals.clusters, "cluster")}` : "";
    status.textContent = `${number(nodes)}${of} ${totals.total_nodes === 1 ? "memory" : "memories"}, ${number(edges)}${links} ${totals.total_edges === 1 ? "link" : "links"}${groups}`;
    if (asked.list) drawList();
  }

  function drawList() {
    graphList(list, asked.ns, known, map, chooseKey);
  }

  async function chooseKey(key, show = true) {
    let node = known.find(key);
    if (node < 0) {
      try {
        await bring(key);
        node = known.find(key);
      } catch (error) {
        if (!isAborted(error)) announce(`${key} cannot be shown: ${error.message}`);
        return choose(-1);
      }
    }
    return choose(node, show);
  }

  /** Choose a node: its neighbours come in if they are not drawn yet. */
  async function choose(node, show = false) {
    chosen = node;
    map.choose(node, show);
    body.classList.toggle("with-panel", node >= 0);
    if (node < 0) { panel.hide(); keepAddress(); return; }
    const { key, degree } = known.nodes[node];
    panel.show(known.nodes[node]);
    keepAddress();
    if (known.around(node).length < degree) {
      try { await bring(key); } catch (error) { if (!isAborted(error)) panel.fail(error); }
    }
  }

  async function bring(key) {
    const found = await get("/graph", { ns: asked.ns, key, depth: 1, limit: REACH }, signal);
    const fresh = known.merge(found, known.find(key));
    map.set(known.nodes, known.edges, known.x, known.y);
    map.choose(chosen);
    filters.fill(known);
    counted();
    if (fresh) arrange(0.2);
    if (fresh) announce(`${count(fresh, "neighbour")} more shown`);
  }

  function keepAddress() {
    remember({ ns: asked.ns, limit: asked.limit === 500 ? "" : asked.limit, key: asked.key, depth: asked.depth, list: asked.list, colour: asked.colour === "tier" ? "" : asked.colour, node: chosen >= 0 ? known.nodes[chosen].key : "" });
  }

  function showAs(listed) {
    asked.list = listed ? "1" : "";
    stage.hidden = listed;
    list.hidden = !listed;
    screen.classList.toggle("listed", listed);
    asMap.setAttribute("aria-pressed", String(!listed));
    asList.setAttribute("aria-pressed", String(listed));
    if (listed && totals) drawList();
    keepAddress();
  }

  function moved(event) {
    const far = event.shiftKey ? 240 : 80;
    const steps = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    if (!steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    map.pan(...steps[event.key]);
  }

  function next(by) {
    const shown = known.nodes.map((_, place) => place).filter((place) => map.shows(place)).sort((a, b) => known.nodes[b].degree - known.nodes[a].degree || a - b);
    if (!shown.length) return;
    const at = shown.indexOf(chosen);
    const node = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length];
    choose(node, true);
    announce(`${known.nodes[node].key}, ${count(known.nodes[node].degree, "link")}`);
  }

  function zoomButtons() {
    const button = (name, label, fn) => el("button", { class: "button icon-only", type: "button", "aria-label": label, title: label, onclick: fn }, icon(name));
    return el("div", { class: "graph-zoom" }, button("plus", "Zoom in (+)", () => map.zoom(1.4)), button("minus", "Zoom out (−)", () => map.zoom(1 / 1.4)), button("fit", "Show everything (0)", () => map.fit()));
  }

  const group = { signal, group: "Graph" };
  bind("+", "zoom in", () => map.zoom(1.4), group);
  bind("=", "zoom in", () => map.zoom(1.4), { ...group, hidden: true });
  bind("-", "zoom out", () => map.zoom(1 / 1.4), group);
  bind("0", "show everything", () => map.fit(), group);
  bind("j", "next memory", () => next(1), group);
  bind("k", "previous memory", () => next(-1), group);
  bind("o", "open its page", () => (chosen >= 0 ? go("memory", asked.ns, known.nodes[chosen].key) : false), group);
  bind("v", "map or list", () => showAs(!asked.list), group);
  bind("f", "find a memory", () => finder.focus(), group);
  bind("Escape", "choose nothing", () => (chosen >= 0 ? choose(-1) : false), group);

  const finder = findBox(asked.ns, () => known, chooseKey, signal);
  const asMap = el("button", { class: "button", type: "button", "aria-pressed": "true", onclick: () => showAs(false) }, icon("graph"), "Map");
  const asList = el("button", { class: "button", type: "button", "aria-pressed": "false", onclick: () => showAs(true) }, icon("list"), "List");
  const screen = el("div", { class: "graph" });
  onChange((news) => { if (Object.keys(news.namespaces).includes(asked.ns)) load(true); }, signal);
  if (asked.list) showAs(true);
  load();
  return put(
    screen,
    head(
      asked.key ? `Around ${asked.key}` : "Graph", status, finder.node,
      asked.key && el("button", { class: "button", type: "button", onclick: () => go("graph", { ns: asked.ns, node: asked.key }) }, "All of it"),
      !asked.key && select({ class: "input graph-limit", "aria-label": "How many memories", value: String(nearest(asked.limit)), onchange: (event) => go("graph", { ns: asked.ns, limit: event.target.value }) }, LIMITS.map((one) => [String(one), `${number(one)} memories`])),
      el("div", { class: "segmented", role: "group", "aria-label": "Shown as" }, asMap, asList),
    ),
    filters.node,
    problem,
    body,
    el("p", { class: "sr", id: "graph-help" }, "Arrows move, plus and minus zoom, zero shows everything, j and k choose the next and the previous memory, o opens its page, v shows a list instead."),
  );
}

const nearest = (limit) => LIMITS.find((one) => one >= limit) || LIMITS.at(-1);

/** A graph has one namespace: ask for it where several are chosen. */
function pick(spaces) {
  const buttons = spaces.map((name) => el("button", { class: "button", type: "button", onclick: () => go("graph", { ns: name }) }, middle(name), el("span", { class: "soft" }, number(session.counts[name] || 0))));
  return el("div", { class: "graph" }, head("Graph", "How the memories of a namespace are linked"), empty({ title: "Choose a namespace", text: "Links lead from one memory to another of the same namespace.", picture: "graph", action: el("div", { class: "graph-spaces" }, buttons) }));
}

function nothing(space) {
  return empty({ title: "Nothing to draw yet", text: "A graph grows as memories are stored and linked.", command: `ghost put -n ${space || "agent:me"} -k tea 'The user drinks green tea.'`, picture: "graph" });
}

/** A box that finds memories by name or text: those that are drawn at once, others from the server. */
function findBox(space, known, choose, signal) {
  const found = el("ul", { class: "find-list", id: "find-list", role: "listbox", "aria-label": "Memories found", hidden: true });
  const input = el("input", {
    class: "input", type: "search", placeholder: "Find a memory", "aria-label": "Find a memory in the graph", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-expanded": "false", "aria-controls": "find-list", "aria-autocomplete": "list", oninput: typed, onkeydown: pressed, onblur: () => setTimeout(close, 150),
  });
  let at = -1;
  let timer = 0;
  let asking = new AbortController();
  signal.addEventListener("abort", () => { clearTimeout(timer); asking.abort(); }, { once: true });

  function typed() {
    clearTimeout(timer);
    asking.abort();
    const words = input.value.trim().toLowerCase();
    if (!words) return close();
    const drawn = known().nodes.filter((node) => node.key.toLowerCase().includes(words) || node.summary.toLowerCase().includes(words));
    drawn.sort((a, b) => Number(b.key.toLowerCase().startsWith(words)) - Number(a.key.toLowerCase().startsWith(words)) || b.degree - a.degree);
    list(drawn.slice(0, 8));
    timer = setTimeout(() => ask(drawn.slice(0, 8)), 150);
    return undefined;
  }

  async function ask(drawn) {
    asking = new AbortController();
    try {
      const { results } = await post("/search", { query: input.value, ns: space, limit: 8, include_all: true }, asking.signal);
      const keys = new Set(drawn.map((node) => node.key));
      list([...drawn, ...results.filter((one) => !keys.has(one.key)).map((one) => ({ key: one.key, summary: one.content.slice(0, 100) }))].slice(0, 10));
    } catch { /* what is drawn was found all the same */ }
  }

  function list(nodes) {
    at = -1;
    found.hidden = false;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
    put(found, nodes.length
      ? nodes.map((node, place) => el("li", { id: `find-${place}`, role: "option", "aria-selected": "false", dataset: { key: node.key }, onmousedown: (event) => { event.preventDefault(); pick(node.key); } }, el("b", null, node.key), el("span", { class: "soft" }, node.summary)))
      : el("li", { class: "soft", role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing found"));
  }

  function pressed(event) {
    const rows = [...found.querySelectorAll("[data-key]")];
    if (event.key === "Escape") { event.stopPropagation(); input.value = ""; close(); return; }
    if (found.hidden || !rows.length || !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") { pick(rows[Math.max(0, at)].dataset.key); return; }
    at = (at + (event.key === "ArrowDown" ? 1 : -1) + rows.length) % rows.length;
    rows.forEach((row, place) => row.setAttribute("aria-selected", String(place === at)));
    input.setAttribute("aria-activedescendant", rows[at].id);
    rows[at].scrollIntoView({ block: "nearest" });
  }

  function pick(key) {
    input.value = "";
    close();
    choose(key);
  }

  function close() {
    clearTimeout(timer);
    asking.abort();
    found.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  return { node: el("div", { class: "find" }, icon("search"), input, found), focus: () => input.focus() };
}
