// A graph as the page knows it: what the server told, put together over several answers, with places that last.
import { seeds } from "./force.js";

/** Return an empty model; nodes are found by key, edges by both ends and the relation. */
export function model() {
  const nodes = [];
  const edges = [];
  const byKey = new Map();
  const known = new Set();
  let x = new Float32Array(0);
  let y = new Float32Array(0);

  /** Take an answer of /graph in; what is new is placed beside what it is linked to. Returns how many nodes are new. */
  function merge(found, near = null) {
    const before = nodes.length;
    for (const node of found.nodes) {
      const place = byKey.get(node.key);
      if (place === undefined) { byKey.set(node.key, nodes.length); nodes.push({ ...node }); }
      else Object.assign(nodes[place], { ...node, cluster: nodes[place].cluster ?? node.cluster });
    }
    for (const edge of found.edges) {
      const source = byKey.get(found.nodes[edge.source].key);
      const target = byKey.get(found.nodes[edge.target].key);
      const name = `${source} ${target} ${edge.rel}`;
      if (known.has(name)) continue;
      known.add(name);
      edges.push({ ...edge, source, target });
    }
    part();
    settle(before, near);
    return nodes.length - before;
  }

  /** Lay several links between the same two beside each other: `shift` counts steps aside, seen from the lower end. */
  function part() {
    const pairs = new Map();
    for (const edge of edges) {
      const name = edge.source < edge.target ? `${edge.source} ${edge.target}` : `${edge.target} ${edge.source}`;
      if (!pairs.has(name)) pairs.set(name, []);
      pairs.get(name).push(edge);
    }
    for (const pair of pairs.values()) pair.forEach((edge, place) => { edge.shift = (place - (pair.length - 1) / 2) * (edge.source < edge.target ? 1 : -1); });
  }

  function settle(before, near) {
    const start = before ? null : seeds(nodes.length, nodes.map((node) => node.cluster ?? -1));
    const [oldX, oldY] = [x, y];
    x = start ? start.x : new Float32Array(nodes.length);
    y = start ? start.y : new Float32Array(nodes.length);
    if (start) return;
    x.set(oldX);
    y.set(oldY);
    for (let node = before; node < nodes.length; node += 1) {
      const edge = edges.find((one) => (one.source === node && one.target < before) || (one.target === node && one.source < before));
      const beside = edge ? (edge.source === node ? edge.target : edge.source) : near;
      const turn = node * 2.4;
      x[node] = (beside === null || beside === undefined ? 0 : x[beside]) + 40 * Math.cos(turn);
      y[node] = (beside === null || beside === undefined ? 0 : y[beside]) + 40 * Math.sin(turn);
    }
  }

  /** Take over the places that another model had. */
  function keep(other) {
    other.nodes.forEach((node, place) => {
      const here = byKey.get(node.key);
      if (here === undefined) return;
      x[here] = other.x[place];
      y[here] = other.y[place];
    });
  }

  return {
    nodes, edges, merge, keep,
    place: (newX, newY) => { if (newX.length === nodes.length) { x = newX; y = newY; } },
    find: (key) => byKey.get(key) ?? -1,
    get x() { return x; },
    get y() { return y; },
    /** What the arranger wants to know: copies, because it moves them. */
    forces: () => ({
      count: nodes.length,
      sources: Int32Array.from(edges, (edge) => edge.source),
      targets: Int32Array.from(edges, (edge) => edge.target),
      weights: Float32Array.from(edges, (edge) => edge.weight),
      x: x.slice(),
      y: y.slice(),
    }),
    around: (node) => edges.filter((edge) => edge.source === node || edge.target === node),
  };
}
