import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { CliResult, StartedCli } from '../../testing/cli.ts';
import { fixture, oneAgentStep, test, until } from './scene.ts';

const ESCAPE = String.fromCharCode(27);
const RUN_ID = /^[0-9a-f-]{36}$/;

/** One JSON document with its version, and nothing else, on stdout. */
function documentOf({ stdout }: CliResult): Record<string, unknown> {
  const document: unknown = JSON.parse(stdout);
  expect(document).toMatchObject({ schema_version: 1 });
  return document as Record<string, unknown>;
}

const RUN_KEYS = [
  'schema_version',
  'run_id',
  'title',
  'workflow_id',
  'lifecycle_state',
  'outcome',
  'termination',
  'last_step_id',
  'steps',
  'usage',
  'run_directory',
  'baseline',
];

/** Claude Code as far as it matters here: it reports its usage, and never ends. */
const TALKER = `const usage = { input_tokens: 1000, output_tokens: 1 };
console.log(JSON.stringify({ type: 'assistant', message: { id: 'm', content: [], usage } }));
setInterval(() => {}, 1000);
`;
const COMMAND = fileURLToPath(new URL('../../dist/bin/conductor.js', import.meta.url));

describe('output that goes to a file of the checkout', () => {
  test('does not count as a change of the step that it describes', async ({ openScene }) => {
    const config = 'agents:\n  actor: { kind: claude-code, command: [node, tools/talk.mjs] }\n';
    const capped = `${oneAgentStep('talk', 'talk on and on')}defaults: { limits: { token_budget: 10 } }\n`;
    const scene = await openScene({ config, files: { 'tools/talk.mjs': TALKER, 'talk.yaml': capped } });
    const log = join(scene.repo.root, 'run.log');
    const file = await open(log, 'w');
    const child = spawn(process.execPath, [COMMAND, 'run', 'talk.yaml'], {
      cwd: scene.repo.root,
      env: {
        PATH: process.env.PATH,
        HOME: scene.home,
        CONDUCTOR_SANDBOX: 'off',
        CONDUCTOR_TRUST: '1',
      },
      stdio: ['ignore', file.fd, file.fd],
    });
    const [code] = (await once(child, 'exit')) as [number];
    await file.close();
    const text = await readFile(log, 'utf8');
    await rm(log);
    expect([code, text]).toEqual([6, expect.stringContaining('is being stopped: ')]);
    const [run] = scene.runIds().map(scene.record);
    const classes = run?.eventsOf('policy_violation').map(({ payload }) => payload.class);
    expect(classes).toEqual(['budget_exceeded']);
  });
});

