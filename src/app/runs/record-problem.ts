import type { RecordProblem } from '../../ports/run-store.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';

/** Explains why the record of a run can't be used. */
export function explainRecordProblem(runId: string, problem: RecordProblem): Obstacle {
  switch (problem.kind) {
    case 'missing':
      return {
        message: `run ${runId} has no events: it never started`,
        help: 'if it did, its events.ndjson is gone: restore it from a copy; if not, its folder can be removed',
      };
    case 'corrupt':
      return {
        message: `events.ndjson of run ${runId} is corrupt at line ${problem.line}: ${problem.message}`,
        help: 'nothing was written to it; restore the file from a copy',
      };
  }
}
