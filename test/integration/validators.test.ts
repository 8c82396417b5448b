import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { createValidatorRunner } from '../../src/adapters/validators/validator-runner.ts';
import type {
  RunnableValidator,
  ValidatorPlace,
  ValidatorRequest,
  ValidatorRunner,
} from '../../src/ports/validator.ts';
import { inlineScript } from './validator-fixture.ts';

type Script = Extract<RunnableValidator, { kind: 'script' }>;

const node = process.execPath;
const goodReport = { suite_id: 's', version: '1.0.0', cases: [], summary: { passed: 0, failed: 0 } };
let folder: string;
let place: ValidatorPlace;
let runner: ValidatorRunner;
let marks = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor validators ')));
  place = {
    runId: '0199ab',
    runDir: join(folder, 'runs [1]', '0199ab'),
    repoRoot: join(folder, 'repo'),
    checkoutPath: join(folder, 'work tree'),
    entrypoints: ['node', 'sh'],
  };
  for (const path of [place.runDir, place.repoRoot, place.checkoutPath])
    await mkdir(path, { recursive: true });
  runner = createValidatorRunner({
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: process.env.PATH,
    captureLimitBytes: 100_000,
    graceMs: 200,
  });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const scriptOf = (change: Partial<Script>): Script => inlineScript('', { args: [], ...change });

const evidenceDir = (): string => join(place.runDir, 'artifacts', 'validate');

function run(validator: RunnableValidator, change: Partial<ValidatorRequest> = {}) {
  marks += 1;
  return runner.run({
    validator,
    place,
    stepId: 'validate',
    attempt: 1,
    evidenceDir: evidenceDir(),
    confinement: null,
    env: { PATH: `${dirname(node)}:${process.env.PATH ?? ''}` },
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    mark: `validator-${process.pid}-${marks}`,
    signal: new AbortController().signal,
    onStop: () => Promise.resolve(),
    onLine: () => undefined,
    ...change,
  });
}

async function put(path: string, text: string, mode = 0o644): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}
const inTree = (name: string): string => join(place.checkoutPath, name);
const inRun = (name: string): string => join(place.runDir, name);
const writes = (path: string, value: unknown): string =>
  `fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(JSON.stringify(value))});`;

describe('how a validator ends', () => {
  it.each([
    ['', 'completed', 0, null],
    ['process.exit(4)', 'error', 4, 'the validator exited with code 4'],
    ['process.kill(process.pid, "SIGKILL")', 'error', null, 'the validator was killed by SIGKILL'],
  ])('%j is %s', async (code, outcome, exitCode, reason) => {
    expect(await run(inlineScript(code))).toMatchObject({ id: 'check', outcome, exitCode, reason });
  });

  it('past its own timeout is killed_timeout, whatever the step allows', async () => {
    const result = await run(inlineScript('setInterval(() => console.log(1), 50)', { timeoutMs: 500 }));
    expect(result).toMatchObject({ outcome: 'killed_timeout', exitCode: null });
    expect(result.reason).toBe('the validator timed out after 0.5 s');
  });

  it("past the step's timeout is killed_timeout where it has none", async () => {
    const result = await run(inlineScript('setInterval(() => console.log(1), 50)'), { timeoutMs: 500 });
    expect(result.outcome).toBe('killed_timeout');
  });

  it('in silence is killed_idle, and a missing artifact does not make it better', async () => {
    const silent = inlineScript('setInterval(() => {}, 1000)', { artifacts: ['never.txt'] });
    expect(await run(silent, { idleTimeoutMs: 400 })).toMatchObject({
      outcome: 'killed_idle',
      missingArtifacts: ['never.txt'],
    });
  });

  it('on a cancel is cancelled', async () => {
    const abort = new AbortController();
    const validator = inlineScript('console.log("up"); setInterval(() => {}, 1000)');
    const result = await run(validator, { signal: abort.signal, onLine: () => abort.abort() });
    expect(result.outcome).toBe('cancelled');
  });

  it('leaves its output under its id, which cannot lead elsewhere', async () => {
    const result = await run(inlineScript('console.log("out"); console.error("err")'));
    expect(result.stdoutPath).toBe(join(evidenceDir(), 'check.stdout.txt'));
    expect(await readFile(join(evidenceDir(), 'check.stdout.txt'), 'utf8')).toBe('out\n');
    expect(await readFile(join(evidenceDir(), 'check.stderr.txt'), 'utf8')).toBe('err\n');
    const odd = await run(inlineScript('', { id: '../x' }));
    expect(dirname(odd.stdoutPath ?? '')).toBe(evidenceDir());
  });

  it('does not end another one of the same step that runs beside it', async () => {
    const go = join(folder, 'go');
    const waits = `const t = setInterval(() => { if (fs.existsSync(${JSON.stringify(go)})) clearInterval(t); }, 10)`;
    const mark = `side-${process.pid}`;
    const slow = run(inlineScript(waits, { id: 'slow' }), { mark });
    expect((await run(inlineScript('', { id: 'fast' }), { mark })).outcome).toBe('completed');
    await writeFile(go, '');
    expect((await slow).outcome).toBe('completed');
  });
});