describe('the document of --json', () => {
  test('of run and show summarizes the run, with the id on stderr first', async ({ openScene }) => {
    const scene = await openScene();
    const run = await scene.conductor('run', fixture('success'), '--json');
    expect(run.code).toBe(0);
    const document = documentOf(run);
    expect(Object.keys(document)).toEqual(RUN_KEYS);
    const runId = scene.runIds()[0] ?? '';
    expect(run.stderr.split('\n')[0]).toBe(runId);
    expect(document).toMatchObject({
      run_id: runId,
      workflow_id: 'success',
      lifecycle_state: 'completed',
      outcome: 'success',
      termination: 'success',
      last_step_id: 'judge',
      usage: { input_tokens: 1200, output_tokens: null, cost_usd: 0.25 },
      run_directory: join(scene.repo.root, '.tnh', 'run', runId),
      baseline: { outcome: 'red', cached: false },
      steps: [
        { step_id: 'implement', opcode: 'RUN_AGENT', attempt: 1, termination: 'completed' },
        { step_id: 'check', opcode: 'RUN_VALIDATION', attempt: 1, termination: 'completed' },
        { step_id: 'judge', opcode: 'EVALUATE', attempt: 1, termination: 'success' },
      ],
    });
    for (const step of document.steps as { duration_ms: unknown }[])
      expect(step.duration_ms).toEqual(expect.any(Number));
    expect(documentOf(await scene.conductor('show', runId, '--json'))).toEqual(document);
  });

  test('of wrong usage says what was meant', async ({ openScene }) => {
    const scene = await openScene();
    const cases = [
      { args: ['rnu'], message: /^unknown command 'rnu'$/, help: /^did you mean run\?$/i },
      { args: ['help', 'rnu'], message: /^unknown command 'rnu'$/, help: /help run/ },
      { args: ['work'], message: /^conductor work takes a command$/, help: /conductor work --help/ },
      { args: ['run'], message: /workflow/, help: /conductor run --help/ },
      { args: ['hook', 'command'], message: /not JSON/, help: /does not run/ },
    ];
    for (const { args, message, help } of cases) {
      const result = await scene.conductor(...args, '--json');
      expect(result.code).toBe(2);
      expect(documentOf(result)).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(message), help: expect.stringMatching(help) },
      });
    }
  });

  test('comes from every command that reads', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const look = async (...args: string[]) => {
      const result = await scene.conductor(...args, '--json');
      expect(result).toMatchObject({ code: 0, stderr: '' });
      return documentOf(result);
    };
    expect(await look('status', runId)).toMatchObject({ run_id: runId, outcome: 'partial', awaiting: null });
    expect(await look('status')).toMatchObject({ runs: [] });
    expect(await look('runs')).toMatchObject({ runs: [{ run_id: runId }] });
    expect(await look('gates')).toMatchObject({ gates: [] });
    expect(await look('diff', runId)).toMatchObject({ files: [{ path: 'answer.txt', status: 'M' }] });
    expect(await look('logs', runId)).toMatchObject({
      logs: expect.arrayContaining([expect.objectContaining({ step_id: 'implement', attempt: 1 })]),
    });
    expect(await look('validate', fixture('partial'))).toMatchObject({ ok: true });
    expect(await look('doctor')).toMatchObject({ ok: true });
    expect(await look('completion', 'bash')).toMatchObject({ shell: 'bash' });
  });

  test('comes from the commands that act', async ({ openScene }) => {
    const scene = await openScene();
    const waiting = await scene.conductor('run', fixture('gate'), '--json');
    expect(waiting.code).toBe(3);
    expect(documentOf(waiting)).toMatchObject({
      lifecycle_state: 'waiting',
      outcome: null,
      last_step_id: 'approve',
    });
    const [runId = ''] = scene.runIds();
    const gates = documentOf(await scene.conductor('gates', '--json'));
    expect(gates).toMatchObject({ gates: [{ run_id: runId, step_id: 'approve', approvers: [] }] });
    const approved = await scene.conductor('approve', runId, '--json');
    expect(documentOf(approved)).toMatchObject({ run_id: runId, answer: 'gate_approved', by: 'Test User' });
    const resumed = await scene.conductor('resume', runId, '--json');
    expect(documentOf(resumed)).toMatchObject({ outcome: 'success' });
    const second = await scene.run('gate');
    const rejected = await scene.conductor('reject', second.runId, '--resume', '--json');
    expect(documentOf(rejected)).toMatchObject({ outcome: 'rejected' });
    const third = await scene.run('gate');
    const cancelled = await scene.conductor('cancel', third.runId, '--json');
    expect(documentOf(cancelled)).toMatchObject({ run_id: third.runId, cancelled: true });
  });

  test('of init names what it made and never overwrites', async ({ openScene }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.git('rm', '-rq', '.tnh');
        await repo.git('commit', '--quiet', '--message=without');
        await repo.write('.tnh/config.yaml', '# mine\n');
        await repo.write('.git/info/exclude', '.tnh\n');
      },
    });
    const made = documentOf(await scene.conductor('init', '--json'));
    expect(made).toMatchObject({ kept: ['.tnh/config.yaml'] });
    expect(made.created).toContain('.tnh/workflows/implement.yaml');
    expect(documentOf(await scene.conductor('init', '--json'))).toMatchObject({ created: [] });
    expect(await readFile(join(scene.repo.root, '.tnh/config.yaml'), 'utf8')).toBe('# mine\n');
    const checked = await scene.conductor('validate', '.tnh/workflows/implement.yaml', '--json');
    expect(checked.code).toBe(0);
  });

  const MISTAKES: readonly (readonly string[])[] = [
    ['show', 'ffff'],
    ['run', './none.yaml'],
    ['run'],
    ['vallidate'],
    ['runs', '--al'],
    ['run', './none.yaml', '--input', 'task'],
  ];
  test('is one document of the mistake, too, whatever the mistake', async ({ openScene }) => {
    const scene = await openScene();
    const results = await Promise.all(MISTAKES.map((args) => scene.conductor(...args, '--json')));
    expect(results.map(({ code }) => code)).toEqual(MISTAKES.map(() => 2));
    const areErrors = results.map(({ stdout }) =>
      /^\{\n {2}"schema_version": 1,\n {2}"ok": false/.test(stdout),
    );
    expect(MISTAKES.filter((_, index) => areErrors[index] !== true).map((args) => args.join(' '))).toEqual(
      [],
    );
  });

  test('of run is the diagnostics when the document has errors', async ({ openScene }) => {
    const scene = await openScene({ files: { 'w.yaml': 'workflow_id: [unclosed\n' } });
    const result = await scene.conductor('run', './w.yaml', '--json');
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ ok: false, files: [{ diagnostics: [{ code: 'WF002' }] }] });
  });
});

