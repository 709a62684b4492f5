// Where the nodes of a graph go: springs along edges, repulsion between all nodes by a quadtree (Barnes and Hut), and a pull to
// the middle. The same graph always comes out the same: nothing here is drawn by lot.

const THETA2 = 0.9 * 0.9; // a cell that looks smaller than this counts as one point
const DEEPEST = 22; // levels of the tree; points closer than that share a leaf
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const SPACE = 26; // between neighbours on the spiral at the start
const FRICTION = 0.6;

/** Return a first place for each node: a spiral on which those of a cluster are beside each other. */
export function seeds(count, clusters) {
  const order = Array.from({ length: count }, (_, node) => node);
  order.sort((a, b) => (clusters[a] < 0 ? 1e9 : clusters[a]) - (clusters[b] < 0 ? 1e9 : clusters[b]) || a - b);
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  order.forEach((node, place) => {
    const radius = SPACE * Math.sqrt(place + 0.5);
    x[node] = radius * Math.cos(place * GOLDEN);
    y[node] = radius * Math.sin(place * GOLDEN);
  });
  return { x, y };
}

/**
 * Return {step(alpha), rim()} over the places x and y, which it moves. `sources` and `targets` are the ends of the edges. Nodes
 * without an edge do not take part: rim() lays them in rings around the others. `aspect` is the width of the window by its height.
 */
export function simulation({ count, sources, targets, weights, x, y, aspect = 1 }) {
  const degree = new Int32Array(count);
  for (let edge = 0; edge < sources.length; edge += 1) { degree[sources[edge]] += 1; degree[targets[edge]] += 1; }
  const linked = [];
  const loose = [];
  for (let node = 0; node < count; node += 1) (degree[node] ? linked : loose).push(node);
  const vx = new Float32Array(count);
  const vy = new Float32Array(count);
  const charge = linked.length > 1500 ? -60 : -260;
  const length = linked.length > 1500 ? 30 : 75;
  const pull = linked.length > 1500 ? 0.035 : 0.09;
  const stretch = Math.sqrt(Math.min(2.2, Math.max(0.5, aspect)));
  const tree = quadtree(count, x, y);

  function step(alpha) {
    tree.build(linked);
    for (const node of linked) tree.push(node, charge * alpha, vx, vy);
    for (let edge = 0; edge < sources.length; edge += 1) {
      const a = sources[edge];
      const b = targets[edge];
      if (a === b) continue;
      let dx = x[b] + vx[b] - x[a] - vx[a] || 1e-3 * (a - b);
      let dy = y[b] + vy[b] - y[a] - vy[a] || 1e-3;
      const far = Math.sqrt(dx * dx + dy * dy);
      const strength = ((0.5 + 0.5 * weights[edge]) / Math.min(degree[a], degree[b])) * alpha * ((far - length) / far);
      const share = degree[a] / (degree[a] + degree[b]);
      dx *= strength; dy *= strength;
      vx[b] -= dx * share; vy[b] -= dy * share;
      vx[a] += dx * (1 - share); vy[a] += dy * (1 - share);
    }
    for (const node of linked) {
      vx[node] = (vx[node] - x[node] * (pull / stretch) * alpha) * FRICTION;
      vy[node] = (vy[node] - y[node] * pull * stretch * alpha) * FRICTION;
      x[node] += vx[node];
      y[node] += vy[node];
    }
  }

  function rim() {
    let inner = linked.length ? SPACE * 2 : 0;
    for (const node of linked) inner = Math.max(inner, Math.hypot(x[node] / stretch, y[node] * stretch) + SPACE * 2);
    let radius = inner;
    let place = 0;
    while (place < loose.length) {
      const room = Math.max(1, Math.floor((2 * Math.PI * radius) / SPACE));
      const here = Math.min(room, loose.length - place);
      for (let slot = 0; slot < here; slot += 1) {
        const turn = (slot / here) * 2 * Math.PI - Math.PI / 2;
        x[loose[place]] = radius * stretch * Math.cos(turn);
        y[loose[place]] = (radius / stretch) * Math.sin(turn);
        place += 1;
      }
      radius += SPACE;
    }
  }

  return { step, rim, linked: linked.length };
}

