// The way to the host: requests and notices of JSON-RPC over postMessage, as the MCP Apps extension has them.
const VERSION = "2026-01-26";
const waiting = new Map();
const handlers = new Map();
let last = 0;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*"); // the host has no origin that could be known here
}

/** Ask the host, and wait for its answer. */
export function request(method, params = {}) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

/** Tell the host. */
export const notify = (method, params = {}) => send({ method, params });

/** Call `fn(params)` when the host says or asks something; what it returns is the answer. */
export const on = (method, fn) => handlers.set(method, fn);

function heard(event) {
  if (event.source !== window.parent) return; // nobody else is listened to
  const message = event.data;
  if (!message || typeof message !== "object" || message.jsonrpc !== "2.0") return;
  if (typeof message.method === "string") answer(message);
  else if (waiting.has(message.id)) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) reject(new Error(String(message.error.message || "the host refused")));
    else resolve(message.result || {});
  }
}

function answer({ id, method, params }) {
  const fn = handlers.get(method);
  const asks = id !== undefined && id !== null;
  if (!fn) {
    if (asks) send({ id, error: { code: -32601, message: `there is no method ${method}` } });
    return;
  }
  const found = fn(params || {});
  if (asks) send({ id, result: found || {} });
}

/** Shake hands, and return what the host says about itself and its window. */
export async function connect(name) {
  window.addEventListener("message", heard);
  on("ping", () => ({}));
  on("ui/resource-teardown", () => ({}));
  const found = await request("ui/initialize", { protocolVersion: VERSION, appInfo: { name, version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } });
  notify("ui/notifications/initialized");
  return found;
}

/** Tell the host how large the page is, whenever that changes. */
export function tellSize(node) {
  let told = "";
  const tell = () => {
    const size = { width: Math.ceil(node.scrollWidth), height: Math.ceil(node.getBoundingClientRect().height) };
    if (JSON.stringify(size) === told) return;
    told = JSON.stringify(size);
    notify("ui/notifications/size-changed", size);
  };
  new ResizeObserver(tell).observe(node);
}