describe('what users see', () => {
  test('the run id is the first line and the only one on stdout', async ({ openScene }) => {
    const scene = await openScene();
    const { stdout } = await scene.run('success');
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(stdout.trim()).toMatch(RUN_ID);
  });

  test('there is no colour and no live line where there is no terminal', async ({ openScene }) => {
    const scene = await openScene();
    for (const env of [{}, { NO_COLOR: '1' }, { CI: 'true' }, { NO_COLOR: '', FORCE_COLOR: '' }]) {
      const { stdout, stderr } = await scene.cli.run(['run', fixture('unverified')], { env });
      expect(stdout + stderr).not.toContain(ESCAPE);
    }
  });

  test('control sequences of an agent do not reach the terminal', async ({ openScene }) => {
    const scene = await openScene();
    const prompt = '"say \\e[31mred\\e[0m\\nexit 3"';
    await scene.repo.write('../w.yaml', oneAgentStep('noisy', prompt));
    const { stdout, stderr } = await scene.conductor('run', '../w.yaml');
    const logs = await scene.conductor('logs', stdout.trim());
    expect(logs.stdout).toContain('red');
    expect(stderr + logs.stdout).not.toContain(ESCAPE);
  });

  test('show, status, runs and diff accept a prefix of a run id', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const prefix = runId.slice(0, 13);
    for (const command of ['show', 'status', 'logs', 'diff']) {
      const { code, stdout } = await scene.conductor(command, prefix);
      expect({ command, code, silent: stdout === '' }).toEqual({ command, code: 0, silent: false });
    }
    expect((await scene.conductor('runs')).stdout).toMatch(new RegExp(`^${runId.slice(0, 8)} `));
    expect((await scene.conductor('diff', prefix)).stdout).toContain('-?\n+41\n');
    expect((await scene.conductor('logs', prefix, 'check')).stdout).toContain('the answer is 41');
  });

  test('what diff --raw prints applies to the base, whatever the files contain', async ({ openScene }) => {
    const scene = await openScene({ files: { 'latin.txt': 'caf\n' } });
    const prompt = '"bytes latin.txt 636166e90a\\nbytes image.bin 00ff\\nexit 0"';
    await scene.repo.write('../w.yaml', oneAgentStep('latin', prompt));
    const { stdout } = await scene.conductor('run', '../w.yaml');
    await writeFile(
      join(scene.home, 'diff.patch'),
      (await scene.conductor('diff', stdout.trim(), '--raw')).bytes,
    );
    await scene.repo.git('apply', '--check', '../home/diff.patch');
    const applied = await scene.repo.git('apply', '--numstat', '../home/diff.patch');
    expect(applied).toContain('latin.txt');
    const patched = await readFile(join(scene.home, 'diff.patch'));
    expect(patched.includes(Buffer.from('636166e90a', 'hex'))).toBe(true);
  });

  test('diff shows what a terminal would obey', async ({ openScene }) => {
    const scene = await openScene({ files: { 'a.test.js': 'it("adds")\n' } });
    // A skipped test, with sequences behind it that would rewrite the line.
    const hidden = Buffer.from(`it.skip("adds")\r\u001b[2K\u202e it("adds")\n`).toString('hex');
    await scene.repo.write('../w.yaml', oneAgentStep('hide', `"bytes a.test.js ${hidden}\\nexit 0"`));
    const { stdout } = await scene.conductor('run', '../w.yaml');
    const shown = await scene.conductor('diff', stdout.trim());
    expect(shown.stdout).toContain('+it.skip("adds")\\r\\x1b[2K\\u202e it("adds")\n');
    expect(shown.stderr).toContain('--raw writes the patch as it is');
  });

  test('status --watch exits as the run does', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    expect(await scene.conductor('status', runId, '--watch')).toMatchObject({ code: 3 });
    await scene.conductor('reject', runId, '--resume');
    expect(await scene.conductor('status', runId, '--watch')).toMatchObject({ code: 4 });
    expect(await scene.conductor('show', runId)).toMatchObject({ code: 0 });
  });

  test('a path means the same file to validate and to run, whatever --repo says', async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../home/w.yaml', await readFile(fixture('gate-approvers'), 'utf8'));
    const there = { cwd: scene.home };
    expect(await scene.cli.run(['validate', './w.yaml', '--repo', scene.repo.root], there)).toMatchObject({
      code: 0,
    });
    expect(await scene.cli.run(['run', './w.yaml', '--repo', scene.repo.root], there)).toMatchObject({
      code: 3,
    });
  });
});

