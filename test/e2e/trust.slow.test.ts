import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { listFiles } from '../../testing/git-repo.ts';
import { envelope } from '../unit/planner/envelope-builder.ts';
import { cloneHostile, type HostileClone, type HostileOptions } from './hostile-repository.ts';
import { runInProcess } from './in-process.ts';
import { onTerminal } from './on-terminal.ts';

const ENVELOPE = envelope({}, { evaluate_prompt: 'planner.evaluate_results.v1' });

const test = base.extend<{ clone: (options?: HostileOptions) => Promise<HostileClone> }>({
  clone: async ({ task: _task }, use) => {
    const made: HostileClone[] = [];
    try {
      await use(async (options) => {
        const clone = await cloneHostile(options);
        made.push(clone);
        return clone;
      });
    } finally {
      for (const { cli, cleanup } of made) {
        await cli.endAll();
        await cleanup();
      }
    }
  },
});

/** Everything that a command must leave alone, without `git status`, which would obey the settings that this is about. */
async function seen({ root, home }: HostileClone) {
  return {
    config: await readFile(join(root, '.git/config'), 'utf8'),
    head: await readFile(join(root, '.git/HEAD'), 'utf8'),
    index: createHash('sha256')
      .update(await readFile(join(root, '.git/index')))
      .digest('hex'),
    refs: await listFiles(join(root, '.git/refs')),
    files: await listFiles(root),
    records: await listFiles(join(root, '.tnh/run')),
    home: await listFiles(home),
  };
}

/** Verbs that look: they need no yes, execute nothing and change nothing. */
const LOOKING: readonly (readonly string[])[] = [
  ['doctor'],
  ['validate', '.tnh/workflows/evil.yaml', '.tnh/config.yaml'],
  ['validate', '--prove', '.tnh/workflows/evil.yaml'],
  ['graph', '.tnh/workflows/evil.yaml'],
  ['crashtest', '.tnh/workflows/evil.yaml'],
  ['schema', 'workflow'],
  ['explain', 'WF007'],
  ['runs'],
  ['status'],
  ['gates'],
  ['show', 'RUN'],
  ['status', 'RUN'],
  ['logs', 'RUN'],
  ['diff', 'RUN'],
  ['goldens', 'RUN'],
  ['verify', 'RUN'],
  ['replay', 'RUN'],
  ['undo', 'RUN', '--list'],
  ['worktree', 'list'],
  ['clean', '--dry-run'],
  ['worktree', 'prune', '--dry-run'],
  ['policy', 'command', '--', 'git status'],
  ['scope', '--item', 'docs/specs/a.md', '--patch', 'suite.yaml'],
  ['work', 'list'],
  ['work', 'show', '1'],
  ['work', 'lint', 'docs/specs/a.md'],
  ['vectors'],
  ['trust', '--list'],
  ['completion', 'bash'],
];

/** Verbs that execute what the repository says: each is refused with exit code 2 and the command that says yes. */
const EXECUTING: readonly (readonly string[])[] = [
  ['run', 'evil'],
  ['run', 'implement', '--input', 'task=x'],
  ['run', '.tnh/workflows/evil.yaml', '--detach'],
  ['resume', 'RUN'],
  ['cancel', 'RUN'],
  ['approve', 'RUN', '--resume'],
  ['harness', 'run', 'suite.yaml'],
  ['agents', 'test', 'coder'],
  ['agents', 'test', 'claude-code'],
  ['evaluate', '--input', 'ENVELOPE', '--planner', 'model:m'],
  ['work', 'plan'],
  ['work', 'dispatch', '--all'],
  ['work', 'review', '1'],
  ['work', 'watch'],
  ['work', 'merge', '1'],
  ['work', 'transition', '1', 'pending'],
];

