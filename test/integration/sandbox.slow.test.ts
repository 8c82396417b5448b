import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts';
import { objectFoldersOf } from '../../src/adapters/sandbox/object-folders.ts';
import { createRootOnlyFinder } from '../../src/adapters/sandbox/root-only.ts';
import type { Confinement } from '../../src/ports/sandbox.ts';
import type { ProcessResult, ProcessSpec } from '../../src/ports/supervisor.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { sandboxHere } from './sandbox-here.ts';

const node = process.execPath;
let folder: string;
let work: string;
let home: string;
let marks = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor sandbox ')));
  work = join(folder, 'work tree');
  home = join(folder, 'home');
  for (const path of [work, home, join(folder, 'other')]) await mkdir(path);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface SandboxedSpec extends Partial<Omit<ProcessSpec, 'confinement'>> {
  readonly confinement?: Partial<Confinement>;
  readonly searchPath?: string;
}

function runSandboxed(
  argv: readonly [string, ...string[]],
  change: SandboxedSpec = {},
): Promise<ProcessResult> {
  marks += 1;
  const { confinement, searchPath = process.env.PATH ?? '', ...spec } = change;
  const sandbox = createBubblewrap({
    command: sandboxHere.ok ? sandboxHere.command : ['bwrap'],
    home,
    tempFolder: tmpdir(),
    searchPath,
    resolveProgram,
    privateBytes: 16_000_000,
    rootOnly: createRootOnlyFinder(),
  });
  return createSupervisor({ sandbox, secrets: [] }).run({
    argv,
    cwd: work,
    env: { PATH: searchPath, HOME: home },
    stdin: null,
    stdoutPath: join(folder, 'stdout.txt'),
    stderrPath: join(folder, 'stderr.txt'),
    captureLimitBytes: 1_000_000,
    timeoutMs: 20_000,
    idleTimeoutMs: null,
    graceMs: 400,
    mark: `sandbox-${process.pid}-${marks}`,
    signal: null,
    onStop: null,
    onLine: null,
    ...spec,
    confinement: { writable: [work], readable: [], hidden: [], network: 'allow', ...confinement },
  });
}

const sh = (line: string, change?: SandboxedSpec): Promise<ProcessResult> =>
  runSandboxed(['sh', '-c', line], change);

const said = (): string => readFileSync(join(folder, 'stdout.txt'), 'utf8');

