// Building the page from nodes. Text only ever becomes text: no function here takes HTML.

const SVG = "http://www.w3.org/2000/svg";
const LINKS = new Set(["href", "src", "action", "formaction", "xlink:href"]);
const REFUSED = new Set(["innerhtml", "outerhtml", "srcdoc", "style"]);

/** Say whether an address may be followed: the web, mail, or this page. */
export function isSafeLink(address) {
  return /^(https?:\/\/|mailto:|#|\/(?!\/))/i.test(String(address).trim());
}

/**
 * Make an element: el("button", { class: "button", type: "button", onclick: go, "aria-label": "Go" }, "Go", icon("open")).
 * Properties that are functions are listeners, `dataset` and `vars` (custom properties of CSS) are objects; null, undefined and
 * false are left out, true is an empty attribute. Children are nodes, texts, numbers, or lists of them; null is left out.
 */
export function el(tag, props, ...children) {
  const node = document.createElement(tag);
  fill(node, props);
  add(node, children);
  return node;
}

/** Make an element of SVG in the same way. */
export function svg(tag, props, ...children) {
  const node = document.createElementNS(SVG, tag);
  fill(node, props);
  add(node, children);
  return node;
}

function fill(node, props) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    const lower = name.toLowerCase();
    if (typeof value === "function") node.addEventListener(lower.replace(/^on/, ""), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "vars") for (const [one, set] of Object.entries(value)) node.style.setProperty(one, String(set));
    else if (name === "value" && "value" in node) node.value = value;
    else if (lower.startsWith("on") || REFUSED.has(lower)) throw new Error(`${name} must not be set from text`);
    else if (LINKS.has(lower) && !isSafeLink(value)) node.setAttribute("data-refused-link", "");
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Append children as `el` does. */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Put other children in the place of those a node has. */
export function put(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

/** Return the first element that matches. */
export const one = (selector, within = document) => within.querySelector(selector);

/** Return all elements that match, as a list. */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Call a function when the changes made so far are on screen. */
export const afterPaint = (fn) => requestAnimationFrame(() => setTimeout(fn));

/** Tell people who listen to the page rather than look at it. */
export function announce(text) {
  const place = document.getElementById("live");
  if (place) place.textContent = text;
}
