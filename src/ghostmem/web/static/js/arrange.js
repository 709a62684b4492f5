// Asks a worker for the places of a graph's nodes, or works in slices on the page where there can be no worker.
import { plan, simulation } from "./force.js";

/** Return {run(graph, heat), stop()}; `told(x, y, done)` hears the places while they settle. `calm`: only when they have settled. */
export function arranger(told, signal, calm = false) {
  let id = 0;
  let worker = null;
  let lastRun = null;
  try {
    worker = new Worker(new URL("./force-worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => { if (data.id === id && (!calm || data.done)) told(data.x, data.y, data.done); });
    worker.addEventListener("error", () => { worker = null; if (lastRun) slices(lastRun); });
  } catch { /* a frame without an origin has no workers */ }
  signal.addEventListener("abort", stop, { once: true });

  function run(graph, heat = 1) {
    id += 1;
    lastRun = { ...graph, id, heat, pause: calm ? 1e6 : graph.count > 1500 ? 240 : 30 };
    if (worker) worker.postMessage(lastRun);
    else slices(lastRun);
  }

  function slices(data) {
    const work = simulation(data);
    const { steps, alpha } = plan(work.linked, data.heat);
    let done = 0;
    const slice = () => {
      if (data.id !== id) return;
      const until = performance.now() + 12;
      while (done < steps && performance.now() < until) { work.step(alpha(done)); done += 1; }
      work.rim();
      if (!calm || done >= steps) told(data.x, data.y, done >= steps);
      if (done < steps) setTimeout(slice, 4);
    };
    slice();
  }

  function stop() {
    id += 1;
    worker?.terminate();
    worker = null;
  }

  return { run, stop };
}
