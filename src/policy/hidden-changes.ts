import type { HiddenChange } from '../contracts/run/workspace-change.ts';
import type { Violation } from './violation.ts';

/** Changes that no git tree shows: in the workspace's own git folder, and links that lead out of the workspace. */
export function checkHiddenChanges(changes: readonly HiddenChange[]): Violation[] {
  return changes.map((change) => ({
    class: change.place === 'link' ? 'outside_workspace' : 'forbidden_path',
    subject: change.subject,
    message: describe(change),
  }));
}

function describe({ place, subject, verb, restored }: HiddenChange): string {
  const what = place === 'link' ? `the link ${subject}, which leads out of the workspace,` : subject;
  return `${what} was ${verb} during the step${restored ? '; conductor restored it' : ''}`;
}
