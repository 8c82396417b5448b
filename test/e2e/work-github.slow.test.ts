import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { createWorkDatabase } from '../../src/adapters/work-local/database.ts';
import { createLocalJournal } from '../../src/adapters/work-local/journal.ts';
import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { createGitHubDouble, type GitHubDouble } from '../../testing/github/github-double.ts';
import { createCliInProcess } from './in-process.ts';
import { plan, planned } from './work-scene.ts';

const FULL_NAME = 'octo/shop';
const TOKEN_VARIABLE = 'TEST_FORGE_TOKEN';
const PLAN = plan([planned('one', 'src/one.js'), planned('two', 'src/two.js', ['one'])]);

const AGENT = `
import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync(process.env.CONDUCTOR_RESULT + '.env', JSON.stringify(process.env));
const inputs = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
const give = (value) => writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(value));
const step = process.env.CONDUCTOR_STEP_ID;
const title = inputs.item === undefined ? '' : JSON.parse(inputs.item).title;
if (step === 'plan') give(${JSON.stringify(PLAN)});
else if (step === 'review') give({ role: 'reviewer', review: { verdict: 'approve', summary: 'Read.', comments: [] } });
else {
  writeFileSync('src/' + title + '.js', 'export const ' + title + ' = 1;\\n');
  give({ role: 'implementor', outcome: 'completed', summary: 'Wrote ' + title + '.' });
}
`;

const CONFIG = (provider: string) => `agents:
  actor: { kind: command, command: [node, tools/agent.mjs], retries: 0 }
validators:
  tests: { command: [node, -e, "0"] }
work:
  provider: ${provider}
  agents: { planner: actor, implementor: actor, reviewer: actor }
  jobs: 1
`;

type Provider = 'local' | 'github';

async function openScene(provider: Provider) {
  const repo = await makeRepo({
    files: {
      '.tnh/config.yaml': CONFIG(provider),
      'tools/agent.mjs': AGENT,
      'src/zero.js': 'export const zero = 0;\n',
      'docs/specs/numbers.md': '---\nstatus: approved\n---\n\n# Numbers\n\nOne and two.\n',
    },
  });
  onTestFinished(repo.cleanup);
  const home = join(repo.root, '..', 'home');
  await mkdir(join(home, '.config/conductor'), { recursive: true });
  const double = provider === 'github' ? await openDouble(repo.root) : null;
  if (double !== null) {
    await repo.git('remote', 'add', 'origin', `${double.url}/${FULL_NAME}.git`);
    await writeFile(
      join(home, '.config/conductor/config.yaml'),
      `forge: { base_url: "${double.url}", token_env: ${TOKEN_VARIABLE} }\n`,
    );
  }
  const env = {
    CONDUCTOR_SANDBOX: 'off',
    ...(double === null ? {} : { [TOKEN_VARIABLE]: double.tokenOf('conductor-bot') }),
  };
  const cli = createCliInProcess({ cwd: repo.root, home, env });
  onTestFinished(cli.endAll);
  return { repo, cli, double, home };
}

/** GitHub on loopback whose checks pass as soon as a pull request has a head. */
async function openDouble(from: string): Promise<GitHubDouble> {
  const double = await createGitHubDouble();
  for (const login of ['octo', 'conductor-bot']) double.addUser({ login });
  await double.addRepository({ fullName: FULL_NAME, collaborators: { 'conductor-bot': 'write' }, from });
  const checked = new Set<string>();
  const checks = setInterval(() => {
    for (const { headSha } of double.findRepository(FULL_NAME).pulls.values()) {
      if (checked.has(headSha)) continue;
      checked.add(headSha);
      const status = { state: 'success', context: 'ci' };
      double
        .as('octo', 'POST', `/repos/${FULL_NAME}/statuses/${headSha}`, status)
        .catch(() => checked.delete(headSha));
    }
  }, 100);
  onTestFinished(async () => {
    clearInterval(checks);
    await double.close();
  });
  return double;
}

/** From an approved spec to two merged items; the second is built on the first. */
async function liveThrough(provider: Provider) {
  const scene = await openScene(provider);
  const work = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await scene.cli.run(['work', ...args, '--json']);
    expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  };
  await work('labels');
  await work('plan');
  await work('dispatch', '--all');
  await work('merge', '2', '--with-blockers', '--as', 'ann');
  const journal = createLocalJournal({
    database: createWorkDatabase(join(scene.repo.root, '.tnh/work/items.db')),
    clock: systemClock,
  });
  const events = await journal.read(0);
  await journal.close();
  return { ...scene, events };
}

