import { createHash } from 'node:crypto';
import { GIT_VARIANTS, type GitVariant } from './git-trap.ts';

/** One kill of the process that drives, or answers for, a run. `at` is a share of the whole run, or of what is left. */
export type Kill =
  | { readonly how: 'moment'; readonly at: number }
  | {
      readonly how: 'write';
      readonly at: number;
      /** Of what is no write but a flush or a new name, the side that the kill comes on. */
      readonly variant: 'before' | 'after';
      /** The log is a small part of what is written, and the part that matters most: a torn line, or a fresh flush. */
      readonly files: 'any' | 'log';
    }
  | {
      readonly how: 'git';
      readonly at: number;
      readonly variant: GitVariant;
      /** How long a git that dies too has lived. */
      readonly pauseMs: number;
    };

export const KILL_KINDS = [
  'at any moment',
  'in a write',
  'in a git command',
  'several in a row',
  'power cut at any moment',
  'power cut in a write',
] as const;
export type KillKind = (typeof KILL_KINDS)[number];

/** One run with what happens to it. The same seed and number make the same plan, whatever else is run. */
export interface KillPlan {
  readonly seed: number;
  readonly number: number;
  readonly kind: KillKind;
  /** What was not flushed is lost with each kill. */
  readonly power: boolean;
  readonly kills: readonly Kill[];
}

const CYCLE: readonly KillKind[] = [
  'at any moment',
  'in a write',
  'in a git command',
  'power cut at any moment',
  'several in a row',
  'power cut in a write',
  'in a git command',
  'at any moment',
  'in a write',
];

/** As many runs as it takes for this number of kills. */
export function planKills(seed: number, count: number): readonly KillPlan[] {
  const plans: KillPlan[] = [];
  for (let planned = 0; planned < count; ) {
    const plan = planRun(seed, plans.length, count - planned);
    plans.push(plan);
    planned += plan.kills.length;
  }
  return plans;
}

function planRun(seed: number, number: number, room: number): KillPlan {
  const random = createRandom(`${seed}/${number}`);
  const kind = CYCLE[number % CYCLE.length] ?? 'at any moment';
  const power = kind.startsWith('power cut');
  return { seed, number, kind, power, kills: killsOf(kind, random, room) };
}

function killsOf(kind: KillKind, random: () => number, room: number): readonly Kill[] {
  switch (kind) {
    case 'at any moment':
    case 'power cut at any moment':
      return [{ how: 'moment', at: random() }];
    case 'in a write':
    case 'power cut in a write':
      return [writeKill(random, random())];
    case 'in a git command':
      return [gitKill(random, random())];
    case 'several in a row': {
      const length = Math.min(room, 2 + Math.floor(random() * 2));
      // The first leaves room for the others, which come soon after the resume.
      return Array.from({ length }, (_, index) => anyKill(random, random() * (index === 0 ? 0.5 : 0.15)));
    }
  }
}

function anyKill(random: () => number, at: number): Kill {
  const draw = random();
  if (draw < 0.4) return { how: 'moment', at };
  return draw < 0.7 ? writeKill(random, at) : gitKill(random, at);
}

function writeKill(random: () => number, at: number): Kill {
  const variant = random() < 0.5 ? 'before' : 'after';
  return { how: 'write', at, variant, files: random() < 0.5 ? 'any' : 'log' };
}

function gitKill(random: () => number, at: number): Kill {
  const variant = GIT_VARIANTS[Math.floor(random() * GIT_VARIANTS.length)] ?? 'continues';
  return { how: 'git', at, variant, pauseMs: Math.floor(random() * 8) };
}

/** Numbers from 0 to 1, always the same for the same key. */
function createRandom(key: string): () => number {
  let drawn = 0;
  return () => {
    const digest = createHash('sha256').update(`${key}/${drawn}`).digest();
    drawn += 1;
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}