describe('what may be started', () => {
  const says = '#!/bin/sh\necho "ran $0 in $(pwd) with $*"\n';

  it.each([
    ['${run_dir}/harness/h.sh', 'harness/h.sh'],
    ['.tnh/run/${run_id}/harness/h.sh', 'harness/h.sh'],
  ])('a path under the run directory, written %s', async (entrypoint, name) => {
    await put(inRun(name), says, 0o755);
    const result = await run(
      scriptOf({ entrypoint, args: ['${repo}', '${run_id}', '.tnh/run/${run_id}/r.json'] }),
    );
    expect(result).toMatchObject({ outcome: 'completed', reason: null });
    expect(await readFile(result.stdoutPath ?? '', 'utf8')).toBe(
      `ran ${inRun(name)} in ${place.checkoutPath} with ${place.repoRoot} 0199ab ${inRun('r.json')}\n`,
    );
  });

  it('a path inside the checkout, with spaces, in a folder of its own', async () => {
    await put(inTree('my checks/run it.sh'), says, 0o755);
    const validator = scriptOf({
      entrypoint: 'my checks/run it.sh',
      cwd: 'my checks',
      args: ['a b', '$(id)'],
    });
    const result = await run(validator);
    expect(await readFile(result.stdoutPath ?? '', 'utf8')).toBe(
      `ran ${inTree('my checks/run it.sh')} in ${inTree('my checks')} with a b $(id)\n`,
    );
  });

  it('a path in the checkout whose link leads to the run directory', async () => {
    await put(inRun('harness/h.sh'), says, 0o755);
    await mkdir(inTree('.tnh'));
    await symlink(inRun('harness'), inTree('.tnh/harness'));
    expect((await run(scriptOf({ entrypoint: '.tnh/harness/h.sh' }))).outcome).toBe('completed');
  });

  it.each([
    ['check.py', 'import sys; print("py", sys.argv[1])', 'py arg\n'],
    [
      'check.mjs',
      'import fs from "node:fs"; console.log("mjs", process.argv[2], typeof fs)',
      'mjs arg object\n',
    ],
    ['check.cjs', 'console.log("cjs", process.argv[2])', 'cjs arg\n'],
    ['check.js', 'console.log("js", process.argv[2])', 'js arg\n'],
    ['check.sh', 'echo sh "$1"', 'sh arg\n'],
  ])('a script without the run bit, by its ending: %s', async (name, text, output) => {
    for (const mode of [0o644, 0o755]) {
      await put(inTree(name), text, mode);
      const result = await run(scriptOf({ entrypoint: `./${name}`, args: ['arg'] }));
      expect(result.reason).toBeNull();
      expect(await readFile(result.stdoutPath ?? '', 'utf8')).toBe(output);
    }
  });

  it('a configured command, as it is written', async () => {
    await put(inTree('tools/t.sh'), says, 0o755);
    const none = { artifacts: [], timeoutMs: null, report: null, retries: null } as const;
    const validator = { kind: 'command', id: 't', ...none } as const;
    const result = await run({ ...validator, command: ['tools/t.sh', '${run_id}'] });
    expect(await readFile(result.stdoutPath ?? '', 'utf8')).toBe(
      `ran ${inTree('tools/t.sh')} in ${place.checkoutPath} with \${run_id}\n`,
    );
  });

  it.each([
    [
      'a bare command that is not allowed',
      { entrypoint: 'python3' },
      'entrypoint refused: `python3` is not an allowed command',
    ],
    [
      'a file name without a slash',
      { entrypoint: 'plain' },
      'entrypoint refused: `plain` is not an allowed command',
    ],
    [
      'an absolute path',
      { entrypoint: '/bin/sh' },
      'entrypoint refused: `/bin/sh` is outside the checkout and the run directory',
    ],
    [
      'a path that climbs out',
      { entrypoint: '../repo/x.sh' },
      'entrypoint refused: `../repo/x.sh` is outside the checkout and the run directory',
    ],
    [
      'a path in the repository',
      { entrypoint: '${repo}/x.sh' },
      '`${repo}` cannot be used in `${repo}/x.sh`',
    ],
    [
      'a link that leads out',
      { entrypoint: './out.sh' },
      'entrypoint refused: `./out.sh` leads out of the checkout and the run directory through a link',
    ],
    [
      'a path behind a folder that leads out',
      { entrypoint: 'outdir/x.sh' },
      'entrypoint refused: `outdir/x.sh` leads out of the checkout and the run directory through a link',
    ],
    ['a folder', { entrypoint: './sub' }, 'entrypoint is not a file: `./sub`'],
    ['nothing', { entrypoint: './nope.sh' }, 'entrypoint not found: `./nope.sh`'],
    [
      'a file that nothing starts',
      { entrypoint: './plain' },
      'entrypoint is not executable and its ending names no interpreter: `./plain`',
    ],
    [
      'a folder to run in that is outside',
      { cwd: '/tmp' },
      'cwd refused: `/tmp` is outside the checkout and the run directory',
    ],
    [
      'a folder to run in that leads out',
      { cwd: 'outdir' },
      'cwd refused: `outdir` leads out of the checkout and the run directory through a link',
    ],
    ['an unknown name', { args: ['${home}'] }, '`${home}` cannot be used in `${home}`'],
    [
      'an artifact outside',
      { artifacts: ['../*.json'] },
      'artifact refused: `../*.json` is outside the checkout and the run directory',
    ],
  ])('not %s: refused before it starts', async (_, change, reason) => {
    await put(join(place.repoRoot, 'x.sh'), '#!/bin/sh\ntouch ran\n', 0o755);
    await put(inTree('plain'), 'text');
    await mkdir(inTree('sub'));
    await symlink(join(place.repoRoot, 'x.sh'), inTree('out.sh'));
    await symlink(place.repoRoot, inTree('outdir'));
    const result = await run(inlineScript('fs.writeFileSync("ran", "")', change));
    expect(result).toMatchObject({ outcome: 'error', exitCode: null, stdoutPath: null, reason });
    expect(existsSync(inTree('ran'))).toBe(false);
  });

  it('not a command that the path does not have: an error that names it', async () => {
    const result = await run(inlineScript(''), { env: { PATH: '/nowhere' } });
    expect(result).toMatchObject({ outcome: 'error', reason: 'command not found: node' });
  });

  it('is known before the run where it can be', async () => {
    const isInBase = (path: string) => Promise.resolve(path === './there.sh');
    const obstacle = (change: Partial<Script>) =>
      runner.explainUnavailable(scriptOf(change), place, isInBase);
    expect(await obstacle({ entrypoint: 'node' })).toBeNull();
    expect(await obstacle({ entrypoint: '.tnh/run/${run_id}/harness/later.py' })).toBeNull();
    expect(await obstacle({ entrypoint: 'npm' })).toContain('not an allowed command');
    expect(await obstacle({ entrypoint: '/bin/sh' })).toContain('outside the checkout');
    expect(await obstacle({ artifacts: ['${nope}'] })).toContain('cannot be used');
    const command = (...argv: [string, ...string[]]) =>
      runner.explainUnavailable(
        {
          kind: 'command',
          id: 't',
          command: argv,
          artifacts: [],
          timeoutMs: null,
          report: null,
          retries: null,
        },
        place,
        isInBase,
      );
    expect(await command('no-such-tool')).toBe('command not found: no-such-tool');
    expect(await command('/no/such/tool')).toBe('command not found: /no/such/tool');
    expect(await command('./there.sh')).toBeNull();
    expect(await command('./none.sh')).toBe('./none.sh is not in the commit that the run starts from');
    expect(await command('node')).toBeNull();
  });
});