test('no command that only reads executes, leaks or changes anything in a hostile repository', async ({
  clone,
}) => {
  const hostile = await clone();
  const before = await seen(hostile);
  for (const argv of LOOKING) {
    const args = argv.map((word) => (word === 'RUN' ? hostile.runId : word));
    const { code, stderr, stdout } = await hostile.cli.run([...args, '--no-input']);
    expect([0, 1, 2], `${args.join(' ')}: ${stderr}`).toContain(code);
    expect(stderr + stdout).not.toContain('not trusted with this');
    expect(stderr).not.toContain('internal error');
    expect(stdout + stderr).not.toContain('ghp_secret');
    expect({ args, traces: hostile.traces() }).toEqual({ args, traces: [] });
  }
  expect(await seen(hostile)).toEqual(before);
});

test('each command that executes is refused before anything runs, with the command that grants trust', async ({
  clone,
}) => {
  const hostile = await clone();
  const given = join(hostile.home, 'envelope.json');
  await writeFile(given, JSON.stringify(ENVELOPE));
  const before = await seen(hostile);
  for (const argv of EXECUTING) {
    const args = argv.map((word) => (word === 'RUN' ? hostile.runId : word === 'ENVELOPE' ? given : word));
    const { code, stderr, stdout } = await runInProcess(args, hostile.cliOptions);
    expect({ args, code, stderr }).toMatchObject({ code: 2 });
    expect(stdout).toBe('');
    expect(stderr).toContain('nothing was executed or changed');
    expect(stderr).toMatch(/trust it with conductor .*--trust/);
    expect({ args, traces: hostile.traces() }).toEqual({ args, traces: [] });
  }
  expect(await seen(hostile)).toEqual(before);
});

const RUN = ['run', '.tnh/workflows/evil.yaml', '--no-baseline'];

test('a yes trusts what was shown, a change is shown as a difference, and --revoke withdraws the trust', async ({
  clone,
}) => {
  const hostile = await clone({ userConfig: 'planner: { kind: rules }\n' });
  const { cli, root } = hostile;
  const trusted = await cli.run(['trust']);
  expect(trusted).toMatchObject({ code: 0 });
  for (const shown of ['gets the variables GITHUB_TOKEN', 'with the key in GITHUB_TOKEN', 'runs evil/check'])
    expect(trusted.stdout).toContain(shown);
  expect((await cli.run(['trust', '--list'])).stdout).toContain(root);
  expect(hostile.traces()).toEqual([]);
  await cli.run(RUN);
  expect(hostile.traces()).toEqual(expect.arrayContaining(['agent', 'notify', 'setup', 'validator']));

  const config = join(root, '.tnh/config.yaml');
  await writeFile(config, (await readFile(config, 'utf8')).replace('/agent"', '/agent; true"'));
  const changed = await cli.run(RUN);
  expect(changed.code).toBe(2);
  expect(changed.stderr).toMatch(/^ {4}- coder: .*\/agent"; gets/m);
  expect(changed.stderr).toMatch(/^ {4}\+ coder: .*\/agent; true"; gets/m);
  expect(changed.stderr).not.toContain('tests:');
  expect(await cli.run([...RUN, '--trust'])).not.toMatchObject({ code: 2 });
  expect(await cli.run(RUN)).not.toMatchObject({ code: 2 });

  expect(await cli.run(['trust', '--revoke'])).toMatchObject({ code: 0 });
  const revoked = await cli.run(RUN);
  expect(revoked).toMatchObject({ code: 2 });
  expect(revoked.stderr).toContain('Runs have ended here before.');
});

test('only the user can trust folders permanently, and only while the setting exists', async ({ clone }) => {
  const hostile = await clone({ userConfig: 'trusted: ["~/../clone"]\n' });
  expect(await hostile.cli.run(RUN)).toMatchObject({ code: 2 });
  const user = join(hostile.home, '.config/conductor/config.yaml');
  await writeFile(user, `trusted: ["${join(hostile.root, '..')}/*"]\n`);
  expect(await hostile.cli.run(RUN)).not.toMatchObject({ code: 2 });
  expect(hostile.traces()).toContain('agent');
  await writeFile(user, '');
  expect(await hostile.cli.run(RUN)).toMatchObject({ code: 2 });
  expect((await hostile.cli.run(['trust', '--list'])).stdout).toBe('');
  const own = join(hostile.root, '.tnh/config.yaml');
  await writeFile(own, `${await readFile(own, 'utf8')}trusted: ["/**"]\nanswers: any\n`);
  expect(await hostile.cli.run(RUN)).toMatchObject({ code: 2 });
  expect(await hostile.cli.run(RUN, { env: { CONDUCTOR_TRUST: '1' } })).not.toMatchObject({ code: 2 });
});

test('a user at a terminal sees what would run, and is asked', async ({ clone }) => {
  const hostile = await clone({ userConfig: 'planner: { kind: rules }\n' });
  const no = await onTerminal(hostile, RUN, 'n');
  expect(no.output).toContain('with the key in GITHUB_TOKEN');
  expect(no.output).toContain('Do you trust');
  expect(no.code).toBe(2);
  expect(hostile.traces()).toEqual([]);
  const yes = await onTerminal(hostile, RUN, 'y');
  expect(yes.code).not.toBe(2);
  expect(hostile.traces()).toContain('agent');
  expect(await hostile.cli.run(RUN)).not.toMatchObject({ code: 2 });
});

/** An endpoint of the repository that keeps what it is sent. */
async function listen(): Promise<{ readonly url: string; readonly sent: string[]; readonly server: Server }> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    sent.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, server };
}

