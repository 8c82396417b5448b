import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../src/text/error-message.ts';
import { formatCommand } from '../src/text/shell-words.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import type { Case } from './case.ts';
import type { CaseContext } from './case-context.ts';
import { runCliCase } from './cli-case.ts';
import { composeReport, type HarnessReport, type TriedCase } from './report.ts';
import { runUnitCase } from './unit-case.ts';
import type { Browsers } from './web/browser.ts';

/** A running suite. `report` can be called at any time, with the results so far. */
export interface SuiteRun {
  readonly run: () => Promise<void>;
  /** Stops the run: the current case has failed for this reason, and the others are skipped. */
  readonly breakOff: (reason: string) => void;
  readonly report: () => HarnessReport;
}

export interface SuiteRunDeps {
  readonly context: CaseContext;
  readonly cases: readonly Case[];
  readonly browsers: Browsers;
  readonly onCase: (tried: TriedCase) => void;
}

export function createSuiteRun({ context, cases, browsers, onCase }: SuiteRunDeps): SuiteRun {
  const startedMs = performance.now();
  const tried: TriedCase[] = [];
  let isStopped = false;
  let current: { readonly case: Case; readonly attempts: Attempt[]; readonly startedMs: number } | null =
    null;

  const finishCase = (one: Case, attempts: readonly Attempt[], from: number): void => {
    const done = { case: one, repro: reproOf(context, one), attempts, durationMs: since(from) };
    tried.push(done);
    onCase(done);
  };
  return {
    run: async () => {
      for (const one of cases) {
        const attempts: Attempt[] = [];
        const from = performance.now();
        current = { case: one, attempts, startedMs: from };
        await tryCase(context, browsers, one, attempts);
        if (isStopped) return;
        current = null;
        finishCase(one, attempts, from);
      }
    },
    breakOff: (reason) => {
      if (isStopped) return;
      isStopped = true;
      if (current !== null) {
        const { attempts } = current;
        if (attempts.length === 0) attempts.push(createAttempt());
        attempts.at(-1)?.problems.push(reason);
        finishCase(current.case, attempts, current.startedMs);
      }
      for (const one of cases.slice(tried.length)) {
        finishCase(one, [{ ...createAttempt(), skipped: `it was not tried: ${reason}` }], performance.now());
      }
    },
    report: () =>
      composeReport(context.suiteId, tried, {
        generatedAt: new Date().toISOString(),
        durationMs: since(startedMs),
      }),
  };
}

function since(startedMs: number): number {
  return Math.round(performance.now() - startedMs);
}

async function tryCase(
  context: CaseContext,
  browsers: Browsers,
  one: Case,
  attempts: Attempt[],
): Promise<void> {
  for (let left = one.options.retries ?? 0; left >= 0; left -= 1) {
    const attempt = createAttempt();
    attempts.push(attempt);
    try {
      await runCase(context, browsers, one, attempt);
    } catch (error) {
      attempt.problems.push(messageOf(error));
    }
    if (attempt.problems.length === 0 || attempt.skipped !== null) return;
  }
}

async function runCase(context: CaseContext, browsers: Browsers, one: Case, attempt: Attempt): Promise<void> {
  switch (one.kind) {
    case 'cli':
      return runCliCase(context, one.id, one.options, attempt);
    case 'unit':
      return runUnitCase(context, one.id, one.options, attempt);
    case 'web': {
      const { runWebCase } = await import('./web/web-case.ts');
      return runWebCase(context, browsers, one.id, one.options, attempt);
    }
    case 'docs': {
      const { runDocsCase } = await import('./docs/docs-case.ts');
      return runDocsCase(context, one.id, one.options, attempt);
    }
  }
}

/** A `cli` case is reproduced by its own command; the others by the harness. */
function reproOf(context: CaseContext, one: Case): string {
  if (one.kind !== 'cli') return context.repro(one.id);
  const { command, cwd, env, stdin } = one.options;
  const line = formatCommand(command, { cwd, env });
  return stdin === undefined ? line : `printf %s ${formatCommand([stdin])} | ${line}`;
}

export function writeReport(path: string, report: HarnessReport): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
}
