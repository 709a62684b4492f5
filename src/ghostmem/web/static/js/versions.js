// The versions of a memory: what each changed, any two compared, and the way back.
import { diff } from "./diff.js";
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { field, section, select, time } from "./parts.js";
import { href } from "./router.js";
import { count, when } from "./words.js";

const SHOWN = 12;
const FIELDS = ["kind", "tier", "priority", "importance", "pinned", "tags", "valid_from", "valid_to", "expires_at", "source_user", "source_kind", "source_client", "meta"];

/** The section of versions; `restore(number)` writes one again, or is false where nothing may be changed. */
export function versions({ memory, history, newest, current }, kept, restore) {
  const last = history.length - 1;
  const has = (version) => history.some((one) => one.version === version);
  if (!has(kept.to)) kept.to = memory.version;
  if (!has(kept.from)) kept.from = history[Math.max(0, history.findIndex((one) => one.version === kept.to) - 1)].version;
  const list = el("ol", { class: "versions", reversed: true });
  const fill = () => put(list, [...history].reverse().slice(0, kept.all ? undefined : SHOWN).map(row));
  function row(one) {
    const before = history[history.indexOf(one) - 1];
    const told = before ? changes(before, one).map(([name]) => name.replaceAll("_", " ")) : [];
    const text = before && before.content !== one.content ? sizes(before.content, one.content) : before ? "" : `${count(one.content.length, "character")}`;
    return el(
      "li",
      { class: "version", "aria-current": one.version === memory.version ? "true" : null },
      el("a", { class: "version-number", href: href("memory", memory.ns, memory.key, { version: one.version }) }, el("span", { class: "sr" }, "version "), `v${one.version}`),
      el("span", { class: "version-what" }, [text && el("span", null, text), told.length > 0 && el("span", { class: "soft" }, told.join(", "))].filter(Boolean), one.version === newest && el("span", { class: "chip" }, current ? "holds now" : "last")),
      el("span", { class: "soft version-who" }, [one.source_user, one.source_client].filter(Boolean).join(" via "), " ", time(one.recorded_at || one.created_at)),
      restore && one.version !== newest && el("button", { class: "button quiet small", type: "button", "aria-label": `Restore version ${one.version}`, onclick: () => restore(one.version) }, icon("undo", 15), "Restore"),
    );
  }
  fill();
  const part = section("Versions", list);
  if (history.length > SHOWN && !kept.all) part.append(el("button", { class: "button small", type: "button", onclick: (event) => { kept.all = true; fill(); event.target.remove(); } }, `Show all ${history.length}`));
  if (last > 0) part.append(compare(history, kept));
  return part;
}

function sizes(a, b) {
  const by = b.length - a.length;
  return by === 0 ? "text, as long as before" : `text, ${count(Math.abs(by), "character")} ${by > 0 ? "longer" : "shorter"}`;
}

/** Return the fields in which two versions differ as [name, before, after], in words. */
export function changes(a, b) {
  const plain = (value) => (value === undefined || value === null || (Array.isArray(value) && !value.length) ? "" : typeof value === "object" ? JSON.stringify(value, null, 1) : String(value));
  const shown = (name, value) => (name.startsWith("valid") || name.startsWith("expires") ? value && when(value) : name === "tags" ? (value || []).join(", ") : plain(value));
  return FIELDS.filter((name) => plain(a[name]) !== plain(b[name])).map((name) => [name, shown(name, a[name]) || "nothing", shown(name, b[name]) || "nothing"]);
}

function compare(history, kept) {
  const place = el("div", { class: "compared", "aria-live": "polite" });
  const choices = [...history].reverse().map((one) => [String(one.version), `v${one.version} · ${when(one.recorded_at || one.created_at)}`]);
  const pick = (name, label) => field(label, select({ name, value: String(kept[name]), onchange: (event) => { kept[name] = Number(event.target.value); show(); } }, choices));
  function show() {
    const [a, b] = [kept.from, kept.to].map((version) => history.find((one) => one.version === version));
    const told = changes(a, b);
    put(place,
      told.length > 0 && el("table", { class: "field-changes" }, el("caption", { class: "sr" }, "Fields that changed"), el("tbody", null, told.map(([name, before, after]) => el("tr", null, el("th", { scope: "row" }, name.replaceAll("_", " ")), el("td", null, el("del", null, before)), el("td", null, el("ins", null, after)))))),
      diff(a.content, b.content, { label: `From version ${a.version} to version ${b.version}` }));
  }
  show();
  return el("div", { class: "compare" }, el("div", { class: "compare-pick" }, el("h3", null, "Compare"), pick("from", "from"), pick("to", "to")), place);
}
