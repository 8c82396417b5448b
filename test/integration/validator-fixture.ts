import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { createValidatorRunner } from '../../src/adapters/validators/validator-runner.ts';
import type { RunnableValidator, ValidatorPlace, ValidatorResult } from '../../src/ports/validator.ts';

type Script = Extract<RunnableValidator, { kind: 'script' }>;

/** A worktree and a run directory, and the real runner before them. */
export interface ValidatorScene {
  readonly place: ValidatorPlace;
  readonly evidenceDir: string;
  readonly run: (validator: RunnableValidator) => Promise<ValidatorResult>;
  readonly unavailable: (validator: RunnableValidator) => Promise<string | null>;
  readonly put: (path: string, content: string | Uint8Array) => Promise<string>;
  readonly inTree: (name: string) => string;
  readonly inRun: (name: string) => string;
  readonly remove: () => Promise<void>;
}

let marks = 0;

export async function openValidatorScene(): Promise<ValidatorScene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor reports ')));
  const place: ValidatorPlace = {
    runId: '0199ab',
    runDir: join(folder, 'runs', '0199ab'),
    repoRoot: join(folder, 'repo'),
    checkoutPath: join(folder, 'work tree'),
    entrypoints: ['node', 'sh'],
  };
  for (const path of [place.runDir, place.repoRoot, place.checkoutPath])
    await mkdir(path, { recursive: true });
  const runner = createValidatorRunner({
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: process.env.PATH,
    captureLimitBytes: 1_000_000,
    graceMs: 200,
  });
  const evidenceDir = join(place.runDir, 'artifacts', 'validate');
  return {
    place,
    evidenceDir,
    run: (validator) => {
      marks += 1;
      return runner.run({
        validator,
        place,
        stepId: 'validate',
        attempt: 1,
        evidenceDir,
        confinement: null,
        env: {
          PATH: `${process.env.PATH ?? ''}:${dirname(process.execPath)}`,
          HOME: process.env.HOME ?? folder,
        },
        timeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        mark: `reports-${process.pid}-${marks}`,
        signal: new AbortController().signal,
        onStop: () => Promise.resolve(),
        onLine: () => undefined,
      });
    },
    unavailable: (validator) => runner.explainUnavailable(validator, place, () => Promise.resolve(true)),
    put: async (path, content) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      await chmod(path, 0o644);
      return path;
    },
    inTree: (name) => join(place.checkoutPath, name),
    inRun: (name) => join(place.runDir, name),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A script validator that runs the given JavaScript. */
export function inlineScript(code: string, change: Partial<Script> = {}): Script {
  return {
    kind: 'script',
    id: 'check',
    entrypoint: 'node',
    args: ['-e', `const fs = require('node:fs'); ${code}`],
    cwd: null,
    artifacts: [],
    timeoutMs: null,
    report: null,
    mayProposeGoldens: null,
    retries: 0,
    ...change,
  };
}

/** A validator as the configuration gives it. */
export function configured(
  command: readonly [string, ...string[]],
  report: string | null,
): RunnableValidator {
  return { kind: 'command', id: 'tests', command, artifacts: [], timeoutMs: null, report, retries: null };
}

/** JavaScript that writes a file into the folder of the script. */
export function writes(path: string, content: string): string {
  return `fs.mkdirSync(require('node:path').dirname(${JSON.stringify(path)}), { recursive: true }); fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(content)});`;
}
