// A memory's own page: what it says, how it came to say that, what it hangs together with, and what can be done about it.
import { get, isAborted, memoryPath } from "../api.js";
import { bindActions, consolidate, curate, edit, isLocked, link, lock, mayChange, pin, remove, restore, stepsFor, tag, unlink } from "../actions.js";
import { el, one, put } from "../dom.js";
import { facts, meter } from "../facts.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { markdown } from "../md.js";
import { menu } from "../menu.js";
import { neighbours } from "../neighbours.js";
import { failure, kindChip, marks, memoryLink, section, skeleton, tagChip, tierChip, time } from "../parts.js";
import { go, href } from "../router.js";
import { chooseNs } from "../state.js";
import { joinList, number } from "../words.js";
import { versions } from "../versions.js";

export const title = ({ args: [ns, key], query: { version } }) => (key ? [version ? `${key} v${version}` : key, ns] : ["Memory"]);
export const styles = ["memory.css"];

const LABELS = { promote: ["Promote", "up"], demote: ["Demote", "down"], boost: ["More important", "plus"], diminish: ["Less important", "minus"], archive: ["Archive", "lifecycle"] };

export function view({ args, query }, signal) {
  const [ns = "", key = ""] = args;
  const version = /^\d{1,9}$/.test(query.version || "") ? Number(query.version) : null;
  const kept = { raw: false, chosen: new Set(), versions: "", from: null, to: null, all: false }; // what survives a reload of the data
  if (!ns || !key) return unnamed(ns);
  const place = el("div", { class: "memory", "aria-busy": "true" }, el("h1", { class: "sr" }, key), skeleton(3));
  let found = null;
  let asked = 0;

  async function load() {
    asked += 1;
    const mine = asked;
    try {
      const path = memoryPath(ns, key);
      const asking = get(`${path}/history`, {}, signal);
      asking.catch(() => {}); // if both fail, the answer about the details has the better hint
      const about = await get(`${path}/details`, { version }, signal);
      const history = await asking;
      if (mine !== asked || signal.aborted) return;
      found = { ...about, history: history.versions, now: history.versions.at(-1), next: history.versions.find((one_) => one_.version > about.memory.version) };
      draw();
    } catch (error) {
      if (isAborted(error) || mine !== asked) return;
      found = null;
      put(place, el("h1", { class: "sr" }, key), failure(missing(error, ns, key, version), error.status === 404 ? null : load, el("a", { class: "button", href: href("search", { q: key }) }, icon("search"), "Search for it")));
    } finally {
      if (mine === asked) place.setAttribute("aria-busy", "false");
    }
  }

  function draw() {
    const focus = document.activeElement?.closest?.("[data-act]")?.dataset.act;
    const may = mayChange(ns);
    put(
      place,
      header(found, may, load),
      notices(found, may, load),
      el(
        "div",
        { class: "memory-grid" },
        el(
          "div",
          { class: "memory-main" },
          content(found.memory, kept),
          neighbours(found, kept, { may: may && found.current, consolidate: (keys) => consolidate(ns, keys, load), unlink: (near) => unlink(found.memory, near, load), link: () => link(found.memory, load) }),
          versions(found, kept, may && ((to) => restore(found.now, to, load))),
        ),
        el("aside", { class: "memory-side", "aria-label": "About this memory" }, facts(found)),
      ),
    );
    if (focus) one(`[data-act="${CSS.escape(focus)}"]`, place)?.focus();
  }

  const current = () => (found?.current && found.memory.version === found.newest ? found.memory : null);
  bindActions(current, load, signal, (memory, after) => edit(memory, after, { place: found.place }));
  bind("r", "raw or rendered", () => one("[data-act=raw]", place)?.click(), { signal, group: "Memory" });
  bind("Escape", "back", () => { if (history.length > 1) history.back(); else go("search"); }, { signal, group: "Memory" });
  onChange((news) => { if (ns in news.namespaces) load(); }, signal);
  load();
  return place;
}

/** An address without a key. */
function unnamed(ns) {
  const error = { title: "This address does not contain a memory", message: "The address of a memory is #/memory/NAMESPACE/KEY." };
  return el("div", { class: "memory" }, el("h1", { class: "sr" }, "Memory"), failure(error, null, el("a", { class: "button", href: href("search", ns ? { q: ns } : {}) }, icon("search"), "Search")));
}

/** Say which memory is missing; other errors stay as they are. */
function missing(error, ns, key, version) {
  if (error.status !== 404) return error;
  const links = error.similar.flatMap((near, place) => [place ? " or " : "", memoryLink(ns, near)]);
  return { title: version ? `There is no version ${version} of '${key}' in ${ns}` : `There is no memory '${key}' in ${ns}`, message: "It may have another key, or be in another namespace.", hint: links.length ? ["Did you mean ", links, "?"] : error.hint };
}

