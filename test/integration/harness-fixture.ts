import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, expect } from 'vitest';
import type { Case } from '../../harness/case.ts';
import { type HarnessOptions, runSuite } from '../../harness/harness.ts';
import type { CaseResult, HarnessReport } from '../../harness/report.ts';
import { harnessReportSchema } from '../../src/contracts/run/harness-report.ts';

export interface HarnessPlace {
  readonly root: string;
  /** Where references of the report lead to. */
  readonly referred: (reference: string) => Buffer;
  readonly write: (files: Readonly<Record<string, string | Uint8Array>>) => Promise<void>;
  readonly run: (cases: readonly Case[], options?: HarnessOptions) => Promise<HarnessReport>;
  /** One case, and what became of it. */
  readonly tryCase: (one: Case) => Promise<{ readonly result: CaseResult; readonly report: HarnessReport }>;
  readonly has: (path: string) => boolean;
}

/** A repository's folder with a suite in it. Every report that comes of it has to fit the schema. */
export const test = base.extend<{ place: HarnessPlace }>({
  place: async ({ task: _task }, use) => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-harness-')));
    const run: HarnessPlace['run'] = async (cases, options = {}) => {
      const { reportPath } = await runSuite({
        suiteId: 'suite',
        cases,
        cwd: root,
        env: { ...process.env, CONDUCTOR_RUN_DIR: undefined },
        options,
        repro: (id) => `again ${id}`,
        print: () => undefined,
      });
      const written: unknown = JSON.parse(readFileSync(reportPath, 'utf8'));
      expect(harnessReportSchema.safeParse(written).error).toBeUndefined();
      return written as HarnessReport;
    };
    await use({
      root,
      run,
      tryCase: async (one) => {
        const report = await run([one]);
        const [result] = report.cases;
        if (result === undefined) throw new Error('the report has no case');
        return { result, report };
      },
      referred: (reference) => readFileSync(join(root, '.tnh', 'harness', reference)),
      write: async (files) => {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(dirname(join(root, path)), { recursive: true });
          await writeFile(join(root, path), content);
        }
      },
      has: (path) => existsSync(join(root, path)),
    });
    await rm(root, { recursive: true, force: true });
  },
});

/** Whether a process still does anything: a zombie waits until its parent reads its exit status. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
