// Which screen is shown: #/NAME/ARG/ARG?query. Each screen is a module of views/, loaded when it is first needed.

/** Return an address of this page: href("memory", ns, key), or href("search", {q: "tea"}). */
export function href(name, ...rest) {
  const args = rest.filter((one) => typeof one !== "object").map((one) => `/${encodeURIComponent(one)}`);
  const fields = rest.find((one) => typeof one === "object");
  return `#/${name}${args.join("")}${fields ? asQuery(fields) : ""}`;
}

/** Go to a screen. */
export function go(name, ...rest) {
  location.hash = href(name, ...rest);
}

/** Write what a screen shows into its address, without showing it again. */
export function remember(fields) {
  const path = location.hash.split("?")[0] || "#/home";
  history.replaceState(history.state, "", path + asQuery(fields)); // the state names the entry, see places.js
}

/** Go to a screen in place of the present entry of the history. */
export const replace = (name, ...rest) => location.replace(href(name, ...rest));

/** Set the title of the tab: setTitle("tea", "agent:me") gives "tea · agent:me · Ghost". */
export function setTitle(...parts) {
  document.title = [...parts.filter(Boolean), "Ghost"].join(" · ");
}

/** Read an address: the screen's name, what stands behind it, and its fields. */
export function parse(hash = location.hash) {
  const plain = hash.replace(/^#\/?/, "");
  const cut = plain.includes("?") ? plain.indexOf("?") : plain.length;
  const [path, text] = [plain.slice(0, cut), plain.slice(cut + 1)];
  const [name = "", ...args] = path.split("/").map(decoded);
  return { name: name || "home", args, query: Object.fromEntries(new URLSearchParams(text)) };
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

function asQuery(fields) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== "" && value !== null && value !== undefined) found.set(name, value);
  const text = found.toString();
  return text ? `?${text}` : "";
}
