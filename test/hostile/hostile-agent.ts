import type { ViolationClass } from '../../src/contracts/vocabulary.ts';
import type { RunRecordOnDisk } from '../e2e/run-record.ts';

/** What became of a hostile act: it did not happen, it was seen and recorded, or neither. */
export type Verdict = 'prevented' | 'detected' | 'not seen';

/** `off` runs without a sandbox, `on` in one. */
export const MODES = ['off', 'on'] as const;
export type Mode = (typeof MODES)[number];

export interface HostileAgent {
  readonly name: string;
  /** What it does, as the table says it. */
  readonly does: string;
  /** A shell script, started in the worktree. */
  readonly script: string;
  readonly expected: Readonly<Record<Mode, Verdict>>;
  /** How it is recorded: the class of a violation, or something else that the record shows. */
  readonly sign: ViolationClass | Sign;
  /** What of the world outside the worktree stays changed, by mode; a person has to decide about it. */
  readonly leaves?: Partial<Readonly<Record<Mode, readonly string[]>>>;
  /** The policy of the step; the default is `policy.hostile.v1`. */
  readonly policy?: string;
  readonly limits?: string;
  /** Among those that run with the other tests. */
  readonly short?: true;
}

interface Sign {
  readonly told: string;
  readonly isSeen: (record: RunRecordOnDisk) => boolean;
}

/** A step that came to this end. */
export function ends(termination: string): Sign {
  return {
    told: `\`${termination}\``,
    isSeen: ({ eventsOf }) =>
      [...eventsOf('step_failed'), ...eventsOf('step_completed')].some(
        ({ step_id, payload }) => step_id === 'attack' && payload.outcome === termination,
      ),
  };
}

/** A file that the diff of the step names. */
export function inDiff(path: string): Sign {
  return {
    told: 'in the diff',
    isSeen: ({ evidence }) => evidence('attack', 'workspace_status').includes(`"path": "${path}"`),
  };
}

/** Words of the summary of the validation's policy. */
export function inSummary(words: string): Sign {
  return {
    told: 'policy note',
    isSeen: ({ evidence }) => evidence('check', 'policy_summary').includes(words),
  };
}

/** Nothing to see: the act comes to nothing, whoever looks. */
export const NOTHING: Sign = { told: 'nothing', isSeen: () => false };
