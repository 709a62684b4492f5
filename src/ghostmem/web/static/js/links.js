// Links between memories, and summaries that stand for several. Functions as in actions.js.
import { del, get, memoryPath, post, putJson } from "./api.js";
import { again, change, name, where } from "./change.js";
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { field, relChip, select } from "./parts.js";
import { picker } from "./picker.js";
import { RELS, count } from "./words.js";

/** Link a memory to another of its namespace. */
export function link(memory, after) {
  let other = null;
  const find = picker(memory.ns, { onpick: (found) => { other = found; }, without: (key) => key === memory.key, keep: true, label: "The other memory" });
  const rels = Object.entries(RELS).filter(([rel]) => rel !== "merged_into").map(([rel, about]) => [rel, about.label]);
  const ends = (to) => ({ ns: memory.ns, from_key: memory.key, to_key: to.key });
  return change({
    question: {
      title: "Link to another memory", confirm: "Link",
      body: [
        el("p", null, name(memory), where(memory)),
        el("div", { class: "field" }, el("span", { class: "field-label" }, "The other memory"), find.node),
        field("How", select({ name: "rel", value: "relates_to" }, rels)),
        field("Weight", el("input", { class: "input", name: "weight", type: "number", min: "0", max: "1", step: "0.05", placeholder: "as usual for this relation" })),
      ],
      form(data) {
        if (!other || find.input.value !== other.key) throw "Choose the other memory from the list.";
        const weight = String(data.get("weight"));
        return { to: other, rel: String(data.get("rel")), ...(weight ? { weight: Number(weight) } : {}) };
      },
    },
    run: async ({ to, rel, weight }) => {
      const before = (await get("/edges", { ns: memory.ns, key: memory.key })).edges.find((one) => one.from_key === memory.key && one.to_key === to.key && one.rel === rel);
      await post("/edges", { ...ends(to), rel, weight });
      return before || null;
    },
    said: (_, { to }) => `Linked ${memory.key} to ${to.key}`,
    undo: (before, { to, rel }) => (before ? post("/edges", { ...ends(to), rel, weight: before.weight }) : del("/edges", { ...ends(to), rel })),
    after,
  });
}

/** Remove a link that a memory's page shows. */
export function unlink(memory, near, after) {
  const [from_key, to_key] = near.out ? [memory.key, near.key] : [near.key, memory.key];
  const edge = { ns: memory.ns, from_key, to_key, rel: near.rel };
  return change({
    question: { title: "Remove this link?", confirm: "Remove", danger: true, body: [el("p", { class: "move" }, el("b", null, from_key), relChip(near.rel), el("b", null, to_key)), el("p", null, "Both memories stay.")] },
    run: () => del("/edges", edge),
    said: () => `Removed the link to ${near.key}`,
    undo: () => post("/edges", { ...edge, weight: near.weight }),
    after,
  });
}

/** Store a summary that stands for several memories of a namespace; further ones can be added by searching. */
export function consolidate(ns, keys, after) {
  const chosen = new Set(keys);
  const list = el("ul", { class: "chosen", "aria-label": "Stands for" });
  const draw = () => put(list, [...chosen].map((key) => el("li", { class: "tag" }, key, el("button", { class: "button quiet icon-only", type: "button", "aria-label": `Remove ${key}`, onclick: () => { chosen.delete(key); draw(); } }, icon("close", 14)))));
  const find = picker(ns, { onpick: (found) => { chosen.add(found.key); draw(); }, without: (key) => chosen.has(key), label: "Add a memory" });
  const text = el("textarea", { class: "input", name: "content", rows: "6", dir: "auto" });
  draw();
  return change({
    question: {
      unsaved: () => Boolean(text.value.trim()),
      title: "Consolidate", confirm: "Store the summary", wide: true,
      body: [
        el("p", null, "In a context, a summary replaces several memories; they all stay as they are."),
        field("Key of the summary", el("input", { class: "input", name: "key", autocomplete: "off", spellcheck: "false", maxlength: "512" })),
        field("Text of the summary", text),
        el("div", { class: "field" }, el("span", { class: "field-label" }, "Stands for"), list, find.node),
      ],
      form(data) {
        const [key, content] = [String(data.get("key")).trim(), String(data.get("content")).trim()];
        if (!key) throw "Give the summary a key.";
        if (!content) throw "Write what the summary says.";
        if (chosen.size < 2) throw "Choose at least two memories.";
        if (chosen.has(key)) throw `${key} cannot summarise itself: choose another key.`;
        return { key, content, sources: [...chosen] };
      },
    },
    run: async ({ key, content, sources }) => {
      const there = (await get("/memories", { ns, key_prefix: key, limit: 1000 })).memories.some((one) => one.key === key);
      return { before: there ? await get(memoryPath(ns, key, "/details")) : null, made: await post("/consolidate", { ns, summary_key: key, content, source_keys: sources }) };
    },
    said: (_, { key, sources }) => `${key} summarises ${count(sources.length, "memory", "memories")}`,
    undo: ({ before, made }, { key, sources }) => unconsolidate(ns, key, sources, before, made.summary),
    after,
  });
}

async function unconsolidate(ns, key, sources, before, summary) {
  if (!before) return del(memoryPath(ns, key));
  const kept = new Set(before.neighbours.filter((one) => one.out && one.rel === "contains").map((one) => one.key));
  for (const source of sources.filter((one) => !kept.has(one))) await del("/edges", { ns, from_key: key, to_key: source, rel: "contains" });
  return summary.version === before.memory.version ? null : putJson(memoryPath(ns, key), again(before.memory, { base_version: summary.version }));
}
