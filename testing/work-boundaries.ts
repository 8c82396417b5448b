import type { RoleRunner } from '../src/ports/work/role-runner.ts';
import type { WorkJournal } from '../src/ports/work/work-journal.ts';
import type { WorkProvider } from '../src/ports/work/work-provider.ts';

/** Where a process that works on items can die with something half done. */
export const WORK_BOUNDARIES = [
  'before append',
  'after append',
  'before write',
  'after write',
  'before makeRevision',
  'after makeRevision',
  'before merge',
  'after merge',
  'before settle',
  'after settle',
  'before cancel',
  'after cancel',
  'before accepted',
  'after accepted',
  'after run',
] as const;
export type WorkBoundary = (typeof WORK_BOUNDARIES)[number];

export interface WorkPorts {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: RoleRunner;
}

/** The same ports, with a callback at each boundary, which may end the process there, or throw as if it had. */
export function withBoundaries(ports: WorkPorts, reach: (name: WorkBoundary) => Promise<void>): WorkPorts {
  const around = async <T>(
    name: 'append' | 'write' | 'makeRevision' | 'merge' | 'settle' | 'cancel',
    act: () => Promise<T>,
  ) => {
    await reach(`before ${name}`);
    const result = await act();
    await reach(`after ${name}`);
    return result;
  };
  const { journal, provider, runner } = ports;
  return {
    journal: {
      ...journal,
      withLock: (work) =>
        journal.withLock((append) => work((events) => around('append', () => append(events)))),
    },
    provider: {
      ...provider,
      write: (key, writes) => around('write', () => provider.write(key, writes)),
      makeRevision: (key, request) => around('makeRevision', () => provider.makeRevision(key, request)),
      merge: (key, request) => around('merge', () => provider.merge(key, request)),
      settle: (signal) => around('settle', () => provider.settle(signal)),
    },
    runner: {
      ...runner,
      run: async (request, onAccepted, signal) => {
        const accept = async (runId: string) => {
          await reach('before accepted');
          await onAccepted(runId);
          await reach('after accepted');
        };
        const state = await runner.run(request, accept, signal);
        await reach('after run');
        return state;
      },
      cancel: (runId) => around('cancel', () => runner.cancel(runId)),
    },
  };
}
