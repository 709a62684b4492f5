// Time along a line: which times are shown, and where the marks stand.

const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SHORTEST = 5 * MINUTE;
const LONGEST = 400 * 365 * DAY;
const TWO = (value) => String(value).padStart(2, "0");
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

// [length, how the next is found, how it is called]
const MARKS = [
  [5 * MINUTE, every(5 * MINUTE), clock], [15 * MINUTE, every(15 * MINUTE), clock], [HOUR, every(HOUR), clock], [6 * HOUR, every(6 * HOUR), clock],
  [DAY, days(1), date], [2 * DAY, days(2), date], [7 * DAY, days(7), date], [14 * DAY, days(14), date], [30 * DAY, months(1), month], [91 * DAY, months(3), month], [365 * DAY, months(12), year],
  [5 * 365 * DAY, months(60), year], [20 * 365 * DAY, months(240), year], [100 * 365 * DAY, months(1200), year],
];

function clock(at) { return at.getHours() === 0 && at.getMinutes() === 0 ? date(at) : `${TWO(at.getHours())}:${TWO(at.getMinutes())}`; }
function date(at) { return `${at.getDate()} ${MONTHS[at.getMonth()]}`; }
function month(at) { return at.getMonth() === 0 ? year(at) : MONTHS[at.getMonth()]; }
function year(at) { return String(at.getFullYear()); }

function every(length) {
  return (from) => {
    const at = new Date(from);
    const base = new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
    return new Date(base + Math.ceil((from - base) / length) * length);
  };
}
function days(by) {
  return (from) => {
    const at = new Date(from);
    const next = new Date(at.getFullYear(), at.getMonth(), at.getDate());
    const number = () => Math.round((next.getTime() - next.getTimezoneOffset() * MINUTE) / DAY) + 3; // weeks begin on Mondays
    while (next.getTime() < from || number() % by !== 0) next.setDate(next.getDate() + 1);
    return next;
  };
}
function months(by) {
  return (from) => {
    const at = new Date(from);
    const place = at.getFullYear() * 12 + at.getMonth();
    let next = Math.ceil(place / by) * by;
    const made = () => { const found = new Date(2000, 0, 1); found.setFullYear(Math.floor(next / 12), ((next % 12) + 12) % 12, 1); return found; };
    if (made().getTime() < from) next += by;
    return made();
  };
}

/** A window on time: {from, to} in milliseconds, with ways to move it. */
export class Scale {
  constructor(from, to) {
    this.set(from, to);
  }

  set(from, to) {
    const length = Math.max(SHORTEST, Math.min(LONGEST, to - from));
    const middle = (from + to) / 2;
    this.from = middle - length / 2;
    this.to = middle + length / 2;
  }

  /** Return where a time stands between 0 and `width`. */
  x(at, width) {
    return ((at - this.from) / (this.to - this.from)) * width;
  }

  /** Return the time at a share of the width. */
  at(share) {
    return this.from + (this.to - this.from) * share;
  }

  pan(share) {
    const by = (this.to - this.from) * share;
    this.set(this.from + by, this.to + by);
  }

  /** Show less (factor below 1) or more of time; what stands at `share` of the width stays there. */
  zoom(factor, share = 0.5) {
    const still = this.at(share);
    const length = Math.max(SHORTEST, Math.min(LONGEST, (this.to - this.from) * factor));
    this.set(still - length * share, still + length * (1 - share));
  }

  /** Return marks as [time, label], about one per `apart` pixels. */
  marks(width, apart = 90) {
    const wanted = ((this.to - this.from) / Math.max(1, width)) * apart;
    const [, next, label] = MARKS.find(([length]) => length >= wanted) || MARKS.at(-1);
    const found = [];
    let at = next(this.from);
    while (at.getTime() <= this.to && found.length < 100) {
      found.push([at.getTime(), label(at)]);
      at = next(at.getTime() + 1);
    }
    return found;
  }
}
