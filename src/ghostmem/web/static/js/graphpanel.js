// What is known of the memory that is chosen in the graph, beside the map.
import { get, isAborted, memoryPath } from "./api.js";
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { markdown } from "./md.js";
import { failure, kindChip, marks, memoryLink, relChip, skeleton, tagChip, tierChip, time } from "./parts.js";
import { href } from "./router.js";
import { RELS, count } from "./words.js";

const MANY = 60;

/** Return {node, show(memory), hide(), fail(error)}; `told` has choose(key), close() and only(key). */
export function graphPanel(space, told, signal) {
  const node = el("aside", { class: "graph-panel card", "aria-label": "Chosen memory", hidden: true });
  let asking = new AbortController();
  let key = "";
  signal.addEventListener("abort", () => asking.abort(), { once: true });

  async function show(memory) {
    asking.abort();
    asking = new AbortController();
    const mine = asking.signal;
    key = memory.key;
    node.hidden = false;
    const place = el("div", { class: "panel-body" }, el("p", null, memory.summary), skeleton(2, "line"));
    put(node, header(memory), place);
    try {
      const found = await get(memoryPath(space, memory.key, "/details"), {}, mine);
      if (!mine.aborted) put(place, body(found));
    } catch (error) {
      if (!isAborted(error)) put(place, failure(error, () => show(memory)));
    }
  }

  function header(memory) {
    return el(
      "div", { class: "panel-head" },
      el("h2", null, memoryLink(space, memory.key), marks(memory)),
      el("button", { class: "button quiet icon-only", type: "button", "aria-label": "Close", title: "Close (Esc)", onclick: told.close }, icon("close")),
    );
  }

  function body({ memory, neighbours, neighbour_count: total, place }) {
    return [
      el("div", { class: "panel-chips" }, tierChip(memory.tier), kindChip(memory.kind), (memory.tags || []).map((tag) => tagChip(tag)), el("span", { class: "soft" }, place ? "dated " : "said ", time(memory.created_at))),
      el("div", { class: "panel-text" }, markdown(memory.content)),
      el(
        "div", { class: "panel-actions" },
        el("a", { class: "button primary", href: href("memory", space, memory.key) }, "Open its page"),
        el("button", { class: "button", type: "button", onclick: () => told.only(memory.key) }, "Only its surroundings"),
      ),
      el("h3", null, count(total, "link")),
      el("ul", { class: "panel-links" }, neighbours.slice(0, MANY).map((one) => el(
        "li", null,
        el("button", { class: "link-row", type: "button", onclick: () => told.choose(one.key) },
          relChip(one.rel, one.out), el("b", null, one.key), el("span", { class: "soft num", title: `weight of “${RELS[one.rel]?.label || one.rel}”` }, one.weight.toFixed(2)),
          el("span", { class: "soft link-text" }, one.summary)),
      ))),
    ];
  }

  return {
    node, show,
    hide: () => { asking.abort(); key = ""; node.hidden = true; },
    fail: (error) => { if (key) node.append(failure(error)); },
  };
}
