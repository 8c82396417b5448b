import { MINUTE_MS } from '../contracts/duration.ts';

const DAY_MINUTES = 24 * 60;

const DAY =
  '(?:(?<month>[a-z]{3})[a-z]*\\.?\\s+(?<date>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?:\\d{4},?\\s+)?|(?<weekday>sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\\s+|(?<tomorrow>tomorrow),?\\s+|today,?\\s+)';
const TIME = '(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?::\\d\\d)?(?:\\s*(?<half>[ap])\\.?m\\b\\.?)?';
const ZONE = '(?:\\s*\\((?<zone>[a-z_+\\-/0-9]+)\\)|\\s+(?<short>[a-z]{2,4})\\b)?';

/** Matches a time of day after a phrase that announces a reset. */
const RESET_TIME = new RegExp(
  `\\b(?:resets?|again|until|access|available)(?:\\s+(?:at|on))?\\s+${DAY}?(?:at\\s+)?${TIME}${ZONE}`,
  'i',
);

/** Time zone abbreviations that occur in messages; other words at that position are ignored. */
const SHORT_ZONES: ReadonlyMap<string, string> = new Map([
  ['UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['PST', 'America/Los_Angeles'],
  ['PDT', 'America/Los_Angeles'],
  ['PT', 'America/Los_Angeles'],
  ['EST', 'America/New_York'],
  ['EDT', 'America/New_York'],
  ['ET', 'America/New_York'],
  ['CET', 'Europe/Berlin'],
  ['CEST', 'Europe/Berlin'],
]);

/**
 * The next time the clock shows the time in a message such as `resets 4:50am (Europe/Rome)`, `try again at
 * 12:16 PM`, `resets at 15:00 UTC`, `resets Thu 9am` or `will reset at Oct 6, 6pm`.
 */
export function findDayTime(message: string, nowMs: number): number | null {
  const found = RESET_TIME.exec(message)?.groups;
  const wanted = found === undefined ? null : parseMinutes(found);
  if (found === undefined || wanted === null) return null;
  const clock = createClock(found.zone ?? SHORT_ZONES.get(found.short ?? ''));
  if (clock === null) return null;
  const ahead = (wanted - clock(nowMs).minutes + DAY_MINUTES) % DAY_MINUTES;
  const atMinute = nowMs - (nowMs % MINUTE_MS);
  const first = atMinute + (ahead === 0 ? DAY_MINUTES : ahead) * MINUTE_MS;
  const day = matchDay(found, clock, nowMs);
  const at = day === null ? first : nextOnDay(clock, first, day, found.month === undefined ? 0 : -1);
  return at === null ? null : atSameTime(clock, at, wanted);
}

/** Minutes since midnight; null if the number is not a time of day. */
function parseMinutes({ hour, minute, half }: Readonly<Record<string, string | undefined>>): number | null {
  if (half === undefined && minute === undefined) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const minutes = hours * 60 + Number(minute ?? 0);
  return minutes < DAY_MINUTES && Number(minute ?? 0) < 60 ? minutes : null;
}

interface ClockFace {
  /** Minutes since midnight. */
  readonly minutes: number;
  /** `oct 6`. */
  readonly day: string;
  /** `tue`. */
  readonly weekday: string;
}
type Clock = (atMs: number) => ClockFace;

/** The clock of a time zone, by default the local one. Null for an unknown zone. */
function createClock(zone: string | undefined): Clock | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...(zone === undefined ? {} : { timeZone: zone }),
      month: 'short',
      day: 'numeric',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    return (atMs) => {
      const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value.toLowerCase()]));
      return {
        minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
        day: `${parts.get('month')} ${parts.get('day')}`,
        weekday: parts.get('weekday') ?? '',
      };
    };
  } catch {
    return null;
  }
}

/** Whether a time is on the named day; null if the message names none. */
function matchDay(
  { month, date, weekday, tomorrow }: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  nowMs: number,
): ((face: ClockFace) => boolean) | null {
  if (month !== undefined) return ({ day }) => day === `${month.toLowerCase()} ${Number(date)}`;
  if (weekday !== undefined) return (face) => face.weekday === weekday.toLowerCase();
  if (tomorrow === undefined) return null;
  const { day: today } = clock(nowMs);
  return ({ day }) => day !== today;
}

/** Limits end within weeks; a day further ahead was misread. */
const LONGEST_DAYS = 40;

/** The next time on the named day. A date may have passed already, and the limit with it. */
function nextOnDay(
  clock: Clock,
  first: number,
  isDay: (face: ClockFace) => boolean,
  from: number,
): number | null {
  for (let days = from; days < LONGEST_DAYS; days += 1) {
    const at = first + days * DAY_MINUTES * MINUTE_MS;
    if (isDay(clock(at))) return at;
  }
  return null;
}

/** Corrects for a daylight saving change in between. */
function atSameTime(clock: Clock, at: number, wanted: number): number {
  const off = wanted - clock(at).minutes;
  const wrapped =
    off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off < -DAY_MINUTES / 2 ? off + DAY_MINUTES : off;
  return at + wrapped * MINUTE_MS;
}
