import { expect, it } from 'vitest';
import { ExpectedFailure } from '../../../src/contracts/expected-failure.ts';
import type { DriveContext } from '../../../src/runtime/drive/drive-context.ts';
import { finish, perform } from '../../../src/runtime/drive/perform.ts';

const EFFECT = { kind: 'run_agent', stepId: 'work', opcode: 'RUN_AGENT', attempt: 1, visit: 1 } as const;

/** A disk that is full, and a git that could not work because of it. */
function onFullDisk(): DriveContext {
  const full = () => Promise.reject(new ExpectedFailure('no space left on device'));
  const noGit = () => Promise.reject(new ExpectedFailure('git failed'));
  const directory = { runId: 'r', makeStepFolder: full, write: full };
  const deps = { clock: { now: () => new Date(0) }, project: {} };
  return {
    openWorkspace: noGit,
    workspace: { checkoutPath: '/workspaces/r/work' },
    directory,
    deps,
    state: () => ({ snapshot: null, stage: { kind: 'new' } }),
  } as unknown as DriveContext;
}

it('ends no step of which nothing can be written down: the run stops, to be resumed', async () => {
  await expect(perform(onFullDisk(), EFFECT as never)).rejects.toThrow('no space left on device');
});

it("ends the run when its checkout can't be made ready for the first step", async () => {
  expect(await perform(onFullDisk(), { kind: 'prepare' })).toEqual({
    records: [],
    input: { kind: 'preparation_failed', reason: 'git failed' },
  });
});

it('ends no run whose work a full disk would lose', async () => {
  const end = { lifecycle: 'completed', outcome: 'success', termination: 'completed', reason: null } as const;
  await expect(finish(onFullDisk(), end)).rejects.toThrow('no space left on device');
});