test("a token of the user goes to the repository's endpoint only after a yes that names both", async ({
  clone,
}) => {
  const { url, sent, server } = await listen();
  try {
    const hostile = await clone({ endpoint: url });
    const given = join(hostile.home, 'envelope.json');
    await writeFile(given, JSON.stringify(ENVELOPE));
    const ask = ['evaluate', '--input', given, '--planner', 'model:m'];
    const refused = await hostile.cli.run(ask);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`${url}/v1, model m, with the key in GITHUB_TOKEN`);
    expect(sent).toEqual([]);
    await hostile.cli.run([...ask, '--trust']);
    expect(sent[0]).toContain('ghp_secret_of_the_user');
  } finally {
    server.close();
  }
});

test("a repository's `sandbox: off` does not loosen the user's `sandbox: required`, whatever was said yes to", async ({
  clone,
}) => {
  const hostile = await clone({ userConfig: 'sandbox: required\nplanner: { kind: rules }\n' });
  const { cli } = hostile;
  await cli.run(['trust']);
  const doctor = JSON.parse((await cli.run(['doctor', '--json'])).stdout) as {
    readonly findings: readonly { readonly name: string; readonly detail: string }[];
  };
  const sandbox = doctor.findings.find(({ name }) => name === 'sandbox');
  expect(sandbox?.detail).not.toContain('switches the sandbox off');
  // Without a program that can make one, the run is refused instead.
  const without = await cli.run(RUN, { env: { PATH: await pathWithout(hostile, 'bwrap') } });
  expect(without).toMatchObject({ code: 2 });
  expect(without.stderr).toContain('the configuration requires a sandbox');
  expect(hostile.traces()).not.toContain('validator');
});

/** A folder with the programs that conductor needs here, and without one of them. */
async function pathWithout({ home }: HostileClone, missing: string): Promise<string> {
  const { execFileSync } = await import('node:child_process');
  const { mkdir, symlink } = await import('node:fs/promises');
  const folder = join(home, `without-${missing}`);
  await mkdir(folder);
  for (const name of ['git', 'sh', 'node'])
    await symlink(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
  return folder;
}

test('what init wrote is trusted, and what stood there before is not', async ({ clone }) => {
  const hostile = await clone();
  await hostile.cli.run(['init']);
  expect(await hostile.cli.run(RUN)).toMatchObject({ code: 2 });
  expect(hostile.traces()).toEqual([]);
});