describe('the completion script', () => {
  test('offers in a real bash what can follow, and leaves files to the shell', async ({ openScene }) => {
    const scene = await openScene();
    const { stdout: script } = await scene.conductor('completion', 'bash');
    const cases: readonly (readonly [string, string])[] = [
      ['val', 'validate'],
      ['help val', 'validate'],
      ['validate ', ''],
      ['validate --pr', '--prove'],
      ['validate --format ', ''],
      ['policy ', 'check command'],
      ['contract check planner-i', 'planner-input'],
      ['work tem', 'template'],
      ['work template ', 'task refinement'],
      ['work list --st', '--status'],
      ['work list --jo', ''],
      ['explain WF00', 'WF001 WF002 WF003 WF004 WF005 WF006 WF007 WF008 WF009'],
    ];
    const ask =
      'for line; do IFS=" " read -ra COMP_WORDS <<< "conductor $line"; case "$line" in *" ") COMP_WORDS+=("");; esac; COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _conductor; echo "${COMPREPLY[*]}"; done';
    const lines = cases.map(([line]) => line);
    const bash = await promisify(execFile)('bash', ['-uc', `${script}\n${ask}`, 'bash', ...lines]);
    expect(bash.stdout.split('\n').slice(0, -1)).toEqual(cases.map(([, words]) => words));
  });
});

describe('a reader that leaves early', () => {
  const LEAVING = [
    { when: 'before the first line', flags: [], seen: () => true },
    { when: 'after the first line', flags: [], seen: (driver: StartedCli) => driver.stdout() !== '' },
    { when: 'after the first line', flags: ['--json'], seen: (driver: StartedCli) => driver.stderr() !== '' },
  ];
  for (const { when, flags, seen } of LEAVING)
    test(`does not stop a run (${['run', ...flags].join(' ')}, ${when})`, async ({ openScene }) => {
      const scene = await openScene();
      const driver = scene.cli.start(['run', fixture('success'), ...flags]);
      await until(() => seen(driver));
      driver.closeOutput();
      expect(await driver.done).toMatchObject({ code: 0, signal: null });
      const [runId = ''] = scene.runIds();
      expect(scene.record(runId).finalState).toBe('completed success success\n');
    });

  test('ends commands that read without a crash, and changes nothing of what a check says', async ({
    openScene,
  }) => {
    const scene = await openScene({ files: { 'bad.yaml': 'workflow_id: a\n' } });
    await scene.run('unverified');
    const ends = [
      { command: ['runs'], code: 0 },
      { command: ['doctor'], code: 0 },
      { command: ['status', '--watch'], code: 0 },
      { command: ['validate', 'bad.yaml'], code: 2 },
      { command: ['show', 'ffff'], code: 2 },
    ];
    for (const { command, code } of ends) {
      const looking = scene.cli.start(command);
      looking.closeOutput();
      expect(await looking.done).toMatchObject({ code, signal: null });
    }
  });
});
