import type { Life, Watch } from '../src/simulation/sim-life.ts';
import { systemError } from '../src/simulation/sim-run-store.ts';
import type { SimWorld } from '../src/simulation/sim-world.ts';

/** What goes wrong, by the number of points that all processes together have passed. */
export interface FaultPlan {
  readonly deaths: readonly Death[];
  /** While the disk is full, nothing is written. */
  readonly diskFull: readonly Span[];
  /** Reads that fail. */
  readonly readErrors: readonly Span[];
  readonly clockJumps: readonly { readonly at: number; readonly ms: number }[];
}

export interface Death {
  readonly at: number;
  /** Counts only the points of this name; null counts all. */
  readonly where: string | null;
  /** A killed process leaves what it has written; without power, only what was flushed is left. */
  readonly kind: 'killed' | 'power';
  /** How much of the unflushed end of the log got to the disk, from 0 to 1. */
  readonly torn: number;
  /** The folder of the checkout is gone afterwards. */
  readonly losesCheckout: boolean;
}

export interface Span {
  readonly at: number;
  readonly points: number;
}

export interface Faults {
  readonly watch: Watch;
  readonly onDeath: () => void;
  /** How many points were passed. */
  readonly passed: () => number;
}

const WRITES = ['append', 'write', 'sync'];

export function createFaults(world: SimWorld, plan: FaultPlan): Faults {
  let passed = 0;
  let dying: Death | null = null;
  const within = (spans: readonly Span[]) =>
    spans.some(({ at, points }) => passed >= at && passed < at + points);
  const passedBy = new Map<string, number>();
  const strike = (place: string, life: Life): void => {
    passedBy.set(place, (passedBy.get(place) ?? 0) + 1);
    const death = plan.deaths.find(({ at, where }) =>
      where === null ? at === passed : where === place && at === passedBy.get(place),
    );
    if (death === undefined) return;
    dying = death;
    life.kill();
  };
  return {
    passed: () => passed,
    watch: (where, life) => {
      passed += 1;
      for (const { at, ms } of plan.clockJumps) if (at === passed) world.time += ms;
      strike(where, life);
      if (WRITES.includes(where) && within(plan.diskFull))
        throw systemError('ENOSPC', 'no space left on device, write');
      if (where === 'read' && within(plan.readErrors)) throw systemError('EIO', 'i/o error, read');
    },
    onDeath: () => {
      if (dying?.kind === 'power') {
        const { torn } = dying;
        // Every process stops: there is no power.
        world.driver?.kill();
        world.programs.clear();
        world.disk.losePower((path) => (path.endsWith('.ndjson') ? torn : 0));
      }
      // Only if no process works in it: a folder that vanishes under a living process is not simulated.
      if (dying?.losesCheckout === true && world.driver?.isAlive() !== true) world.repo.checkout = null;
      dying = null;
    },
  };
}
