// "New memory": a dialog with namespace, key, kind, tags and text. It never overwrites a memory that is there.
import { del, get, memoryPath, putJson, session } from "./api.js";
import { mayChange } from "./change.js";
import { ask } from "./dialog.js";
import { el, put } from "./dom.js";
import { draft, dropDraft, keepDraft } from "./drafts.js";
import { saveHint, textPane } from "./editor.js";
import { icon } from "./icons.js";
import { field, select } from "./parts.js";
import { go } from "./router.js";
import { ns } from "./state.js";
import { toast } from "./toast.js";
import { KINDS, splitList } from "./words.js";

const DRAFT = "new memory";
const EMPTY = { ns: "", key: "", kind: "semantic", tags: "", text: "" };

/** Say whether the page may store a memory anywhere. */
export const mayCreate = () => !session.read_only && (session.namespaces_writable.length > 0 || session.everything);

function firstNs() {
  if (ns() && !ns().endsWith("*") && mayChange(ns())) return ns();
  return session.namespaces_writable.find((name) => !ns() || name.startsWith(ns().replace(/\*$/, ""))) || "agent:me";
}

/** Ask for a new memory, store it and show it. */
export async function create() {
  const before = draft(DRAFT);
  const typed = before || { ...EMPTY, ns: firstNs() };
  let problem = "";
  for (;;) {
    const answer = await ask(question(typed, problem, Boolean(before)));
    if (answer === false) {
      if (!typed.left) dropDraft(DRAFT);
      return;
    }
    try {
      const made = await putJson(memoryPath(answer.ns, answer.key), { content: answer.text, kind: answer.kind, tags: answer.tags, base_version: 0 });
      dropDraft(DRAFT);
      toast([`Stored ${made.key} in ${made.ns}`, ...(made.notes || [])].join("; "), { undo: () => del(memoryPath(made.ns, made.key)) });
      go("memory", made.ns, made.key);
      return;
    } catch (error) {
      problem = error.status === 409 ? `There is already a memory “${answer.key}” in ${answer.ns}: choose another key, or edit that one.` : [error.message, error.hint].filter(Boolean).join(": ");
    }
  }
}

function question(typed, problem, isDraft) {
  const keep = (name) => (event) => { typed[name] = event.target.value; keepDraft(DRAFT, typed); };
  const input = (name, props = {}) => el("input", { class: "input", name, value: typed[name], autocomplete: "off", spellcheck: "false", dir: "auto", oninput: keep(name), ...props });
  const tags = el("datalist", { id: "new-tags" });
  get("/tags", {}).then((found) => put(tags, found.tags.slice(0, 200).map((one) => el("option", { value: one.tag })))).catch(() => {});
  const pane = textPane(typed.text, (text) => { typed.text = text; keepDraft(DRAFT, typed); });
  return {
    title: "New memory", confirm: "Store", wide: true, hint: saveHint("stores"),
    body: [
      problem && el("p", { class: "problem", role: "alert" }, problem),
      isDraft && !problem && el("p", { class: "note" }, icon("info", 16), "This is your draft, which was not stored yet."),
      el("div", { class: "create-fields" },
        field("Key", input("key", { maxlength: "512", placeholder: "deploy-days" })),
        field("Namespace", input("ns", { list: "new-namespaces", maxlength: "512" })),
        field("Kind", select({ name: "kind", value: typed.kind, onchange: keep("kind") }, Object.entries(KINDS).map(([value, about]) => [value, `${about.label}: ${about.about}`]))),
        field("Tags", input("tags", { list: "new-tags", placeholder: "payments, rules" }))),
      pane.node, tags,
      el("datalist", { id: "new-namespaces" }, session.namespaces_writable.map((value) => el("option", { value }))),
    ],
    unsaved: () => Boolean(typed.text.trim() || typed.key.trim()),
    onleave: () => {
      if (!typed.text.trim() && !typed.key.trim()) return;
      typed.left = true;
      keepDraft(DRAFT, { ...typed, left: undefined });
      toast("Your draft is kept: New memory opens it again", { tone: "plain" });
    },
    form() {
      const made = { ns: typed.ns.trim(), key: typed.key.trim(), kind: typed.kind, text: typed.text, tags: splitList(typed.tags) };
      if (!made.key) throw "Give the memory a key.";
      if (!made.ns) throw "Give a namespace.";
      if (!made.text.trim()) throw "Write the text of the memory.";
      if (!mayChange(made.ns)) throw `You may not write in ${made.ns}.`;
      return made;
    },
  };
}