describe('artifacts', () => {
  const names = (result: { artifacts: readonly { name: string }[] }) =>
    result.artifacts.map((one) => one.name);

  it('are copied by glob from the checkout, then from the run directory, the checkout first', async () => {
    await put(inTree('shots/a.png'), 'tree');
    await put(inTree('shots/deep/b.png'), 'tree');
    await put(inTree('shots/c.txt'), 'tree');
    await put(inTree('.git/shots/d.png'), 'git');
    await put(inRun('shots/a.png'), 'run');
    await put(inRun('shots/e.png'), 'run');
    const result = await run(inlineScript('', { artifacts: ['shots/**/*.png'] }));
    expect(result).toMatchObject({ outcome: 'completed', missingArtifacts: [], requiredArtifacts: [] });
    expect(names(result)).toEqual(['shots/a.png', 'shots/deep/b.png', 'shots/e.png']);
    expect(await readFile(join(evidenceDir(), 'check/shots/a.png'), 'utf8')).toBe('tree');
    expect(result.artifacts[2]).toEqual({
      path: join(evidenceDir(), 'check/shots/e.png'),
      name: 'shots/e.png',
      required: false,
    });
  });

  it("are never the conductor's own files or git's", async () => {
    const own = [
      'metadata.json',
      'status.json',
      'events.ndjson',
      'final-state.txt',
      'workflow.yaml',
      'artifacts/x/y.json',
    ];
    for (const name of own) await put(inRun(name), '{}');
    await put(inTree('.git/config.json'), '{}');
    await put(inRun('logs/metadata.json'), '{}');
    const result = await run(inlineScript('', { artifacts: ['**', '**/*.json', '.git/*'] }));
    expect(names(result)).toEqual(['logs/metadata.json']);
    const named = await run(
      inlineScript('', { artifacts: ['metadata.json', 'artifacts/x/y.json', '.git/config.json'] }),
    );
    expect(named).toMatchObject({ outcome: 'error', artifacts: [] });
    expect(named.missingArtifacts).toEqual(['metadata.json', 'artifacts/x/y.json', '.git/config.json']);
  });

  it('without glob characters are required', async () => {
    const result = await run(
      inlineScript('fs.writeFileSync("there.txt", "x")', { artifacts: ['there.txt', 'gone.txt', '*.none'] }),
    );
    expect(result).toMatchObject({
      outcome: 'error',
      exitCode: 0,
      requiredArtifacts: ['there.txt', 'gone.txt'],
      missingArtifacts: ['gone.txt'],
      reason: 'required artifact missing: `gone.txt`',
    });
    expect(result.artifacts).toMatchObject([{ name: 'there.txt', required: true }]);
  });

  it('that are a folder are taken whole', async () => {
    await put(inTree('logs/a/b.log'), 'x');
    expect(names(await run(inlineScript('', { artifacts: ['logs'] })))).toEqual(['logs/a/b.log']);
  });

  it('of the run directory are found where it is named, whatever is in the checkout', async () => {
    await put(inTree('r.txt'), 'tree');
    await put(inRun('r.txt'), 'run');
    await run(inlineScript('', { artifacts: ['.tnh/run/${run_id}/r.txt'] }));
    expect(await readFile(join(evidenceDir(), 'check/r.txt'), 'utf8')).toBe('run');
  });

  it.each([
    ['by name', 'leak.json', 'fs.symlinkSync(OUT + "/secret.json", "leak.json")'],
    ['by glob', '*.json', 'fs.symlinkSync(OUT + "/secret.json", "leak.json")'],
    ['behind a folder, by name', 'dir/secret.json', 'fs.symlinkSync(OUT, "dir")'],
    ['behind a folder, by glob', 'dir/*.json', 'fs.symlinkSync(OUT, "dir")'],
  ])('that leave through a link are refused: %s', async (_, artifact, code) => {
    await put(join(place.repoRoot, 'secret.json'), 'secret');
    const result = await run(
      inlineScript(code.replace('OUT', JSON.stringify(place.repoRoot)), { artifacts: [artifact] }),
    );
    expect(result).toMatchObject({ outcome: 'error', artifacts: [] });
    expect(result.reason).toContain('leads out of the checkout and the run directory through a link');
    expect(existsSync(join(evidenceDir(), 'check'))).toBe(false);
  });

  it('behind links that stay inside are captured, and a wildcard walks into no link', async () => {
    await put(inTree('build/r/one.xml'), 'x');
    await symlink('build/r', inTree('reports'));
    await symlink('..', inTree('build/loop'));
    await symlink(place.repoRoot, inTree('vendor'));
    await put(join(place.repoRoot, 'other.xml'), 'x');
    const result = await run(inlineScript('', { artifacts: ['reports/*.xml', '**/*.xml'] }));
    expect(result).toMatchObject({ outcome: 'completed', reason: null });
    expect(names(result).sort()).toEqual(['build/r/one.xml', 'reports/one.xml']);
  });

  it('are never copied through a link that was planted among the evidence', async () => {
    const planted = join(evidenceDir(), 'check');
    const code = `fs.writeFileSync('a.txt', 'new'); fs.symlinkSync(${JSON.stringify(place.repoRoot)}, ${JSON.stringify(planted)})`;
    await run(inlineScript(code, { artifacts: ['a.txt'] }));
    expect(existsSync(join(place.repoRoot, 'a.txt'))).toBe(false);
    expect(await readFile(join(planted, 'a.txt'), 'utf8')).toBe('new');
  });
});

