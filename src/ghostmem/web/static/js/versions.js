// The versions of a memory: what each changed, any two compared, and the way back.
import { diff } from "./diff.js";
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { field, section, select, time } from "./parts.js";
import { href } from "./router.js";
import { count, day, when } from "./words.js";

const SHOWN = 12;
const FIELDS = ["kind", "priority", "tags", "valid_from", "valid_to", "source_user", "source_kind", "source_client", "meta"];
const OF_THE_TEXT = FIELDS.filter((name) => name !== "source_user" && name !== "source_client"); // a row names these two at its end
const IN_PLACE = ["tier", "importance", "pinned", "expires_at"]; // these also change without a new version: by reflect, promote, boost, pin

/** The section of versions; `restore(number)` writes one again, or is false where nothing may be changed. */
export function versions({ memory, history, newest, current }, kept, restore) {
  const last = history.length - 1;
  const known = history.map((one) => one.version).join(" ");
  if (kept.versions !== known) [kept.versions, kept.from, kept.to] = [known, ...compared(history, memory.version)]; // a new version is what one wants to see
  const list = el("ol", { class: "versions", reversed: true });
  const fill = () => put(list, [...history].reverse().slice(0, kept.all ? undefined : SHOWN).map(row));
  function row(one) {
    const before = history[history.indexOf(one) - 1];
    const fields = before ? changes(before, one, OF_THE_TEXT).map(([name]) => NAMES[name] || name) : [];
    const text = before && before.content !== one.content ? sizes(before.content, one.content) : before ? "" : `first text, ${count(one.content.length, "character")}`;
    const who = [one.source_user, one.source_client].filter(Boolean).join(" via ");
    const told = [text, ...fields].filter(Boolean).join(", ") || "no change of text or fields";
    return el(
      "li",
      { class: "version", "aria-current": one.version === memory.version ? "true" : null },
      el("a", { class: "version-number", href: href("memory", memory.ns, memory.key, { version: one.version }) }, el("span", { class: "sr" }, "version "), `v${one.version}`),
      el("span", { class: "version-what" }, el("span", null, told[0].toUpperCase() + told.slice(1)), one.version === newest && el("span", { class: "chip" }, current ? "current" : "last")),
      el("span", { class: "soft version-who" }, who && [who, " · "], time(one.recorded_at || one.created_at)),
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
  return by === 0 ? "text changed" : `text changed (${by > 0 ? "+" : "−"}${count(Math.abs(by), "character")})`;
}

/** Return the versions to compare at first: a version with the one before it, or the first one with the newest. */
function compared(history, version) {
  const at = history.findIndex((one) => one.version === version);
  const [from, to] = at > 0 ? [history[at - 1], history[at]] : [history[0], history.at(-1)];
  return [from.version, to.version];
}

const NAMES = { valid_from: "valid from", valid_to: "valid until", expires_at: "expiry", source_user: "said by", source_kind: "source", source_client: "stored by", meta: "details", pinned: "pin" };

/** Return the fields in which two versions differ as [name, before, after], in words. */
export function changes(a, b, names = FIELDS) {
  const plain = (value) => (value === undefined || value === null || (Array.isArray(value) && !value.length) ? "" : typeof value === "object" ? JSON.stringify(value, null, 1) : String(value));
  const shown = (name, value) => (name.startsWith("valid") || name.startsWith("expires") ? value && when(value) : name === "tags" ? (value || []).join(", ") : plain(value));
  return names.filter((name) => plain(a[name]) !== plain(b[name])).map((name) => [name, shown(name, a[name]) || "nothing", shown(name, b[name]) || "nothing"]);
}

function compare(history, kept) {
  const place = el("div", { class: "compared", "aria-live": "polite" });
  const choices = [...history].reverse().map((one) => [String(one.version), `v${one.version} · ${day(one.recorded_at || one.created_at)}`]);
  const pick = (name, label) => field(label, select({ name, value: String(kept[name]), onchange: (event) => { kept[name] = Number(event.target.value); show(); } }, choices));
  function show() {
    const [a, b] = [kept.from, kept.to].map((version) => history.find((one) => one.version === version));
    const inPlace = changes(a, b, IN_PLACE);
    const told = [...changes(a, b), ...inPlace];
    put(place,
      told.length > 0 && el("table", { class: "field-changes" }, el("caption", { class: "sr" }, "Fields that changed"), el("tbody", null, told.map(([name, before, after]) => el("tr", null, el("th", { scope: "row" }, NAMES[name] || name), el("td", { dir: "auto" }, el("del", null, before)), el("td", { dir: "auto" }, el("ins", null, after)))))),
      inPlace.length > 0 && el("p", { class: "note" }, icon("info", 16), "Tier, importance, pin and expiry also change without a new version, for example by reflect."),
      diff(a.content, b.content, { label: `From version ${a.version} to version ${b.version}` }));
  }
  show();
  return el("div", { class: "compare" }, el("div", { class: "compare-pick" }, el("h3", null, "Compare"), pick("from", "from"), pick("to", "to")), place);
}
