// The strokes of a graph: clusters as soft areas, edges by colour, dash and thickness, nodes by shape and size, names where there is room.
import { RELS, TIERS } from "./words.js";

const DASHED = 1500; // visible edges above which all are drawn solid
const MOVING = 2500; // edges drawn while one moves
const CHUNK = 300; // strokes of one path: long paths are slow to fill in software
const LABELS = 140;
const SMALL = 2.2; // pixels: below, a shape is a square
const TURN = 2 * Math.PI;
export const GROUPS = 8; // colours of groups; the last one is for all others

/** Return the colour of a node: that of its group, or else of its tier. */
const paintOf = (graph, node, paints) => (graph.group ? paints.groups[graph.group[node]] : paints.tiers[graph.nodes[node].tier]) || paints.soft;

/** Read the colours of the theme. */
export function colours() {
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  const read = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const found = {
    page: read("page"), card: read("card"), ink: read("ink"), soft: read("soft"), accent: read("accent"), raised: read("raised"), line: read("line"),
    tiers: Object.fromEntries(Object.keys(TIERS).map((tier) => [tier, read(`tier-${tier}`)])),
    rels: Object.fromEntries(Object.keys(RELS).map((rel) => [rel, read(`rel-${rel}`)])),
    groups: Array.from({ length: GROUPS }, (_, place) => read(`group-${place}`)),
    font: getComputedStyle(document.body).fontFamily,
  };
  probe.remove();
  return found;
}

/** Return the pixels from a node's middle to its rim: importance and links make it larger. */
export function radius(node, scale) {
  const size = 3.5 + 5 * node.importance + 0.9 * Math.log2(1 + node.degree);
  return Math.max(1.4, size * Math.min(1.5, scale ** 0.55));
}

const across = (graph, frame, node) => (graph.x[node] - frame.x) * frame.scale;
const down = (graph, frame, node) => (graph.y[node] - frame.y) * frame.scale;
const thickness = (weight, scale) => (0.5 + 2.6 * weight) * Math.min(1.4, Math.max(0.45, scale));

/** Draw what belongs together as areas with round corners. */
export function drawClusters(brush, graph, frame, paints) {
  brush.lineJoin = "round";
  brush.fillStyle = brush.strokeStyle = paints.raised;
  brush.lineWidth = Math.max(4, 40 * Math.min(1, frame.scale));
  for (const group of graph.groups) {
    const points = group.filter((node) => graph.shown[node]).map((node) => [across(graph, frame, node), down(graph, frame, node)]);
    if (points.length < 3) continue;
    brush.beginPath();
    hull(points).forEach(([px, py], place) => (place ? brush.lineTo(px, py) : brush.moveTo(px, py)));
    brush.closePath();
    brush.fill();
    brush.stroke();
  }
}

/** Return the outermost of some points, in order. */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const found = [];
    for (const point of list) {
      while (found.length > 1 && turns(found.at(-2), found.at(-1), point) <= 0) found.pop();
      found.push(point);
    }
    return found.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
const turns = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** Draw edges, those of one relation and thickness at once; heaviest first, so that what is left out while moving is the lightest. */
export function drawEdges(brush, graph, frame, paints, full, dim) {
  const { halfWidth, halfHeight } = frame;
  const bundles = new Map();
  let visible = 0;
  for (const place of graph.order || []) {
    const edge = graph.edges[place];
    const ax = across(graph, frame, edge.source);
    const ay = down(graph, frame, edge.source);
    const bx = across(graph, frame, edge.target);
    const by = down(graph, frame, edge.target);
    if ((ax < -halfWidth && bx < -halfWidth) || (ax > halfWidth && bx > halfWidth) || (ay < -halfHeight && by < -halfHeight) || (ay > halfHeight && by > halfHeight)) continue;
    const [sx, sy] = aside(edge, ax, ay, bx, by, frame.scale);
    const name = `${edge.rel} ${Math.round(edge.weight * 4)}`;
    let bundle = bundles.get(name);
    if (!bundle) bundles.set(name, bundle = []);
    bundle.push(ax + sx, ay + sy, bx + sx, by + sy);
    visible += 1;
    if (!full && visible >= MOVING) break;
  }
  const dashed = full && visible <= DASHED;
  brush.globalAlpha = dim ? 0.18 : visible > 4000 ? 0.35 : visible > 800 ? 0.55 : 0.8;
  brush.lineCap = "butt";
  for (const [name, ends] of bundles) {
    const [rel, step] = name.split(" ");
    const wide = thickness(step / 4, frame.scale);
    brush.strokeStyle = paints.rels[rel] || paints.rels.relates_to;
    brush.lineWidth = visible > 4000 ? Math.min(1, wide) : wide;
    brush.setLineDash(dashed ? RELS[rel]?.dash || [] : []);
    for (let from = 0; from < ends.length; from += 4 * CHUNK) {
      brush.beginPath();
      for (let end = from; end < Math.min(ends.length, from + 4 * CHUNK); end += 4) {
        brush.moveTo(ends[end], ends[end + 1]);
        brush.lineTo(ends[end + 2], ends[end + 3]);
      }
      brush.stroke();
    }
  }
  brush.setLineDash([]);
  brush.globalAlpha = 1;
}