function header({ memory, current, newest, versions: many, place }, may, load) {
  const live = current && memory.version === newest;
  const button = (act, label, picture, keys, run, pressed) => el("button", { class: "button", type: "button", title: `${label} (${keys})`, "aria-pressed": pressed === undefined ? null : String(pressed), dataset: { act }, onclick: run }, icon(picture), label);
  const more = [
    ["Link to another", "link", () => link(memory, load)],
    ["Consolidate with others", "merge", () => consolidate(memory.ns, [memory.key], load)],
    ...stepsFor(memory).map((op) => [...LABELS[op], () => curate(memory, op, load)]),
    ["Delete", "trash", () => remove(memory, load), true],
  ];
  return el(
    "header",
    { class: "memory-head" },
    el("p", { class: "crumbs soft" }, el("a", { href: href("search"), onclick: () => chooseNs(memory.ns) }, memory.ns), el("span", { "aria-hidden": "true" }, "/"), many > 1 || memory.version > 1 ? `version ${memory.version} of ${newest}` : "version 1"),
    el("div", { class: "memory-title" }, el("h1", { dir: "auto" }, memory.key), marks(memory)),
    el(
      "div",
      { class: "memory-chips" },
      tierChip(memory.tier), kindChip(memory.kind),
      memory.priority !== "normal" && el("span", { class: "chip" }, `${memory.priority} priority`),
      meter(memory.importance),
      el("span", { class: "chip", title: "estimated tokens" }, `${number(memory.est_tokens)} tokens`),
      (memory.tags || []).filter((one_) => one_ !== "locked").map((one_) => tagChip(one_, () => go("search", { tags: joinList([one_]) }))),
      el("span", { class: "soft memory-when" }, place ? "dated " : "said ", time(memory.created_at)),
    ),
    may && live && el(
      "div",
      { class: "memory-actions", role: "toolbar", "aria-label": "Change this memory" },
      button("edit", "Edit", "edit", "e", () => edit(memory, load, { place })),
      button("tag", "Tags", "tag", "t", () => tag(memory, load)),
      button("pin", memory.pinned ? "Unpin" : "Pin", "pin", "p", () => pin(memory, load), memory.pinned),
      button("lock", isLocked(memory) ? "Unlock" : "Lock", "lock", "l", () => lock(memory, load), isLocked(memory)),
      menu("More", more),
    ),
  );
}

function notices({ memory, now, current, newest, ending, doubt }, may, load) {
  const back = (label, version) => may && el("button", { class: "button small", type: "button", dataset: { act: "restore" }, onclick: () => restore(now, version, load) }, icon("undo", 16), label);
  const banner = (tone, picture, text, ...actions) => el("div", { class: `banner ${tone}`, role: "note" }, icon(picture), el("p", null, text), el("div", { class: "banner-actions" }, actions));
  const old = memory.version !== newest;
  return [
    !current && banner("bad", "trash", now.deleted_at ? ["Deleted ", time(now.deleted_at), ". Hidden from search."] : ["Expired ", time(now.expires_at || now.created_at), ". Hidden from search."], !old && back("Restore")),
    old && banner("", "clock", `This is version ${memory.version}. Version ${newest} is the current one.`, el("a", { class: "button small", href: href("memory", memory.ns, memory.key) }, `Show version ${newest}`), back("Restore this version", memory.version)),
    ending && banner("warn", "clock", `No longer valid: it was true ${ending}.`),
    doubt && banner("warn", "warning", `${doubt[0].toUpperCase()}${doubt.slice(1)}.`),
  ];
}

function content(memory, kept) {
  const body = el("div", { class: "memory-text card" });
  const raw = el("button", { class: "button quiet small", type: "button", "aria-pressed": String(kept.raw), title: "As it was written (r)", dataset: { act: "raw" }, onclick: () => { kept.raw = !kept.raw; show(); } }, "Raw");
  const copy = el("button", { class: "button quiet small", type: "button", dataset: { act: "copy" }, onclick: copied }, icon("copy", 16), el("span", null, "Copy"));
  async function copied() {
    try {
      await navigator.clipboard.writeText(memory.content);
      copy.lastChild.textContent = "Copied";
    } catch {
      kept.raw = true;
      show();
      getSelection().selectAllChildren(body.firstChild); // the browser forbids it: what is selected can be copied by hand
    }
  }
  function show() {
    raw.setAttribute("aria-pressed", String(kept.raw));
    put(body, kept.raw ? el("pre", { class: "raw", tabindex: "0", dir: "auto" }, memory.content) : markdown(memory.content));
  }
  show();
  const part = section("Text", body);
  part.classList.add("memory-content");
  part.firstChild.classList.add("sr");
  body.before(el("div", { class: "memory-tools" }, raw, copy));
  return part;
}
