import { cleanOutput } from '../../text/outside-text.ts';
import { lastEnded } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { readEvidence } from './evidence.ts';

const MAX_LINES = 10;
const MAX_COLUMNS = 400;

/** The beginning of an agent's final response. */
export interface LastMessage {
  readonly step_id: string;
  /** Without control characters. */
  readonly lines: string[];
  /** How many lines follow. */
  readonly more: number;
}

/** The beginning of the last agent's final response; null if no agent has ended, or if it is empty. */
export async function readLastMessage({
  directory,
  view,
}: Pick<RunContext, 'directory' | 'view'>): Promise<LastMessage | null> {
  const step = lastEnded(view().steps, 'RUN_AGENT');
  const text = step === null ? null : await readEvidence(directory, step, 'runner_final_response');
  return step === null || text === null ? null : excerptMessage(step.stepId, text);
}

export function excerptMessage(stepId: string, text: string): LastMessage | null {
  const lines = cleanOutput(text.trim()).split('\n');
  if (lines.every((line) => line.trim() === '')) return null;
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    const kept = line.trimEnd();
    return kept.length > MAX_COLUMNS ? `${kept.slice(0, MAX_COLUMNS)}…` : kept;
  });
  return { step_id: stepId, lines: shown, more: Math.max(0, lines.length - MAX_LINES) };
}

/** Formats the lines as a quotation, so that none of them looks like conductor's own output. */
export function quoteLines({ lines, more }: Pick<LastMessage, 'lines' | 'more'>): string[] {
  const rest = more > 0 ? [`… ${more} more ${more === 1 ? 'line' : 'lines'}`] : [];
  return [...lines, ...rest].map((line) => `> ${line}`);
}