/** Return how far an edge is drawn beside the middle, where several join the same two nodes. */
function aside(edge, ax, ay, bx, by, scale) {
  if (!edge.shift) return [0, 0];
  const step = (edge.shift * 7 * Math.min(1.2, scale)) / (Math.hypot(bx - ax, by - ay) || 1);
  return [(ay - by) * step, (bx - ax) * step];
}

/** Draw one edge as what is chosen: with its dash, and an arrow to where it leads. */
export function drawEdge(brush, graph, frame, paints, place) {
  const edge = graph.edges[place];
  let [ax, ay] = [across(graph, frame, edge.source), down(graph, frame, edge.source)];
  let [bx, by] = [across(graph, frame, edge.target), down(graph, frame, edge.target)];
  const [sx, sy] = aside(edge, ax, ay, bx, by, frame.scale);
  [ax, ay, bx, by] = [ax + sx, ay + sy, bx + sx, by + sy];
  const far = Math.hypot(bx - ax, by - ay);
  if (far < 1) return;
  const [ux, uy] = [(bx - ax) / far, (by - ay) / far];
  brush.strokeStyle = brush.fillStyle = paints.rels[edge.rel] || paints.rels.relates_to;
  brush.lineWidth = thickness(edge.weight, frame.scale) + 0.8;
  brush.setLineDash(RELS[edge.rel]?.dash || []);
  brush.beginPath();
  brush.moveTo(ax, ay);
  brush.lineTo(bx, by);
  brush.stroke();
  brush.setLineDash([]);
  if (edge.rel !== "relates_to") {
    const tip = radius(graph.nodes[edge.target], frame.scale) + 3;
    const [tx, ty] = [bx - ux * tip, by - uy * tip];
    brush.beginPath();
    brush.moveTo(tx, ty);
    brush.lineTo(tx - ux * 9 - uy * 4.5, ty - uy * 9 + ux * 4.5);
    brush.lineTo(tx - ux * 9 + uy * 4.5, ty - uy * 9 - ux * 4.5);
    brush.fill();
  }
}

/** Write a relation's name at the middle of an edge, where there is room. */
export function nameEdge(brush, graph, frame, paints, place, taken) {
  const edge = graph.edges[place];
  const [ax, ay] = [across(graph, frame, edge.source), down(graph, frame, edge.source)];
  const [bx, by] = [across(graph, frame, edge.target), down(graph, frame, edge.target)];
  const [sx, sy] = aside(edge, ax, ay, bx, by, frame.scale);
  const label = RELS[edge.rel]?.label || edge.rel;
  const [px, py] = [(ax + bx) / 2 + sx * 2, (ay + by) / 2 + sy * 2];
  if (Math.hypot(bx - ax, by - ay) > 70 && free(taken, label, px, py - 11)) text(brush, paints, label, px, py + 4, 11, paints.rels[edge.rel] || paints.soft);
}

/** Draw all nodes, those of one shape and colour at once. */
export function drawNodes(brush, graph, frame, paints, dim) {
  brush.globalAlpha = dim ? 0.35 : 1;
  const groups = new Map();
  for (let node = 0; node < graph.nodes.length; node += 1) {
    if (!graph.shown[node]) continue;
    const px = across(graph, frame, node);
    const py = down(graph, frame, node);
    if (Math.abs(px) > frame.halfWidth + 20 || Math.abs(py) > frame.halfHeight + 20) continue;
    const { tier } = graph.nodes[node];
    const paint = paintOf(graph, node, paints);
    const look = `${tier} ${paint}`;
    if (!groups.has(look)) groups.set(look, { tier, paint, marks: [] });
    groups.get(look).marks.push([px, py, radius(graph.nodes[node], frame.scale), graph.nodes[node].pinned]);
  }
  for (const { tier, paint, marks } of groups.values()) {
    for (let from = 0; from < marks.length; from += CHUNK) shapes(brush, TIERS[tier]?.shape || "full", marks.slice(from, from + CHUNK), paint, paints);
  }
  brush.globalAlpha = 1;
}

