import { plainText } from '../text/outside-text.ts';
import { readEvidence } from './evidence.ts';
import type { RunContext } from './run-context.ts';
import { lastEnded } from './run-view.ts';

const MAX_LINES = 10;
const MAX_COLUMNS = 400;

/** The beginning of an agent's final response. */
export interface LastWord {
  readonly step_id: string;
  /** Neutralised. */
  readonly lines: string[];
  /** How many lines follow. */
  readonly more: number;
}

/** What the last agent said at its end; null where none has ended, or it said nothing. */
export async function readLastWord({
  directory,
  view,
}: Pick<RunContext, 'directory' | 'view'>): Promise<LastWord | null> {
  const step = lastEnded(view().steps, 'RUN_AGENT');
  const text = step === null ? null : await readEvidence(directory, step, 'runner_final_response');
  return step === null || text === null ? null : beginningOf(step.stepId, text);
}

export function beginningOf(stepId: string, text: string): LastWord | null {
  const lines = plainText(text.trim()).split('\n');
  if (lines.every((line) => line.trim() === '')) return null;
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    const kept = line.trimEnd();
    return kept.length > MAX_COLUMNS ? `${kept.slice(0, MAX_COLUMNS)}…` : kept;
  });
  return { step_id: stepId, lines: shown, more: Math.max(0, lines.length - MAX_LINES) };
}

/** As a quotation, so that no line reads as one of conductor's own. */
export function quoteLines({ lines, more }: Pick<LastWord, 'lines' | 'more'>): string[] {
  const rest = more > 0 ? [`… ${more} more ${more === 1 ? 'line' : 'lines'}`] : [];
  return [...lines, ...rest].map((line) => `> ${line}`);
}
