// The viewer inside a host's window: what a tool found, a memory on its own, and further questions through the host.
import { connect, notify, on, request, tellSize } from "./bridge.js";
import { all, el, isSafeLink, one, put } from "../../web/static/js/dom.js";
import { icon } from "../../web/static/js/icons.js";
import { markdown } from "../../web/static/js/md.js";
import { empty, failure, kindChip, marks, memoryLink, relChip, skeleton, tagChip, tierChip, time } from "../../web/static/js/parts.js";
import { receipt } from "../../web/static/js/receipt.js";
import { parse } from "../../web/static/js/router.js";
import { marked, snippet, terms } from "../../web/static/js/snippet.js";
import { count } from "../../web/static/js/words.js";

const SHOW = "ghost_show";
const app = one("#app");
const input = el("input", { class: "search-input", id: "query", type: "search", placeholder: "Search memories", "aria-label": "Search memories", autocomplete: "off", spellcheck: "false" });
const status = el("p", { class: "soft search-status", role: "status", "aria-live": "polite" }, "\u00a0");
const place = el("main", { class: "app-place" }, skeleton(3));
let asked = { ns: "" };
let before = null; // the results that a memory was opened from
let turn = 0;

/** Show what the tool returned: results, a memory, or what went wrong. */
function draw(result) {
  const found = result.structuredContent;
  if (result.isError || !found) return problem(new Error((result.content || []).map((part) => part.text || "").join("\n") || "nothing came back"));
  if (found.ns) asked.ns = found.ns;
  if (found.memory) return drawMemory(found);
  before = found;
  drawResults(found);
}

function problem(error) {
  const [message, hint = ""] = error.message.replace(/^error: /, "").split("\nhint: ");
  status.textContent = "\u00a0";
  put(place, failure({ message, hint }, () => show(asked)));
}

function drawResults({ query = "", results = [], notes = [] }) {
  const words = terms(query);
  status.textContent = query ? count(results.length, "result") : "newest first";
  if (document.activeElement !== input) input.value = query;
  if (!results.length) {
    put(place, empty({ title: query ? "Nothing relevant" : "Nothing is remembered yet", text: query ? "Ghost says so rather than guess." : "" }));
    return;
  }
  put(place, notes.map((note) => el("p", { class: "soft" }, note)), el("ol", { class: "hits" }, results.map((hit) => card(hit, words))));
}

function card(hit, words) {
  const why = hit.why && el("div", { class: "why", id: `why-${hit.id}`, hidden: true }, receipt({ ...hit.why, score: hit.score, similarity: hit.similarity }));
  const button = why && el("button", { class: "button quiet small why-button", type: "button", "aria-expanded": "false", "aria-controls": why.id, onclick: toggle }, icon("chevron", 14), "Why");
  function toggle() {
    why.hidden = !why.hidden;
    button.setAttribute("aria-expanded", String(!why.hidden));
  }
  return el(
    "li",
    { class: "hit" },
    el("div", { class: "hit-head" }, el("h2", null, memoryLink(hit.ns, hit.key, marked(hit.key, words))), marks(hit), el("span", { class: "hit-ns soft" }, hit.ns)),
    el("p", { class: "hit-text", dir: "auto" }, snippet(hit.match_chunk || hit.content || "", words, hit)),
    hit.note && el("p", { class: "hit-note" }, icon("warning", 15), hit.note),
    el("div", { class: "hit-foot" }, tierChip(hit.tier), kindChip(hit.kind), (hit.tags || []).map((tag) => tagChip(tag)), el("span", { class: "hit-end" }, time(hit.created_at), button)),
    why,
  );
}

function drawMemory({ memory, neighbours = [], versions = 1, ending = "", doubt = "" }) {
  status.textContent = "\u00a0";
  const back = before && el("button", { class: "button quiet small", type: "button", onclick: () => { drawResults(before); input.focus(); } }, icon("back", 16), "Back to the results");
  const heading = el("h1", { tabindex: -1, dir: "auto" }, memory.key);
  put(
    place,
    back,
    el("div", { class: "app-title" }, heading, marks(memory), el("span", { class: "soft" }, memory.ns)),
    el("div", { class: "hit-foot" }, tierChip(memory.tier), kindChip(memory.kind), (memory.tags || []).map((tag) => tagChip(tag)), el("span", { class: "hit-end" }, `version ${memory.version} of ${versions}, `, time(memory.created_at))),
    ending && el("p", { class: "hit-note" }, icon("clock", 15), `No longer valid: it was true ${ending}.`),
    doubt && el("p", { class: "hit-note" }, icon("warning", 15), doubt),
    el("div", { class: "card app-text" }, markdown(memory.content)),
    neighbours.length > 0 && el("section", null, el("h2", null, "Linked to"), el("ul", { class: "app-links" }, neighbours.map((near) => el("li", null, relChip(near.rel, near.out), " ", memoryLink(memory.ns, near.key), el("span", { class: "soft", dir: "auto" }, near.summary))))),
  );
  heading.focus({ preventScroll: true });
}

/** Ask the server, through the host. */
async function show(fields) {
  asked = { ...fields };
  turn += 1;
  const mine = turn;
  put(place, skeleton(3));
  status.textContent = "looking …";
  try {
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value));
    const result = await request("tools/call", { name: SHOW, arguments: given });
    if (mine === turn) draw(result);
  } catch (error) {
    if (mine === turn) problem(error);
  }
}

/** Links to memories are answered here; others are the host's to open. Nothing is ever followed inside the frame. */
function followed(event) {
  const link = event.target.closest?.("a[href]");
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute("href");
  const { name, args } = parse(address.startsWith("#") ? address : "");
  if (address.startsWith("#/") && name === "memory" && args.length === 2) show({ ns: args[0], key: args[1] });
  else if (/^(https?:|mailto:)/i.test(address) && isSafeLink(address)) request("ui/open-link", { url: link.href }).catch(() => {});
}

function dress({ theme }) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

async function start() {
  // no form: a frame that may only run scripts may not submit one
  const search = () => show({ ns: asked.ns, query: input.value.trim() });
  input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) search(); });
  const form = el("div", { class: "search-form", role: "search" }, el("div", { class: "search-box" }, icon("search"), input), el("button", { class: "button", type: "button", onclick: search }, "Search"));
  put(app, form, status, place);
  document.addEventListener("click", followed);
  on("ui/notifications/host-context-changed", (context) => { dress(context); });
  on("ui/notifications/tool-input", ({ arguments: given = {} }) => {
    asked = { ns: given.ns || "", query: given.query || "", key: given.key || "" };
    input.value = given.query || "";
  });
  on("ui/notifications/tool-result", (result) => { turn += 1; draw(result); });
  on("ui/notifications/tool-cancelled", () => put(place, empty({ title: "The call was cancelled", text: "Search here, or ask again.", picture: "close" })));
  const host = await connect("ghost");
  dress(host.hostContext || {});
  tellSize(document.documentElement);
  notify("notifications/message", { level: "debug", logger: "ghost", data: `shown, with ${all("script").length} script` });
}

start();