/** Draw one node above the others: "chosen" or "hovered" with a ring.  */
export function drawNode(brush, graph, frame, paints, place, how) {
  const node = graph.nodes[place];
  const [px, py] = [across(graph, frame, place), down(graph, frame, place)];
  const size = Math.max(4, radius(node, frame.scale)) + (how === "chosen" ? 1 : 0);
  shapes(brush, TIERS[node.tier]?.shape || "full", [[px, py, size, node.pinned]], paintOf(graph, place, paints), paints);
  if (how === "chosen" || how === "hovered") {
    brush.strokeStyle = paints.accent;
    brush.lineWidth = 2.5;
    brush.beginPath();
    brush.arc(px, py, size + 5, 0, TURN);
    brush.stroke();
  }
}

/** Write a node's name below it, unless another name is there; `strong` writes it all the same. */
export function drawName(brush, graph, frame, paints, place, taken, strong = false) {
  const node = graph.nodes[place];
  const [px, py] = [across(graph, frame, place), down(graph, frame, place)];
  const size = Math.max(4, radius(node, frame.scale));
  if (free(taken, short(node.key), px, py + size + 3) || strong) text(brush, paints, short(node.key), px, py + size + (strong ? 17 : 14), strong ? 13 : 12, paints.ink, strong);
}

/** Say whether a line of text has room here, and take it. */
function free(taken, words, px, py) {
  const cells = [];
  const reach = words.length * 3.6 + 6;
  for (let x = px - reach; x <= px + reach + 11; x += 12) for (const y of [py, py + 12]) cells.push(`${Math.floor(x / 12)} ${Math.floor(y / 12)}`);
  if (cells.some((cell) => taken.has(cell))) return false;
  cells.forEach((cell) => taken.add(cell));
  return true;
}

/** Shapes by tier: a ring, a half, a disc, a bar. Small ones are squares, which cost a tenth. */
function shapes(brush, shape, all, paint, paints) {
  brush.fillStyle = brush.strokeStyle = paint;
  const marks = [];
  for (const mark of all) {
    const [px, py, size] = mark;
    if (size >= SMALL) marks.push(mark);
    else brush.fillRect(px - size, shape === "bar" ? py - size / 2 : py - size, size * 2, shape === "bar" ? size : size * 2);
  }
  if (!marks.length) return;
  const circles = (grow) => {
    brush.beginPath();
    for (const [px, py, size] of marks) { brush.moveTo(px + size + grow, py); brush.arc(px, py, size + grow, 0, TURN); }
  };
  if (shape !== "bar") { circles(1.5); brush.fillStyle = paints.card; brush.fill(); }
  brush.fillStyle = paint;
  brush.lineWidth = 1.6;
  if (shape === "full") { circles(0); brush.fill(); }
  if (shape === "ring" || shape === "half") { circles(-0.8); brush.stroke(); }
  brush.beginPath();
  for (const [px, py, size] of marks) {
    if (shape === "half") { brush.moveTo(px, py - size); brush.arc(px, py, size, -Math.PI / 2, Math.PI / 2, true); }
    if (shape === "bar") brush.roundRect(px - size, py - size * 0.4, size * 2, size * 0.8, size * 0.4);
  }
  brush.fill();
  const pinned = marks.filter((mark) => mark[3]);
  if (!pinned.length) return;
  brush.strokeStyle = paints.accent;
  brush.beginPath();
  for (const [px, py, size] of pinned) { brush.moveTo(px + size + 3, py); brush.arc(px, py, size + 3, 0, TURN); }
  brush.stroke();
}

/** Draw names, those of the weightiest nodes first, each where no other is. */
export function drawLabels(brush, graph, frame, paints) {
  const taken = new Set();
  let drawn = 0;
  for (const place of graph.ranked || []) {
    if (drawn >= LABELS) break;
    if (!graph.shown[place]) continue;
    const node = graph.nodes[place];
    const size = radius(node, frame.scale);
    if (size < 3.2) continue;
    const [px, py] = [across(graph, frame, place), down(graph, frame, place)];
    if (Math.abs(px) > frame.halfWidth || Math.abs(py) > frame.halfHeight) continue;
    if (!free(taken, short(node.key), px, py + size + 3)) continue;
    text(brush, paints, short(node.key), px, py + size + 14, 12, paints.ink);
    drawn += 1;
  }
}

function text(brush, paints, words, px, py, size, colour, bold = false) {
  brush.font = `${bold ? "650 " : ""}${size}px ${paints.font}`;
  brush.textAlign = "center";
  brush.lineJoin = "round";
  brush.lineWidth = 3.5;
  brush.strokeStyle = paints.card;
  brush.strokeText(words, px, py);
  brush.fillStyle = colour;
  brush.fillText(words, px, py);
}

const short = (key) => (key.length > 26 ? `${key.slice(0, 25)}…` : key);