/** What an entry says without what differs by nature: times, ids of runs and commits, addresses. */
function shapeOf({ event }: JournalEntry): string {
  const names = Object.entries(event)
    .map(([name, value]) =>
      typeof value === 'object' && value !== null
        ? `${name}{${Object.keys(value).toSorted().join(' ')}}`
        : name,
    )
    .sort();
  const to = event.type === 'status_changed' ? ` ${event.from} > ${event.to} by ${event.by}` : '';
  return `${event.type}${to} ${names.join(' ')}`;
}

describe('work items on both providers', { timeout: 600_000 }, () => {
  it('lead from a spec to merged work with the same script, and their journals have the same shape', async () => {
    const local = await liveThrough('local');
    const github = await liveThrough('github');
    expect(github.events.map(shapeOf)).toEqual(local.events.map(shapeOf));
    for (const { repo } of [local, github])
      expect(await repo.git('show', 'main:src/two.js')).toBe('export const two = 1;\n');
    const { double, repo } = github;
    if (double === null) throw new Error('there is no double');
    const { issues, pulls, bare } = double.findRepository(FULL_NAME);
    expect([...pulls.values()].map(({ mergedAt }) => mergedAt !== null)).toEqual([true, true]);
    expect([...issues.values()].map(({ state }) => state)).toEqual(['closed', 'closed', 'closed', 'closed']);
    expect(await bare.resolve('refs/heads/main')).toBe((await repo.git('rev-parse', 'main')).trim());
    const secret = double.tokenOf('conductor-bot');
    expect(await repo.git('grep', '--no-index', '-l', secret).catch(() => 'nothing')).toBe('nothing');
    expect(await readFile(join(repo.root, '.git/config'), 'utf8')).not.toContain(secret);
    const doctor = await github.cli.run(['doctor']);
    expect(doctor.stdout).toMatch(/work items\s+GitHub, octo\/shop as conductor-bot/);
  });

  it.each([
    ['before', 2],
    ['after', 1],
  ] as const)('write everything once when the process is killed %s its writes', async (when, nth) => {
    const { cli, double, repo } = await openScene('github');
    if (double === null) throw new Error('there is no double');
    /** Starts the command again and again: the first process dies at its first write, the next one two writes later. */
    const persist = async (...args: readonly string[]): Promise<number> => {
      for (let kills = 0; ; kills += 1) {
        const started = cli.start(['work', ...args]);
        double.clearFaults();
        double.addFault({
          writes: true,
          nth: nth + 2 * kills,
          when,
          effect: { kind: 'run', run: () => started.kill('SIGKILL') },
        });
        const { code, signal, stderr } = await started.done;
        if (signal === 'SIGKILL') continue;
        // What a killed merge began, the next command completes before it looks at its own request.
        const isDone = kills > 0 && stderr.includes('is already closed');
        expect(code, `${args.join(' ')} after ${kills} kills: ${stderr}`).toBe(isDone ? 1 : 0);
        double.clearFaults();
        return kills;
      }
    };
    expect(await persist('plan')).toBeGreaterThan(0);
    expect(await persist('dispatch', '--all')).toBeGreaterThan(3);
    expect(await persist('merge', '2', '--with-blockers', '--as', 'ann')).toBeGreaterThan(0);
    expect((await cli.run(['work', 'list'])).code).toBe(0);
    const { issues, pulls, reviews, comments } = double.findRepository(FULL_NAME);
    const shown = [...issues.values()].filter(({ number }) => !pulls.has(number));
    expect(shown.map(({ title, state }) => `${title} ${state}`).toSorted()).toEqual([
      'one closed',
      'two closed',
    ]);
    for (const { labels } of shown) expect(labels.filter((label) => label.startsWith('status:'))).toEqual([]);
    expect([...pulls.values()].map(({ mergedAt }) => mergedAt !== null)).toEqual([true, true]);
    expect(new Set(reviews.map(({ number }) => number)).size).toBe(reviews.length);
    const summaries = comments.map(({ body }) => body.split('\n')[0]);
    expect(new Set(summaries).size).toBe(summaries.length);
    expect(await repo.git('show', 'main:src/two.js')).toBe('export const two = 1;\n');
    const merges = await repo.git('log', '--first-parent', '--merges', '--format=%s', 'main');
    expect(merges.trim().split('\n').toSorted()).toEqual(['one', 'two']);
  });
});
