// News from the store: one connection for the whole page; views ask to be told while they are shown.

const listeners = new Set();
let state = "connecting";

/** Call `fn({sequence, namespaces: {ns: sequence}})` whenever somebody has written, until the signal is aborted. */
export function onChange(fn, signal) {
  listeners.add(fn);
  signal?.addEventListener("abort", () => listeners.delete(fn), { once: true });
}

// the numbers of changes and of items in quarantine, which have no audit log
const position = ({ sequence, quarantine }) => `${sequence} ${quarantine}`;

/** Begin to listen for writes after those that the session knows; `told(state)` hears "live", "connecting" or "lost". */
export function listen(session, told) {
  let last = position(session);
  const be = (now) => { if (now !== state) { state = now; told(now); } };
  let source = null;
  function connect() {
    source = new EventSource("/api/v1/events");
    source.addEventListener("open", () => be("live"));
    source.addEventListener("error", () => be(source.readyState === EventSource.CLOSED ? "lost" : "connecting"));
    source.addEventListener("change", (event) => {
      be("live");
      const news = JSON.parse(event.data);
      const moved = position(news) !== last;
      last = position(news);
      if (moved) for (const fn of [...listeners]) fn(news);
    });
  }
  // a connection that was opened before the session ended stays open
  window.addEventListener("ghost:signed-out", () => { source.close(); be("lost"); });
  // whoever comes back to the page may have signed in again in another tab
  window.addEventListener("focus", () => { if (state === "lost") { be("connecting"); connect(); } });
  connect();
  told(state);
}
