import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import { agentStep, JUDGE, VALIDATE, workflowOf } from './inline-workflow.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import type { Scene, SceneOptions } from './scene.ts';

const run = promisify(execFile);

/** A repository whose checks import code of the repository itself through something that a package manager installs. */
export interface LeakKind {
  readonly files: Readonly<Record<string, string>>;
  /** The command of the validator; it passes in the user's checkout. */
  readonly check: readonly string[];
  /** Does what the user did once in the checkout, such as `npm install`; everything it makes is ignored by git. */
  readonly install: (repo: GitRepo) => Promise<unknown>;
}

export interface Attempt {
  readonly code: number | null;
  readonly stderr: string;
  /** Whether the checks of the change passed; `not run` if the run ended before them. */
  readonly checks: 'green' | 'red' | 'not run';
  readonly isAgentStarted: boolean;
  /** What the checks printed. */
  readonly output: string;
  readonly record: RunRecordOnDisk;
}

export interface LeakScene extends Scene {
  /** One run whose agent is a shell script, with the checks and an evaluation behind it. */
  readonly attempt: (script: string, env?: Readonly<Record<string, string>>) => Promise<Attempt>;
}

export type OpenScene = (options?: SceneOptions) => Promise<Scene>;

/** The agent does what the test wrote into this file of the home folder. */
const DEED = 'deed.sh';

export async function openLeak(openScene: OpenScene, kind: LeakKind, more = ''): Promise<LeakScene> {
  const config = [
    `agents: { shell: { kind: command, command: [sh, -c, '. "$HOME/${DEED}"'] } }`,
    `validators: { probe: { command: ${JSON.stringify(kind.check)} } }`,
    more,
    '',
  ].join('\n');
  const scene = await openScene({
    config,
    files: {
      '.gitignore': 'node_modules\n.venv\n__pycache__\n',
      'w.yaml': workflowOf(agentStep('v') + VALIDATE('j') + JUDGE),
      ...kind.files,
    },
    prepare: kind.install,
  });
  return {
    ...scene,
    attempt: async (script, env = {}) => {
      await writeFile(join(scene.home, DEED), script);
      const { code, stdout, stderr } = await scene.cli.run(['run', 'w.yaml'], { env });
      const runId = stdout.split('\n')[0] ?? '';
      expect(runId, stderr).toMatch(/^[0-9a-f-]{36}$/);
      const record = scene.record(runId);
      return { code, stderr, record, ...readChecks(record) };
    },
  };
}

function readChecks(record: RunRecordOnDisk): Pick<Attempt, 'checks' | 'isAgentStarted' | 'output'> {
  const ended = [...record.eventsOf('step_completed'), ...record.eventsOf('step_failed')];
  const checked = ended.find(({ step_id }) => step_id === 'v');
  const isAgentStarted = record.eventsOf('step_started').some(({ step_id }) => step_id === 'a');
  if (checked === undefined) return { checks: 'not run', isAgentStarted, output: '' };
  const { validators } = checked.payload;
  expect(validators).toHaveLength(1);
  return {
    checks: validators.every(({ outcome }) => outcome === 'completed') ? 'green' : 'red',
    isAgentStarted,
    output: ['validation_stdout', 'validation_stderr'].map((role) => record.evidence('v', role)).join('\n'),
  };
}

/** In the user's checkout the checks pass: what a run says about broken code can't be blamed on them. */
export async function expectGreenInCheckout(
  { repo, home }: Scene,
  { check }: LeakKind,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [program = '', ...args] = check;
  await run(program, args, { cwd: repo.root, env: { ...process.env, HOME: home, ...env } });
}

/** Whatever ended the run, it did not vouch for the change. */
export function expectNotGreen({ checks, code, stderr, record }: Attempt): void {
  expect([checks, code], stderr).not.toContain('green');
  expect([1, 2, 4]).toContain(code);
  expect(record.status.outcome).not.toBe('success');
}

/** The run ended before any agent started, and the message names each of the paths. */
export function expectRefused(attempt: Attempt, ...named: readonly string[]): void {
  const { code, stderr, isAgentStarted, checks, record } = attempt;
  expect({ code, isAgentStarted, checks }, stderr).toEqual({
    code: 1,
    isAgentStarted: false,
    checks: 'not run',
  });
  expect(record.finalState).toBe('failed error error\n');
  expect(record.metadata.last_step_id).toBe(null);
  for (const each of named) expect(stderr).toContain(each);
}