describe.runIf(sandboxHere.ok)('a process in the sandbox', () => {
  it('writes in its worktree, and what it writes is there afterwards', async () => {
    const { end } = await sh('pwd && echo new > made.txt');
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(said()).toBe(`${work}\n`);
    expect(await readFile(join(work, 'made.txt'), 'utf8')).toBe('new\n');
  });

  it.each([
    ['a file beside the checkout', 'echo x > "../other/file"', 'other/file'],
    ['a file of the home', 'echo x > "$HOME/.profile"', 'home/.profile'],
    ['what a link leads to', 'ln -s "../other" out; echo x > out/file', 'other/file'],
    ['a temporary file of others', 'echo x > /tmp/conductor-sandbox-escape', '../conductor-sandbox-escape'],
  ])('leaves no trace outside: %s', async (_, line, trace) => {
    await sh(line);
    expect(existsSync(join(folder, trace))).toBe(false);
  });

  it.each(['/etc/conductor-escape', '/usr/conductor-escape', '/conductor-escape'])(
    'is refused a write to the system: %s',
    async (path) => {
      const { end } = await sh(`echo x > ${path}`);
      expect(end).not.toEqual({ kind: 'exited', exitCode: 0 });
      expect(existsSync(path)).toBe(false);
    },
  );

  it.each(['/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory'])(
    'can say nothing about how the machine works, even as root: %s',
    async (path) => {
      // The value is the current one: nothing changes if the sandbox does not work.
      const { end } = await sh(`value=$(cat ${path}) && printf %s "$value" > ${path}`);
      expect(end).not.toEqual({ kind: 'exited', exitCode: 0 });
      expect(readFileSync(join(folder, 'stderr.txt'), 'utf8')).toMatch(/read-only|permission denied/i);
    },
  );

  it.each([
    ['the home itself', async () => home],
    [
      'a folder .bin at its top',
      async () => {
        await mkdir(join(home, '.bin'));
        return join(home, '.bin');
      },
    ],
    [
      'a link to the home',
      async () => {
        await symlink(home, join(home, 'me'));
        return join(home, 'me');
      },
    ],
    [
      'a folder with links to scripts beside logins',
      async () => {
        const bin = join(home, 'bin');
        await mkdir(bin);
        for (const name of ['.config/tool.sh', 'papers/tool.sh', '.ssh/tool.sh'])
          await symlink(join('..', name), join(bin, name.replaceAll('/', '-')));
        return bin;
      },
    ],
  ])('does not see the home where the PATH has %s', async (_, make) => {
    for (const name of ['.ssh', '.config', 'papers']) {
      await mkdir(join(home, name));
      await writeFile(join(home, name, 'login'), 'mine\n');
      await writeFile(join(home, name, 'tool.sh'), 'echo tool\n', { mode: 0o755 });
    }
    const searchPath = `${await make()}:${process.env.PATH}`;
    await sh('cat "$HOME"/.ssh/login "$HOME"/.config/login "$HOME"/papers/login 2>&1; ls -A "$HOME"/papers', {
      searchPath,
    });
    expect(said()).not.toContain('mine');
  });

  it('does not see the files beside a script in a named settings folder', async () => {
    await mkdir(join(home, '.config'));
    await writeFile(join(home, '.config', 'login'), 'mine\n');
    const script = join(home, '.config', 'agent.sh');
    await writeFile(script, '#!/bin/sh\necho started; cat "$HOME/.config/login"\n', { mode: 0o755 });
    await runSandboxed([script]);
    expect(said()).toBe('started\n');
  });

  it('has a home and a temporary folder of its own to write in', async () => {
    await writeFile(join(home, '.netrc'), 'password');
    const { end } = await sh('test ! -e "$HOME/.netrc" && echo 1 > "$HOME/x" && echo 2 > /tmp/y && mktemp');
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
  });

  it('sees of the home what is declared, to be read or to be written', async () => {
    await writeFile(join(home, '.login'), 'me\n');
    await mkdir(join(home, '.state'));
    const confinement = {
      readable: [join(home, '.login'), join(home, '.missing')],
      writable: [work, join(home, '.state')],
    };
    const { end } = await sh('cat ~/.login && echo s > ~/.state/s && ! echo x >> ~/.login', { confinement });
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(said()).toBe('me\n');
    expect(await readFile(join(home, '.login'), 'utf8')).toBe('me\n');
    expect(await readFile(join(home, '.state', 's'), 'utf8')).toBe('s\n');
  });

  it('finds programs that the PATH leads to inside the home, with the library beside them', async () => {
    for (const name of ['tools/bin', 'tools/lib', 'tools/private'])
      await mkdir(join(home, name), { recursive: true });
    await writeFile(join(home, 'tools/lib/word'), 'found\n');
    await writeFile(
      join(home, 'tools/bin/say'),
      `#!/bin/sh\ncat "${home}/tools/lib/word"\nls "${home}/tools"\n`,
      { mode: 0o755 },
    );
    const { end } = await runSandboxed(['say'], {
      searchPath: `${join(home, 'tools/bin')}:${process.env.PATH ?? ''}`,
    });
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(said()).toBe('found\nbin\nlib\n');
  });

  it('finds programs that are links on the PATH, and the packages around them', async () => {
    const packages = join(home, 'app/node_modules');
    for (const name of ['.bin', 'tool/lib']) await mkdir(join(packages, name), { recursive: true });
    await writeFile(join(packages, 'tool/lib/word'), 'package\n');
    await writeFile(
      join(packages, 'tool/run'),
      '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/lib/word"\n',
      {
        mode: 0o755,
      },
    );
    await symlink('../tool/run', join(packages, '.bin/tool'));
    await mkdir(join(home, 'bin'));
    await mkdir(join(home, 'elsewhere'));
    await writeFile(join(home, 'elsewhere/prog'), '#!/bin/sh\necho linked\n', { mode: 0o755 });
    await symlink(join(home, 'elsewhere/prog'), join(home, 'bin/prog'));
    const searchPath = `${join(packages, '.bin')}:${join(home, 'bin')}:${process.env.PATH ?? ''}`;
    await sh('tool; prog', { searchPath });
    expect(said()).toBe('package\nlinked\n');
  });

  it('finds the script that it was given by name, with its neighbours', async () => {
    await writeFile(join(folder, 'other', 'a.mjs'), "import './b.mjs'");
    await writeFile(join(folder, 'other', 'b.mjs'), 'console.log("neighbour")');
    await runSandboxed([node, join(folder, 'other', 'a.mjs')]);
    expect(said()).toBe('neighbour\n');
  });

  it('sees package stores only where it has no network to fetch from', async () => {
    await mkdir(join(home, '.cargo/registry'), { recursive: true });
    await writeFile(join(home, '.cargo/credentials.toml'), 'token');
    const look = 'ls -A ~/.cargo 2> /dev/null; true';
    await sh(look, { confinement: { network: 'deny' } });
    expect(said()).toBe('registry\n');
    await sh(look, { confinement: { network: 'allow' } });
    expect(said()).toBe('');
  });

  it('sees a hidden folder empty but for what is named in it', async () => {
    for (const run of ['mine', 'theirs'])
      await mkdir(join(folder, 'runs', run, 'harness'), { recursive: true });
    const mine = join(folder, 'runs', 'mine');
    const confinement = {
      hidden: [join(folder, 'runs')],
      readable: [folder, mine],
      writable: [work, join(mine, 'harness')],
    };
    const { end } = await sh('ls ../runs; echo x > ../runs/mine/harness/x && ! echo x > ../runs/mine/x', {
      confinement,
    });
    expect(said()).toBe('mine\n');
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(existsSync(join(mine, 'harness', 'x'))).toBe(true);
  });

  it('may only read a checkout that is not its to change', async () => {
    const { end } = await sh('echo x > made.txt', { confinement: { writable: [], readable: [work] } });
    expect(end).not.toEqual({ kind: 'exited', exitCode: 0 });
    expect(existsSync(join(work, 'made.txt'))).toBe(false);
  });

  it('has no capabilities, even as root, and can make nothing writable again', async () => {
    const { end } = await sh(
      'grep CapEff /proc/self/status; mount -o remount,rw / 2> /dev/null || unshare -Urm mount -o remount,bind,rw / 2> /dev/null',
    );
    expect(said()).toMatch(/^CapEff:\s+0+\n$/);
    expect(end).not.toEqual({ kind: 'exited', exitCode: 0 });
  });

  it('sees no processes but its own, and so not the environment of the conductor', async () => {
    await sh('ls /proc | grep -c "^[0-9]"; cat /proc/*/environ');
    expect(Number(said().split('\n')[0])).toBeLessThan(10);
    expect(said()).not.toContain('VITEST');
  });

  it('reaches a port of this machine with the network, and not without', async () => {
    const server = createServer((socket) => socket.end('hello'));
    onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
    await new Promise<void>((up) => void server.listen(0, '127.0.0.1', up));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const dial = `require('node:net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
    await runSandboxed([node, '-e', dial], { confinement: { network: 'allow' } });
    expect(said()).toBe('hello\n');
    await runSandboxed([node, '-e', dial], { confinement: { network: 'deny' } });
    expect(said()).toBe('ECONNREFUSED\n');
  });

  it('can talk to itself without a network', async () => {
    const talk = `const s = require('node:net').createServer((c) => c.end('me')).listen(0, '127.0.0.1', () => require('node:net').connect(s.address().port, '127.0.0.1').on('data', (d) => { console.log(String(d)); process.exit(0) }))`;
    await runSandboxed([node, '-e', talk], { confinement: { network: 'deny' } });
    expect(said()).toBe('me\n');
  });
});

describe.runIf(sandboxHere.ok)('git in the sandbox', () => {
  it('works with git in a repository that borrows objects, and reaches nothing else of the lender', async () => {
    const repo = await makeRepo({ files: { 'a.txt': 'a\n' }, commit: true });
    onTestFinished(repo.cleanup);
    const own = join(folder, 'own');
    await repo.git('clone', '--quiet', '--shared', repo.root, own);
    const confinement = {
      writable: [own],
      readable: await objectFoldersOf(join(repo.root, '.git')),
      hidden: [repo.root],
    };
    const identity = '-c user.name=x -c user.email=x@example.com';
    const work = `echo b > a.txt && git status --short && git diff --stat && git ${identity} commit -qam b && git log --oneline | wc -l`;
    expect((await sh(work, { cwd: own, confinement })).end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(said()).toMatch(/^ M a\.txt\n a\.txt \| 2 \+-\n.*\n2\n$/);
    for (const line of [
      `cat "${repo.root}/a.txt"`,
      `git -C "${repo.root}" branch another`,
      `cat "${repo.root}/.git/config"`,
      `echo x > "${repo.root}/.git/hooks/pre-commit"`,
      `rm -r "${repo.root}/.git/objects/info"`,
      'git push -q origin HEAD:refs/heads/another',
    ])
      expect((await sh(line, { cwd: own, confinement })).end, line).not.toEqual({
        kind: 'exited',
        exitCode: 0,
      });
    expect(await repo.git('status', '--short')).toBe('');
    expect(await repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
  });
});

describe('the object folders of a repository', () => {
  it('are its own and those that it borrows from, however far', async () => {
    const lender = await makeRepo({ files: { 'a.txt': 'a\n' }, commit: true });
    onTestFinished(lender.cleanup);
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await lender.git('clone', '--quiet', '--shared', lender.root, first);
    await lender.git('clone', '--quiet', '--shared', first, second);
    expect(await objectFoldersOf(join(second, '.git'))).toEqual(
      [second, first, lender.root].map((root) => join(root, '.git/objects')),
    );
  });

  it('are found once when two repositories borrow from each other', async () => {
    const [one, other] = [join(folder, 'one/objects'), join(folder, 'two/objects')];
    for (const [own, borrowed] of [
      [one, other],
      [other, one],
    ] as const) {
      await mkdir(join(own, 'info'), { recursive: true });
      await writeFile(join(own, 'info/alternates'), `# borrowed\n${borrowed}\n`);
    }
    expect(await objectFoldersOf(join(folder, 'one'))).toEqual([one, other]);
  });
});