/** Return a quadtree over the places x and y that is built anew for every step, in arrays that are kept. */
function quadtree(count, x, y) {
  let room = 4 * count + 64;
  let child = new Int32Array(4 * room); // 0: nothing, above: a cell, below: the last node of a leaf
  let mass = new Float64Array(room);
  let sumX = new Float64Array(room);
  let sumY = new Float64Array(room);
  const next = new Int32Array(count); // nodes that share a leaf, as a chain
  let used = 1;
  let left = 0;
  let top = 0;
  let size = 1;
  const cells = new Int32Array(4 * DEEPEST + 8);
  const sizes = new Float64Array(4 * DEEPEST + 8);

  function grow() {
    const wider = (old, Kind, by) => { const made = new Kind(old.length * by); made.set(old); return made; };
    room *= 2;
    child = wider(child, Int32Array, 2);
    mass = wider(mass, Float64Array, 2);
    sumX = wider(sumX, Float64Array, 2);
    sumY = wider(sumY, Float64Array, 2);
  }

  function fresh() {
    if (used === room) grow();
    child.fill(0, 4 * used, 4 * used + 4);
    mass[used] = sumX[used] = sumY[used] = 0;
    used += 1;
    return used - 1;
  }

  function build(nodes) {
    let right = -Infinity;
    let bottom = -Infinity;
    left = top = Infinity;
    for (const node of nodes) {
      left = Math.min(left, x[node]); right = Math.max(right, x[node]);
      top = Math.min(top, y[node]); bottom = Math.max(bottom, y[node]);
    }
    size = Math.max(right - left, bottom - top, 1);
    used = 0;
    fresh();
    for (const node of nodes) insert(node);
  }

  function insert(node) {
    const px = x[node];
    const py = y[node];
    next[node] = -1;
    let cell = 0;
    let half = size / 2;
    let midX = left + half;
    let midY = top + half;
    for (let depth = 0; ; depth += 1) {
      mass[cell] += 1; sumX[cell] += px; sumY[cell] += py;
      const east = px > midX;
      const south = py > midY;
      const slot = 4 * cell + (east ? 1 : 0) + (south ? 2 : 0);
      const there = child[slot];
      half /= 2;
      midX += east ? half : -half;
      midY += south ? half : -half;
      if (there === 0) { child[slot] = -(node + 1); return; }
      if (there > 0) { cell = there; continue; }
      if (depth >= DEEPEST) { next[node] = -there - 1; child[slot] = -(node + 1); return; }
      const other = -there - 1;
      const made = fresh();
      child[slot] = made;
      mass[made] = 1; sumX[made] = x[other]; sumY[made] = y[other];
      child[4 * made + (x[other] > midX ? 1 : 0) + (y[other] > midY ? 2 : 0)] = there;
      cell = made;
    }
  }

  function push(node, strength, vx, vy) {
    const px = x[node];
    const py = y[node];
    let fx = 0;
    let fy = 0;
    let waiting = 1;
    cells[0] = 0;
    sizes[0] = size;
    while (waiting > 0) {
      waiting -= 1;
      const cell = cells[waiting];
      const wide = sizes[waiting];
      const many = mass[cell];
      const dx = sumX[cell] / many - px;
      const dy = sumY[cell] / many - py;
      const far2 = dx * dx + dy * dy;
      if (wide * wide < THETA2 * far2) {
        const force = (strength * many) / far2;
        fx += dx * force; fy += dy * force;
        continue;
      }
      for (let slot = 4 * cell; slot < 4 * cell + 4; slot += 1) {
        const there = child[slot];
        if (there > 0) { cells[waiting] = there; sizes[waiting] = wide / 2; waiting += 1; }
        else for (let other = -there - 1; there < 0 && other >= 0; other = next[other]) {
          if (other === node) continue;
          const ox = x[other] - px || 1e-2 * (other - node);
          const oy = y[other] - py || 1e-2;
          const force = strength / Math.max(9, ox * ox + oy * oy);
          fx += ox * force; fy += oy * force;
        }
      }
    }
    vx[node] += fx;
    vy[node] += fy;
  }

  return { build, push };
}

/** Return how many steps a graph of so many nodes takes, and the heat of each: it cools evenly to nothing. */
export function plan(linked, heat = 1) {
  const steps = Math.round((linked > 3000 ? 140 : linked > 800 ? 200 : 300) * (heat < 1 ? 0.6 : 1));
  return { steps, alpha: (done) => heat * (0.001 / heat) ** (done / steps) };
}
