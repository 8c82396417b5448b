import { baselineText } from '../../../runtime/record/preparation-text.ts';
import type { RunView, SetupView } from '../../../runtime/record/run-view.ts';
import { formatDuration, printable } from './terminal.ts';

/** `setup: npm ci, 12.0 s`, or the first line of the failure; the reason for the run's end has the rest. */
export function setupLine({ checkout, commands, cache_hit, outcome, reason }: SetupView): string {
  const name = checkout === 'work' ? 'setup' : 'setup of the judge checkout';
  if (outcome === 'error') {
    const [first = ''] = (reason ?? '').replace(/^setup: /, '').split('\n');
    return printable(`${name} failed${first === '' ? '' : `: ${first}`}`);
  }
  const names = commands.map(({ command }) => command);
  const spent = commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const parts = [
    ...(cache_hit ? ['from the cache'] : []),
    ...names,
    ...(names.length === 0 ? [] : [formatDuration(spent)]),
  ];
  return printable(`${name}: ${parts.length === 0 ? 'nothing to run' : parts.join(', ')}`);
}

export function baselineLine(baseline: NonNullable<RunView['baseline']>): string {
  return printable(`baseline: ${baselineText(baseline)}`);
}

/** The setups and the baseline. Omits the reason of a failed setup that ended the run: it is shown with the end. */
export function preparationLines({ setup, baseline, end }: RunView): string[] {
  const lines = setup.map((each) =>
    setupLine(each.reason !== null && end?.reason === each.reason ? { ...each, reason: null } : each),
  );
  return [...lines, ...(baseline === null ? [] : [baselineLine(baseline)])];
}
