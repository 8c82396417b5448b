import { baselineText } from '../../runtime/preparation-text.ts';
import type { RunView, SetupView } from '../../runtime/run-view.ts';
import { formatDuration, printable } from './terminal.ts';

/** `setup: npm ci, 12.0 s`, or why it failed. */
export function setupLine({ checkout, commands, cache_hit, outcome, reason }: SetupView): string {
  const name = checkout === 'work' ? 'setup' : 'setup of the judge checkout';
  if (outcome === 'error') return printable(`${name} failed${reason === null ? '' : `: ${reason}`}`);
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

/** What happened before the first step. */
export function preparationLines({ setup, baseline }: RunView): string[] {
  return [...setup.map(setupLine), ...(baseline === null ? [] : [baselineLine(baseline)])];
}
