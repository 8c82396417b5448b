import { type Attempt, addReference } from './attempt.ts';
import type { UnitOptions } from './case.ts';
import { type CaseContext, formatSeconds, parseTimeoutMs } from './case-context.ts';
import { toFileName } from './out-folder.ts';

/** Calls the function; an exception is the failure. */
export async function runUnitCase(
  context: CaseContext,
  id: string,
  { test, timeout }: UnitOptions,
  attempt: Attempt,
): Promise<void> {
  const timeoutMs = parseTimeoutMs(timeout);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_settle, fail) => {
    timer = setTimeout(() => fail(new Error(`timed out after ${formatSeconds(timeoutMs)}`)), timeoutMs);
  });
  // Comparisons are collected, so that one without `await` is not lost.
  const comparisons: Promise<void>[] = [];
  const tools = {
    expectGolden: (name: string, content: string | Uint8Array, options = {}) => {
      const comparing = context.goldens.compare(id, attempt, name, content, options);
      comparisons.push(comparing);
      comparing.catch(() => undefined);
      return comparing;
    },
    keep: (name: string, content: string | Uint8Array) =>
      addReference(attempt, context.out.write('files', `${toFileName(id)}/${toFileName(name)}`, content)),
    observe: (text: string) => {
      attempt.observations.push(text);
    },
  };
  try {
    await Promise.race([Promise.resolve(tools).then(test), late]);
    await Promise.all(comparisons);
  } finally {
    clearTimeout(timer);
  }
}
