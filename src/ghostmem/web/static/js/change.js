// How every change goes: it asks once, is done, and leaves a notice whose Undo really takes it back.
import { mayWrite, session } from "./api.js";
import { ask } from "./dialog.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { toast, toastError } from "./toast.js";

/** Say whether the page may write in a namespace; one that holds no memory yet counts as the others do. */
export const mayChange = (ns) => mayWrite(ns) || (!session.read_only && !session.namespaces.includes(ns) && session.namespaces_writable.length === session.namespaces.length);

export const isLocked = (memory) => (memory.tags || []).includes("locked");
export const name = (memory) => el("b", { dir: "auto" }, memory.key);
export const where = (memory) => el("span", { class: "soft" }, " in ", memory.ns);
export const forced = (memory) => (isLocked(memory) ? { unlock: true } : {});
export const lockNote = (memory) => isLocked(memory) && el("p", { class: "note" }, icon("lock", 16), "It is locked against rewriting; this overrides the lock.");

/** Return what to put so that the next version differs from a memory only in what is named. */
export function again(memory, fields) {
  return { content: memory.content, created_at: memory.created_at, valid_from: memory.valid_from, valid_to: memory.valid_to, base_version: memory.version, allow_secrets: true, ...forced(memory), ...fields };
}

/** Tell the rest of the page that something was changed here; a decision that only changes links is no news of the store. */
const tell = () => window.dispatchEvent(new Event("ghost:change"));

/** Ask, do, tell, and offer the way back. */
export async function change({ question, run, said, undo, after }) {
  const answer = await ask(question);
  if (answer === false) return false;
  try {
    const done = await run(answer);
    toast(said(done, answer), { undo: undo && (async () => { await undo(done, answer); after?.(); tell(); }) });
    after?.(done);
    tell();
    return true;
  } catch (error) {
    toastError(error);
    after?.();
    return false;
  }
}
