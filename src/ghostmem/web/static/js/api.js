// Calls to /api/v1. Answers are JSON objects; whatever goes wrong is an ApiError with a message and the next step.

export const session = {
  csrf: "", read_only: true, version: "", store: "", name: "", everything: false, sequence: 0, quarantine: 0,
  namespaces: [], counts: {}, namespaces_writable: [], namespaces_admin: [],
};

export class ApiError extends Error {
  constructor(status, body) {
    super(body.message || "something unexpected happened");
    this.status = status;
    this.kind = body.error || "";
    this.hint = body.hint || "";
    this.similar = body.similar || []; // keys that may have been meant
  }
}

/** Say whether an error only means that nobody waits for the answer any more. */
export const isAborted = (error) => error instanceof DOMException && error.name === "AbortError";

async function call(method, path, body, signal, again = false) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Ghost-CSRF"] = session.csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api/v1${path}`, {
      method, headers, signal, credentials: "same-origin", cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new ApiError(0, { message: "The server does not answer", hint: "is `ghost web` still running? Start it again." });
  }
  const found = await answer.json().catch((error) => {
    if (isAborted(error)) throw error;
    return {};
  });
  if (answer.ok) return found;
  if (answer.status === 401) {
    window.dispatchEvent(new Event("ghost:signed-out"));
    throw new ApiError(401, { message: "You are signed out", hint: "run `ghost web` again and open the address that it prints; with `ghost serve`, reload the page and sign in" });
  }
  if (found.error === "ForbiddenOrigin" && !again) { // the browser signed in again in another tab: the page has the old token
    await openSession();
    return call(method, path, body, signal, true);
  }
  throw new ApiError(answer.status, found);
}

/** Write fields as a query; a list stands several times; what is empty is left out. */
export function query(fields) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(fields || {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") found.append(name, String(one));
    }
  }
  const text = found.toString().replaceAll("+", "%20");
  return text ? `?${text}` : "";
}

/** Return the path of a memory below the prefix. */
export const memoryPath = (ns, key, rest = "") => `/memories/${encodeURIComponent(ns)}/${encodeURIComponent(key)}${rest}`;

export const get = (path, fields, signal) => call("GET", path + query(fields), undefined, signal);
export const post = (path, body = {}, signal) => call("POST", path, body, signal);
export const putJson = (path, body, signal) => call("PUT", path, body, signal);
export const del = (path, fields, signal) => call("DELETE", path + query(fields), undefined, signal);

/** Learn who we are; every other call of the page comes after this. */
export async function openSession() {
  Object.assign(session, await call("GET", "/session"));
  return session;
}

/** Say whether the page may change a namespace. */
export const mayWrite = (ns) => !session.read_only && session.namespaces_writable.includes(ns);

/** Say whether the page may remove something of a namespace for good. */
export const mayAdmin = (ns) => !session.read_only && session.namespaces_admin.includes(ns);
