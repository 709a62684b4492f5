// Texts that were typed and not saved, kept for this tab until they are saved or discarded.

const KEY = "ghost.draft.";

/** Return the draft of a name, an object, or null. */
export function draft(name) {
  try { return JSON.parse(sessionStorage.getItem(KEY + name)); } catch { return null; }
}

/** Keep a draft under a name. */
export function keepDraft(name, fields) {
  try { sessionStorage.setItem(KEY + name, JSON.stringify(fields)); } catch { /* it lasts until the dialog is closed */ }
}

/** Forget the draft of a name. */
export function dropDraft(name) {
  try { sessionStorage.removeItem(KEY + name); } catch { /* there is none */ }
}
