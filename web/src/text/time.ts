const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in its two largest units: `41 s`, `6 m`, `1 h 12 m`, `2 d 3 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return '<1 s';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < 10 * MINUTE) return joinUnits(ms, MINUTE, 'm', SECOND, 's');
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
  if (ms < DAY) return joinUnits(ms, HOUR, 'h', MINUTE, 'm');
  return joinUnits(ms, DAY, 'd', HOUR, 'h');
}

function joinUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const first = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** How long ago something was, in one unit: `<1 m`, `3 m`, `6 h`, `2 d`; from four weeks on, the date. */
export function formatAge(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (ms < MINUTE) return '<1 m';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 28 * DAY) return `${Math.floor(ms / DAY)} d`;
  return formatDay(at);
}

/** The same for a point in time: `just now`, `3 m ago`. */
export function formatAgo(at: Date, now: Date): string {
  const age = formatAge(at, now);
  if (age === '<1 m') return 'just now';
  return /^\d+ [mhd]$/.test(age) ? `${age} ago` : age;
}

/** The same as words, for a sentence and for screen readers: `3 minutes ago`. */
export function describeAge(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (ms < MINUTE) return 'just now';
  if (ms < HOUR) return countUnits(ms / MINUTE, 'minute');
  if (ms < DAY) return countUnits(ms / HOUR, 'hour');
  if (ms < 28 * DAY) return countUnits(ms / DAY, 'day');
  return `on ${formatDay(at)}`;
}

function countUnits(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** In the reader's time zone, as all absolute times: `18 Nov 2026`. */
function formatDay(at: Date): string {
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}`;
}

export function formatClock(at: Date): string {
  return `${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

export function formatAbsolute(at: Date): string {
  return `${formatDay(at)}, ${formatClock(at)}:${pad(at.getSeconds())}`;
}

/** The clock for the last day, and the day with the clock before that: `22:00`, `16 Nov, 22:00`. */
export function formatSince(at: Date, now: Date): string {
  const clock = formatClock(at);
  return now.getTime() - at.getTime() < DAY ? clock : `${at.getDate()} ${MONTHS[at.getMonth()]}, ${clock}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
