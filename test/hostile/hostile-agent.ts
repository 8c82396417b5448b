import type { ViolationClass } from '../../src/contracts/vocabulary.ts';
import type { RunRecordOnDisk } from '../e2e/run-record.ts';
import type { Scene } from '../e2e/scene.ts';

/**
 * What became of a hostile act. `prevented`: it did not happen, or had no effect. `detected`: the record shows it, and
 * that the step did it. `noticed`: the record says what changed outside the workspace, and that conductor can't tell by
 * whom. `not seen`: none of these.
 */
export type Verdict = 'prevented' | 'detected' | 'noticed' | 'not seen';

/** `off` runs without a sandbox, `on` in one. */
export const MODES = ['off', 'on'] as const;
export type Mode = (typeof MODES)[number];

export interface HostileAgent {
  readonly name: string;
  /** What it does, as the table says it. */
  readonly does: string;
  /** A shell script, started in the workspace. `$CHECKOUT` is the user's checkout, `$OUTSIDE` a folder beside it. */
  readonly script: string;
  readonly expected: Readonly<Record<Mode, Verdict>>;
  /** How it is recorded: the class of a violation, or something else that the record shows. */
  readonly sign: ViolationClass | Sign;
  /** What stays changed outside the workspace, by mode; the user has to decide about it. */
  readonly leaves?: Partial<Readonly<Record<Mode, readonly string[]>>>;
  /** The policy of the step; the default is `policy.hostile.v1`. */
  readonly policy?: string;
  readonly limits?: string;
  /** Runs with the other tests too. */
  readonly short?: true;
}

interface Sign {
  /** The last column of the table. */
  readonly label: string;
  /** The verdict if the sign is there. */
  readonly verdict: 'detected' | 'noticed';
  readonly isSeen: (record: RunRecordOnDisk, scene: Scene) => boolean | Promise<boolean>;
}

/** The step has this outcome. */
export function ends(termination: string): Sign {
  return {
    label: `\`${termination}\``,
    verdict: 'detected',
    isSeen: ({ eventsOf }) =>
      [...eventsOf('step_failed'), ...eventsOf('step_completed')].some(
        ({ step_id, payload }) => step_id === 'attack' && payload.outcome === termination,
      ),
  };
}

/** The diff of the step names this file. */
export function inDiff(path: string): Sign {
  return {
    label: 'in the diff',
    verdict: 'detected',
    isSeen: ({ evidence }) => evidence('attack', 'workspace_status').includes(`"path": "${path}"`),
  };
}

/** The policy summary of the validation has this text. */
export function inSummary(text: string): Sign {
  return {
    label: 'policy note',
    verdict: 'detected',
    isSeen: ({ evidence }) => evidence('check', 'policy_summary').includes(text),
  };
}

/** A notice about the user's checkout names this ref or file. */
export function notice(subject: string): Sign {
  return {
    label: 'notice',
    verdict: 'noticed',
    isSeen: ({ eventsOf }) =>
      eventsOf('notice_recorded').some(
        ({ payload }) => payload.kind === 'checkout_changed' && payload.subject === subject,
      ),
  };
}

/** `conductor verify` finds it. */
export const VERIFY: Sign = {
  label: '`conductor verify`',
  verdict: 'detected',
  isSeen: async ({ metadata }, scene) => (await scene.cli.start(['verify', metadata.run_id]).done).code !== 0,
};

/** There is nothing to record. */
export const NOTHING: Sign = { label: 'nothing', verdict: 'detected', isSeen: () => false };
