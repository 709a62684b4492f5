// Editing a memory's text: a new version of it, with a look at what it will be; when somebody else was faster, the person decides.
import { del, get, memoryPath, putJson } from "./api.js";
import { forced, isLocked } from "./change.js";
import { ask } from "./dialog.js";
import { diff } from "./diff.js";
import { el, put } from "./dom.js";
import { draft, dropDraft, keepDraft } from "./drafts.js";
import { icon } from "./icons.js";
import { markdown } from "./md.js";
import { time } from "./parts.js";
import { toast } from "./toast.js";

const PAUSE = 120;

const draftName = (memory) => `${memory.ns} ${memory.key}`;

/**
 * Edit a memory. A text that was typed and not saved is kept as a draft when the user goes elsewhere, and offered back when it is
 * discarded. `place` names the note that has the text, `text` is what to begin with.
 */
export async function edit(memory, after, { place = null, text = null } = {}) {
  let base = memory;
  let problem = "";
  const before = text === null ? draft(draftName(memory)) : null;
  let typed = { text: before?.text ?? text ?? memory.content, isDraft: Boolean(before) && before.text !== memory.content, draftVersion: before?.version };
  for (;;) {
    const answer = await ask(question(base, typed, place, problem));
    if (answer === false) {
      if (typed.left) return false;
      dropDraft(draftName(base));
      if (typed.text !== base.content) toast("Your changes were discarded", { tone: "plain", undo: async () => { edit(base, after, { place, text: typed.text }); } });
      return false;
    }
    text = answer.text;
    typed = { text };
    try {
      await save(base, text, after);
      return true;
    } catch (error) {
      problem = [error.message, error.hint].filter(Boolean).join(": ");
      const now = error.status === 409 ? await newest(base) : null;
      if (!now || now.version === base.version) continue;
      const choice = await settle(base, now, text);
      after?.();
      if (choice === "theirs") dropDraft(draftName(base));
      if (choice === false || choice === "theirs") return false;
      base = now;
      problem = "";
      if (choice === "again") continue;
      try {
        await save(base, text, after);
        return true;
      } catch (still) {
        problem = [still.message, still.hint].filter(Boolean).join(": ");
      }
    }
  }
}

const newest = (memory) => get(memoryPath(memory.ns, memory.key)).catch(() => null);

async function save(base, text, after) {
  const path = memoryPath(base.ns, base.key);
  const kept = { valid_from: base.valid_from, valid_to: base.valid_to, ...forced(base) };
  const ties = await edges(base);
  const made = await putJson(path, { content: text, base_version: base.version, ...kept });
  dropDraft(draftName(base));
  const undo = async () => {
    await putJson(path, { content: base.content, created_at: base.created_at, base_version: made.version, allow_secrets: true, ...kept });
    for (const [id, edge] of await edges(base)) if (edge.automatic && !ties.has(id)) await del("/edges", { ns: base.ns, from_key: edge.from_key, to_key: edge.to_key, rel: edge.rel });
    after?.();
  };
  toast([`Saved ${base.key} as version ${made.version}`, ...(made.notes || [])].join("; "), { undo });
  after?.(made);
}

async function edges(memory) {
  const found = await get("/edges", { ns: memory.ns, key: memory.key });
  return new Map(found.edges.map((edge) => [`${edge.from_key}\n${edge.to_key}\n${edge.rel}`, edge]));
}

/**
 * A box for markdown with a preview beside it: {node, box}. `oninput(text)` hears what is typed; Ctrl-Enter submits the form. With
 * `before`, the pane can also show what changed since that text.
 */
