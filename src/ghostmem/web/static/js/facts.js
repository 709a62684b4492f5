// What is known about a memory besides its text: use, times, where it comes from, files, symbols and other details.
import { el, svg } from "./dom.js";
import { icon } from "./icons.js";
import { memoryLink, time } from "./parts.js";
import { href } from "./router.js";
import { SOURCES, TIERS, count, number, when } from "./words.js";

const SHOWN_DAYS = 60;
const DAY = 86400000;

/** The importance of a memory, as a bar and a number. */
export function meter(value) {
  return el("span", { class: "chip meter", title: `importance ${value.toFixed(2)} of 1` }, "importance", el("i", { "aria-hidden": "true" }, el("b", { vars: { "--share": `${Math.round(value * 100)}%` } })), value.toFixed(2));
}

/** Everything about a memory, as blocks. */
export function facts({ memory, now, next, days, place, current }) {
  return [
    block("Use", uses(days), rows([
      ["retrieved", memory.access_count > 0 && `${number(memory.access_count)} ${memory.access_count === 1 ? "time" : "times"}`],
      ["helped", memory.utility_count > 0 && `${number(memory.utility_count)} ${memory.utility_count === 1 ? "time" : "times"}`],
      ["last", memory.last_accessed_at && time(memory.last_accessed_at)],
    ])),
    block("Times", rows([
      [place ? "dated" : "said", exact(memory.created_at)],
      ["true from", exact(memory.valid_from || memory.created_at)],
      ["true until", memory.valid_to ? exact(memory.valid_to) : current && !next && "still true"],
      ["believed from", exact(memory.recorded_at || memory.created_at)],
      ["believed until", next ? [exact(next.recorded_at || next.created_at), ` (version ${next.version})`] : current ? "still believed" : now.deleted_at ? exact(now.deleted_at) : "expired"],
      ["expires", memory.expires_at && exact(memory.expires_at)],
    ]), el("p", { class: "fact-more" }, el("a", { href: href("timeline", { prefix: memory.key, ns: memory.ns }) }, icon("timeline", 16), "On the timeline"))),
    block("Source", rows([
      ["said by", memory.source_user],
      ["how", memory.source_kind && (SOURCES[memory.source_kind] || memory.source_kind)],
      ["conversation", memory.source_scope],
      ["stored by", memory.source_client],
      ["note", place && el("span", { class: "path" }, icon("file", 14), `${place.path}:${place.line}`, el("span", { class: "soft" }, ` in ${place.root}`))],
      ["verdict", memory.verdict && [memory.verdict.kind, memory.verdict.key && [" of ", memoryLink(memory.ns, memory.verdict.key)]]],
      ["replaced by", memory.meta?.superseded_by && memoryLink(memory.ns, String(memory.meta.superseded_by))],
      ["notes", memory.notes?.length && memory.notes.map((text) => el("p", { dir: "auto" }, text))],
    ], "No source was given.")),
    memory.aliases?.length > 0 && block("Also said as", el("ul", { class: "fact-list" }, memory.aliases.slice(0, 50).map((text) => el("li", { dir: "auto" }, text)))),
    memory.files?.length > 0 && block("Files", el("ul", { class: "fact-list" }, memory.files.slice(0, 200).map((file) => el("li", { class: "path" }, icon("file", 14), el("span", null, file.path), file.rel !== "modified" && el("span", { class: "soft" }, file.rel))))),
    memory.symbols?.length > 0 && block("Symbols", el("ul", { class: "fact-list" }, memory.symbols.slice(0, 200).map((symbol) => el("li", null, el("code", null, symbol.name), el("span", { class: "soft fact-under" }, `${symbol.language}, ${symbol.path}`))))),
    block("Details", rows([["id", el("code", null, memory.id)], ["namespace", memory.ns], ["kind", memory.kind], ["tier", TIERS[memory.tier]?.label || memory.tier], ["priority", memory.priority]]),
      memory.meta && Object.keys(memory.meta).length > 0 && el("pre", { class: "meta", tabindex: "0" }, JSON.stringify(memory.meta, null, 2))),
  ];
}

const exact = (at) => el("time", { datetime: at, title: at }, when(at));
const block = (title, ...children) => el("section", { class: "fact" }, el("h2", null, title), children);

function rows(pairs, none = "") {
  const given = pairs.filter(([, value]) => value);
  if (!given.length) return none ? el("p", { class: "soft" }, none) : null;
  return el("dl", { class: "fact-rows" }, given.map(([label, value]) => [el("dt", null, label), el("dd", { dir: "auto" }, value)]));
}

/** Days of use as bars: what was used stands in front of what was only shown. */
function uses(days) {
  if (!days.length) return el("p", { class: "soft" }, "Never used");
  const byDay = new Map(days.map((one) => [one.day.slice(0, 10), one]));
  const end = Math.floor(Date.now() / DAY);
  const first = Math.min(...[...byDay.keys()].map((name) => Math.floor(Date.parse(`${name}T00:00:00Z`) / DAY)));
  const start = Math.max(end - SHOWN_DAYS + 1, Math.min(first, end - 13));
  const shown = Array.from({ length: end - start + 1 }, (_, at) => { const name = new Date((start + at) * DAY).toISOString().slice(0, 10); return byDay.get(name) || { day: name, used: 0, shown: 0 }; });
  const most = Math.max(1, ...shown.map((one) => one.used + one.shown));
  const [wide, high, gap] = [240, 48, 1];
  const step = wide / shown.length;
  const bar = (one, at) => {
    const [all, used] = [((one.used + one.shown) / most) * (high - 2), (one.used / most) * (high - 2)];
    const box = (name, tall) => svg("rect", { class: name, x: (at * step).toFixed(2), y: (high - tall).toFixed(2), width: Math.max(1, step - gap).toFixed(2), height: tall.toFixed(2), rx: "1" });
    return svg("g", null, svg("title", null, `${one.day}: used ${one.used}, shown ${one.shown}`), all > 0 && box("bar-shown", Math.max(2, all)), used > 0 && box("bar-used", Math.max(2, used)));
  };
  const total = (name) => days.reduce((sum, one) => sum + one[name], 0);
  const told = `Used ${count(total("used"), "time")} and shown ${count(total("shown"), "time")} on ${count(days.length, "day")}`;
  return el("figure", { class: "uses" },
    svg("svg", { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": told }, svg("line", { class: "axis", x1: "0", x2: wide, y1: high, y2: high }), shown.map(bar)),
    el("figcaption", { class: "soft" }, el("span", null, shown[0].day), el("span", { class: "legend" }, el("i", { class: "bar-used" }), "used", el("i", { class: "bar-shown" }), "shown"), el("span", null, "today")));
}