describe('a harness report', () => {
  const artifacts = ['harness_report.json'];

  it('is captured, checked, kept in the run directory and taken out of the checkout', async () => {
    const report = { ...goodReport, proposed_goldens: ['a.png', { id: 'b' }] };
    const result = await run(inlineScript(writes('harness_report.json', report), { artifacts }));
    expect(result).toMatchObject({
      outcome: 'completed',
      missingArtifacts: [],
      requiredArtifacts: artifacts,
    });
    expect(result.harnessReport).toEqual({
      path: join(evidenceDir(), 'check/harness_report.json'),
      value: report,
      proposals: 2,
    });
    expect(JSON.parse(await readFile(inRun('harness_report.json'), 'utf8'))).toEqual(report);
    expect(existsSync(inTree('harness_report.json'))).toBe(false);
  });

  it('still counts when the validator fails', async () => {
    const result = await run(
      inlineScript(`${writes('harness_report.json', goodReport)} process.exit(1)`, { artifacts }),
    );
    expect(result).toMatchObject({ outcome: 'error', exitCode: 1, missingArtifacts: [] });
    expect(result.harnessReport?.proposals).toBe(0);
  });

  it('that was in the checkout before and is written again stays there', async () => {
    await put(inTree('harness_report.json'), '{"old": true}');
    const result = await run(inlineScript(writes('harness_report.json', goodReport), { artifacts }));
    expect(result.harnessReport?.value).toEqual(goodReport);
    expect(existsSync(inTree('harness_report.json'))).toBe(true);
  });

  it('that an earlier visit left in the run directory is missing on the next', async () => {
    await run(inlineScript(writes('harness_report.json', goodReport), { artifacts }));
    const result = await run(inlineScript('', { artifacts }));
    expect(result).toMatchObject({ outcome: 'error', exitCode: 0, harnessReport: null, artifacts: [] });
    expect(result.missingArtifacts).toEqual(artifacts);
    expect(result.reason).toBe(
      'harness report `harness_report.json` was not written by this run of the validator',
    );
  });

  it('that was in the checkout from the start counts as missing, and the new one of the run directory is used', async () => {
    await put(inTree('harness_report.json'), JSON.stringify({ ...goodReport, suite_id: 'old' }));
    expect((await run(inlineScript('', { artifacts }))).missingArtifacts).toEqual(artifacts);
    const fresh = await run(inlineScript(writes(inRun('harness_report.json'), goodReport), { artifacts }));
    expect(fresh).toMatchObject({ outcome: 'completed', harnessReport: { value: { suite_id: 's' } } });
  });

  it('of a validator that runs beside is not its own', async () => {
    const go = join(folder, 'go');
    const waits = `console.log("up"); const t = setInterval(() => { if (fs.existsSync(${JSON.stringify(go)})) clearInterval(t); }, 10)`;
    let isUp: () => void = () => undefined;
    const up = new Promise<void>((settle) => {
      isUp = settle;
    });
    const idler = run(inlineScript(waits, { id: 'idler', artifacts }), { onLine: () => isUp() });
    await up;
    await run(inlineScript(writes('harness_report.json', goodReport), { artifacts }));
    await writeFile(go, '');
    expect(await idler).toMatchObject({ outcome: 'error', missingArtifacts: artifacts, harnessReport: null });
  });

  it.each([
    ['not JSON', 'fs.writeFileSync("harness_report.json", "{");', 'is not JSON'],
    [
      'without a required key',
      writes('harness_report.json', { suite_id: 's', cases: [] }),
      'has no `summary`',
    ],
    [
      'too large',
      'fs.writeFileSync("harness_report.json", "1".repeat(16 * 1024 * 1024 + 1));',
      'is larger than 16 MiB',
    ],
  ])('that is %s is an error and counts as missing', async (_, code, why) => {
    const result = await run(inlineScript(code, { artifacts }));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: artifacts, harnessReport: null });
    expect(result.reason).toBe(`harness report \`harness_report.json\` ${why}`);
    expect(existsSync(inRun('harness_report.json'))).toBe(false);
    expect(existsSync(inTree('harness_report.json'))).toBe(false);
  });

  it('that came by a glob for reports alone is not required, and counts as missing where it is none', async () => {
    const globs = { artifacts: ['**/*.json', 'out/*harness_report*.json'] };
    expect(await run(inlineScript('', globs))).toMatchObject({ outcome: 'completed', requiredArtifacts: [] });
    const broken = 'fs.mkdirSync("out"); fs.writeFileSync("out/my_harness_report.json", "{")';
    expect(await run(inlineScript(broken, globs))).toMatchObject({
      outcome: 'error',
      exitCode: 0,
      missingArtifacts: ['out/my_harness_report.json'],
      reason: 'harness report `out/my_harness_report.json` is not JSON',
    });
  });

  it('that only a glob caught is not required, but its proposals are seen', async () => {
    const globs = { artifacts: ['*.json'] };
    const report = { ...goodReport, proposed_goldens: ['a.png'] };
    expect(await run(inlineScript('', globs))).toMatchObject({ outcome: 'completed', requiredArtifacts: [] });
    expect(
      (await run(inlineScript(writes('harness_report.json', report), globs))).harnessReport?.proposals,
    ).toBe(1);
    expect((await run(inlineScript('', globs))).harnessReport).toBeNull();
    expect((await run(inlineScript('fs.writeFileSync("harness_report.json", "{")', globs))).outcome).toBe(
      'completed',
    );
  });

  it('may be several, which count as one', async () => {
    const globs = { artifacts: ['*harness_report.json'] };
    const failing = { ...goodReport, suite_id: 'second', cases: [{ id: 'b', status: 'failed' }] };
    const code =
      writes('a_harness_report.json', { ...goodReport, proposed_goldens: ['a.png'] }) +
      writes('b_harness_report.json', { ...failing, proposed_goldens: ['b.png'] });
    const result = await run(inlineScript(code, globs));
    expect(result).toMatchObject({
      outcome: 'completed',
      harnessReport: { proposals: 2, value: { proposed_goldens: ['a.png', 'b.png'] } },
    });
    expect(result.harnessReport?.value.cases).toEqual([...goodReport.cases, ...failing.cases]);
    const stored = JSON.parse(await readFile(result.harnessReport?.path ?? '', 'utf8')) as unknown;
    expect(stored).toEqual(result.harnessReport?.value);
    expect(result.artifacts.map(({ path }) => path)).toContain(result.harnessReport?.path);
  });

  it('by another name is read where the author says that it may propose goldens', async () => {
    const report = { ...goodReport, proposed_goldens: ['a.png'] };
    const named = { artifacts: ['result.json'] };
    expect((await run(inlineScript(writes('result.json', report), named))).harnessReport).toBeNull();
    const proposing = { ...named, mayProposeGoldens: true };
    expect((await run(inlineScript(writes('result.json', report), proposing))).harnessReport?.proposals).toBe(
      1,
    );
  });
});
