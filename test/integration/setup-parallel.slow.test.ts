import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SetupConfig } from '../../src/contracts/config/setup-config.ts';
import type { SetupResult } from '../../src/ports/workspace/setup.ts';
import { expectOk, makeScene, type SetupScene } from './setup-fixture.ts';

const WORKER = join(import.meta.dirname, 'setup-worker.mjs');

const setup = (change: Partial<SetupConfig> = {}): SetupConfig => ({
  run: [['node', 'tools/install.mjs']],
  cache: { key: ['deps.lock'], paths: ['node_modules'] },
  copy: [],
  ports: 0,
  timeout: '15m',
  ...change,
});

/** Many small files, so that storing them takes a while. */
const INSTALL = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.HOME + '/installs', 'x');
for (let each = 0; each < 800; each += 1) {
  mkdirSync('node_modules/p' + each, { recursive: true });
  writeFileSync('node_modules/p' + each + '/index.js', 'module.exports = ' + each + ';');
}
console.log('done');
`;

const FILES = { 'deps.lock': 'one', 'tools/install.mjs': INSTALL };

function startWorker(argument: object): { child: ChildProcess; lines: AsyncIterableIterator<string> } {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('no output');
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

function depsOf(scene: SetupScene, config = setup()) {
  const { user, cacheFolder, root } = scene;
  return {
    setup: config,
    timeoutMs: 60_000,
    repoRoot: user,
    cacheFolder,
    portsFolder: join(root, 'state/ports'),
  };
}

async function nextResult(lines: AsyncIterableIterator<string>): Promise<SetupResult> {
  for await (const line of lines) if (line.startsWith('{')) return JSON.parse(line) as SetupResult;
  throw new Error('the process ended without a result');
}

/** The checkouts of several runs. */
async function makeRuns(scene: SetupScene, count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const stateDir = join(scene.root, `state/shop-0123/run-${index}`);
      const checkout = join(stateDir, 'work');
      await mkdir(checkout, { recursive: true });
      await scene.write(checkout, FILES);
      return scene.request(checkout, { stateDir, evidenceDir: join(stateDir, 'evidence') });
    }),
  );
}

/** How many packages there are, and what is in the last one. */
async function contentsOf(checkout: string): Promise<readonly [number, string]> {
  const modules = join(checkout, 'node_modules');
  return [(await readdir(modules)).length, await readFile(join(modules, 'p799/index.js'), 'utf8')];
}

const WHOLE = [800, 'module.exports = 799;'];

describe('several processes that prepare the same digest at once', () => {
  it('all get the whole result, and the commands run once', async () => {
    const scene = await makeScene();
    const requests = await makeRuns(scene, 5);
    const results = await Promise.all(
      requests.map((request) => nextResult(startWorker({ deps: depsOf(scene), request }).lines)),
    );
    expect(results.filter((result) => expectOk(result).cacheHit)).toHaveLength(4);
    for (const { checkout } of requests) expect(await contentsOf(checkout)).toEqual(WHOLE);
    expect(await readFile(join(scene.root, 'home/installs'), 'utf8')).toBe('x');
    const left = (await readdir(scene.cacheFolder)).filter((name) => name.startsWith('.'));
    expect(left).toEqual([]);
  });
});

describe('a process that is killed with SIGKILL', () => {
  it('while its commands run leaves nothing that is used', async () => {
    const scene = await makeScene();
    const [first, second] = await makeRuns(scene, 2);
    if (first === undefined || second === undefined) throw new Error('no runs');
    const slow = `${INSTALL}\nawait new Promise((resolve) => setTimeout(resolve, 3000));\n`;
    await scene.write(first.checkout, { 'tools/install.mjs': slow });
    await scene.write(second.checkout, { 'tools/install.mjs': slow });
    const { child, lines } = startWorker({ deps: depsOf(scene), request: first });
    expect((await lines.next()).value).toBe('line done');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const checkouts = scene.setup(setup());
    // The other process takes the lock over once its holder stopped touching it.
    expect(expectOk(await checkouts.prepare(second)).cacheHit).toBe(false);
    expect(await contentsOf(second.checkout)).toEqual(WHOLE);
    expect(expectOk(await checkouts.prepare(first)).cacheHit).toBe(true);
    expect(await contentsOf(first.checkout)).toEqual(WHOLE);
  });

  it.each([0, 20, 60])('%i ms after it began to store a result leaves none or a whole one', async (ms) => {
    const scene = await makeScene();
    const [first, second] = await makeRuns(scene, 2);
    if (first === undefined || second === undefined) throw new Error('no runs');
    const { child } = startWorker({ deps: depsOf(scene), request: first });
    const isStoring = async () =>
      (await readdir(scene.cacheFolder).catch((): string[] => [])).some((name) =>
        name.startsWith('.unfinished'),
      );
    while (child.exitCode === null && !(await isStoring())) await delay(2);
    await delay(ms);
    child.kill('SIGKILL');
    if (child.exitCode === null) await once(child, 'exit');
    await rm(
      join(
        scene.cacheFolder,
        (await readdir(scene.cacheFolder)).find((name) => name.startsWith('.lock')) ?? 'no',
      ),
      { force: true },
    );
    const checkouts = scene.setup(setup());
    expectOk(await checkouts.prepare(second));
    expect(await contentsOf(second.checkout)).toEqual(WHOLE);
    expectOk(await checkouts.restore(first));
    expect(await contentsOf(first.checkout)).toEqual(WHOLE);
  });
});

describe('ports', () => {
  const portsOf = async (lines: AsyncIterableIterator<string>) =>
    JSON.parse(String((await lines.next()).value)) as number[];

  it('of runs in several processes never overlap', async () => {
    const scene = await makeScene();
    const config = setup({ ports: 200 });
    const workers = await Promise.all(
      Array.from({ length: 4 }, async (_, process) => {
        const ports = [];
        for (let each = 0; each < 10; each += 1) {
          const workspace = join(scene.root, `state/shop-0123/p${process}-${each}`);
          await mkdir(workspace, { recursive: true });
          ports.push({ runId: `p${process}-${each}`, workspace });
        }
        return startWorker({ deps: depsOf(scene, config), ports });
      }),
    );
    const firsts = (await Promise.all(workers.map(({ lines }) => portsOf(lines))))
      .flat()
      .sort((a, b) => a - b);
    expect(firsts).toHaveLength(40);
    for (const [index, first] of firsts.entries())
      expect(first - (firsts[index - 1] ?? 0)).toBeGreaterThanOrEqual(200);
  });

  it('stay those of their run, and are free once the workspace is removed, released or its process is gone', async () => {
    const scene = await makeScene();
    const checkouts = scene.setup({ ports: 3 });
    const request = { runId: 'a', workspace: scene.work };
    const first = await checkouts.reservePorts(request);
    const server = createServer().listen(first ?? 0, '127.0.0.1');
    await once(server, 'listening');
    expect(await checkouts.reservePorts(request)).toBe(first);
    server.close();
    await once(server, 'close');
    const file = join(scene.root, 'state/ports/a.json');
    expect(existsSync(file)).toBe(true);
    await checkouts.releasePorts('a');
    expect(existsSync(file)).toBe(false);

    const { child, lines } = startWorker({
      deps: depsOf(scene, setup({ ports: 16_000 })),
      ports: [{ runId: 'all', workspace: scene.work }],
    });
    await portsOf(lines);
    await expect(checkouts.reservePorts(request)).rejects.toThrow('no 3 consecutive free ports');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await checkouts.reservePorts(request)).toEqual(expect.any(Number));
  });

  it('are not reserved when the configuration asks for none', async () => {
    const { setup: make, work } = await makeScene();
    expect(await make({ ports: 0 }).reservePorts({ runId: 'a', workspace: work })).toBeNull();
    expect(await make(null).reservePorts({ runId: 'a', workspace: work })).toBeNull();
  });
});