describe.runIf(sandboxHere.ok)('supervision of a process in the sandbox', () => {
  const alive = (word: string): boolean => said().includes(word);

  it.each([
    ['process.exit(7)', { kind: 'exited', exitCode: 7 }],
    ['process.kill(process.pid, "SIGKILL")', { kind: 'exited', exitCode: 137 }],
  ])('reports how it ended: %s', async (script, end) => {
    expect((await runSandboxed([node, '-e', script])).end).toEqual(end);
  });

  it.each([
    ['no-such-command', 'command not found: no-such-command'],
    ['./missing', 'no such program: ./missing'],
  ])('reports that there is no program %s', async (program, message) => {
    expect((await runSandboxed([program])).end).toMatchObject({ kind: 'spawn_failed', message });
  });

  it('asks it to exit before it signals its process', async () => {
    const script =
      'process.on("SIGTERM", () => { console.log("last word"); process.exit(0) }); setInterval(() => {}, 1000); console.log("up")';
    const { end } = await runSandboxed([node, '-e', script], { timeoutMs: 3000, graceMs: 60_000 });
    expect(end).toEqual({ kind: 'timeout' });
    expect(said()).toBe('up\nlast word\n');
  });

  it('kills what ignores that, in silence', async () => {
    const script =
      'process.on("SIGTERM", () => console.log("no")); console.log("up"); setInterval(() => {}, 1000)';
    const { end } = await runSandboxed([node, '-e', script], { idleTimeoutMs: 3000 });
    expect(end).toEqual({ kind: 'idle' });
    expect(alive('no')).toBe(true);
  });

  it('leaves no daemon behind, even one without environment in a session of its own', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => require("node:fs").appendFileSync("beat", "x"), 10)'], { stdio: 'ignore', env: {}, detached: true });
      child.unref();
      const poll = setInterval(() => { if (require('node:fs').existsSync('beat')) process.exit(0) }, 10);`;
    const { end } = await runSandboxed([node, '-e', script]);
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    const beats = readFileSync(join(work, 'beat'), 'utf8').length;
    await runSandboxed([node, '-e', 'setTimeout(() => {}, 100)']);
    expect(readFileSync(join(work, 'beat'), 'utf8')).toHaveLength(beats);
  });

  it('gives it the prompt and takes its output', async () => {
    await sh('cat; echo err >&2', { stdin: 'the prompt\n' });
    expect(said()).toBe('the prompt\n');
    expect(readFileSync(join(folder, 'stderr.txt'), 'utf8')).toBe('err\n');
  });
});

describe.runIf(sandboxHere.ok)('a path with a link in it', () => {
  it('that is the checkout is shown', async () => {
    await symlink(work, join(folder, 'link'));
    const { end } = await sh('echo x > made.txt', {
      cwd: join(folder, 'link'),
      confinement: { writable: [work, join(folder, 'link')] },
    });
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(existsSync(join(work, 'made.txt'))).toBe(true);
  });

  it('that is declared is shown by its own name, whatever it leads to', async () => {
    await writeFile(join(folder, 'other', 'login'), 'me\n');
    await symlink(join(folder, 'other'), join(home, '.tool'));
    await sh('cat ~/.tool/login', { confinement: { readable: [join(home, '.tool')] } });
    expect(said()).toBe('me\n');
  });
});

describe.runIf(sandboxHere.ok)('a program of the checkout', () => {
  it('does not make its own folder unwritable', async () => {
    await mkdir(join(work, 'tools'));
    await writeFile(join(work, 'tools', 'agent'), '#!/bin/sh\necho x > tools/made.txt\n', { mode: 0o755 });
    const { end } = await runSandboxed([join(work, 'tools', 'agent')]);
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(existsSync(join(work, 'tools', 'made.txt'))).toBe(true);
  });
});