export function textPane(text, oninput, before = null) {
  const shown = el("div", { class: "editor-preview", "aria-label": "Preview", role: "region", tabindex: "0" });
  const box = el("textarea", { class: "input editor-text", name: "text", "aria-label": "Text", spellcheck: "true", dir: "auto", value: text, oninput: typed });
  const tab = (label, isDiff) => el("button", { class: "editor-tab", type: "button", "aria-pressed": String(!isDiff), onclick: () => { showsDiff = isDiff; draw(); } }, label);
  const tabs = before === null ? [] : [tab("Preview", false), tab("Changes", true)];
  let showsDiff = false;
  let timer = 0;
  box.setSelectionRange(0, 0);
  function draw() {
    tabs.forEach((button, place) => button.setAttribute("aria-pressed", String(Boolean(place) === showsDiff)));
    shown.setAttribute("aria-label", showsDiff ? "Changes" : "Preview");
    put(shown, showsDiff ? diff(before, box.value) : markdown(box.value));
  }
  function typed() {
    oninput(box.value);
    clearTimeout(timer);
    timer = setTimeout(draw, PAUSE);
  }
  draw();
  const node = el("div", { class: "editor" },
    el("div", { class: "field" }, el("span", { class: "field-label" }, "Text, in markdown"), box),
    el("div", { class: "field" }, el("span", { class: "field-label" }, tabs.length ? tabs : "Preview"), shown));
  return { node, box };
}

/** The line beside the buttons that says how to save by keyboard. */
export const saveHint = (verb) => [el("kbd", null, "Ctrl"), " ", el("kbd", null, "Enter"), ` ${verb}`];

function question(memory, typed, place, problem) {
  const pane = textPane(typed.text, (text) => { typed.text = text; keepDraft(draftName(memory), { text, version: memory.version }); }, memory.content);
  const stored = typed.isDraft && el("button", { class: "button small", type: "button", onclick: () => { pane.box.value = memory.content; pane.box.dispatchEvent(new Event("input")); stored.parentElement.remove(); pane.box.focus(); } }, "Use the stored text");
  return {
    title: `Edit ${memory.key}`, confirm: `Save as version ${memory.version + 1}`, wide: true, hint: saveHint("saves"),
    body: [
      problem && el("p", { class: "problem", role: "alert" }, problem),
      typed.isDraft && el("p", { class: "note draft-note" }, icon("info", 16), el("span", { class: "grow" }, typed.draftVersion === memory.version ? "This is your draft, which was not saved yet." : `This is your draft of version ${typed.draftVersion}; version ${memory.version} was saved since.`), stored),
      place && el("p", { class: "note warn" }, icon("warning", 16), `This text is in the file ${place.path}, line ${place.line}: change it there, or the next sync brings it back.`),
      isLocked(memory) && el("p", { class: "note" }, icon("lock", 16), "It is locked against rewriting; saving it here overrides the lock."),
      pane.node,
    ],
    unsaved: () => pane.box.value !== memory.content,
    onleave: () => {
      if (pane.box.value === memory.content) return;
      typed.left = true;
      toast(`Your draft of ${memory.key} is kept: Edit opens it again`, { tone: "plain" });
    },
    form() {
      if (!pane.box.value.trim()) throw "A memory cannot be empty; delete it instead.";
      if (pane.box.value === memory.content) throw "Nothing has changed.";
      return { text: pane.box.value };
    },
  };
}

/** Show both texts, and let the person choose: "mine", "theirs", "again", or false. */
async function settle(base, now, text) {
  const pane = (title, about, value) => el("section", { class: "pane" }, el("h3", null, title), el("p", { class: "soft" }, about), el("pre", { class: "pane-text", tabindex: "0" }, value));
  const choice = (value, label, about, checked) => el("label", { class: "choice" }, el("input", { type: "radio", name: "choice", value, checked }), el("span", null, el("b", null, label), " ", el("span", { class: "soft" }, about)));
  const answer = await ask({
    title: "Someone else has changed it", confirm: "Go on", wide: true,
    body: [
      el("p", null, `You began with version ${base.version}; it is at version ${now.version} now, written `, time(now.recorded_at || now.created_at), "."),
      el("div", { class: "panes" }, pane("Yours", "not saved yet", text), pane("Theirs", `version ${now.version}`, now.content)),
      el("details", { class: "fold" }, el("summary", null, icon("chevron", 14), "From theirs to yours"), diff(now.content, text)),
      el("fieldset", { class: "choices" }, el("legend", { class: "sr" }, "Which text should be kept?"),
        choice("again", "Look at mine again", "edit it against theirs, then save", true),
        choice("mine", "Keep mine", `save it as version ${now.version + 1}`),
        choice("theirs", "Keep theirs", "and drop my text")),
    ],
    form: (data) => ({ choice: String(data.get("choice")) }),
  });
  return answer === false ? false : answer.choice;
}
