import type { RunEvent } from '../../contracts/run/event.ts';
import { RUN_FOLDERS, type RunFolder, stepFolderOf } from '../../contracts/run/run-files.ts';
import type { Termination } from '../../contracts/vocabulary.ts';
import type { ClosedFolder, VerifyContext } from './verify-context.ts';

interface OpenFolder {
  readonly name: RunFolder;
  readonly attempt: number;
}

/**
 * Folders of setup and baseline that were closed: their artifacts are recorded, and after them the event with the
 * result. A crash in between leaves an unclosed folder, and the preparation starts over.
 */
export function closedRunFolders({ events, view }: VerifyContext): readonly ClosedFolder[] {
  const open = new Map<string, OpenFolder>();
  const closed: ClosedFolder[] = [];
  const close = (name: RunFolder, termination: Termination, endedAt: string) => {
    for (const [folder, { name: opened, attempt }] of open) {
      if (opened !== name) continue;
      const recorded = { step_id: null, opcode: null, attempt, termination };
      closed.push({ folder, recorded, startedAt: view.startedAt, endedAt });
      open.delete(folder);
    }
  };
  for (const event of events) {
    const { timestamp } = event;
    switch (event.event_type) {
      case 'artifact_recorded': {
        const found = event.step_id === null ? runFolderOf(event.payload.path) : null;
        if (found !== null) open.set(stepFolderOf(found.name, found.attempt), found);
        break;
      }
      case 'setup_completed':
        close('_setup', event.payload.outcome, timestamp);
        break;
      case 'baseline_recorded':
        close('_baseline', baselineTermination(event), timestamp);
        break;
      case 'run_resumed':
        open.clear();
        break;
      default:
        break;
    }
  }
  return closed;
}

/** A red baseline counts as completed. */
function baselineTermination({
  payload,
}: Extract<RunEvent, { event_type: 'baseline_recorded' }>): Termination {
  return payload.outcome === 'unable' ? 'error' : 'completed';
}

function runFolderOf(path: string): OpenFolder | null {
  const [, folder = ''] = path.split('/');
  const [base, attempt = '1'] = folder.split('@');
  const name = RUN_FOLDERS.find((known) => known === base);
  return name === undefined ? null : { name, attempt: Number(attempt) };
}
