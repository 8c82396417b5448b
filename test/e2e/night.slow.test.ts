import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Report } from '../../src/contracts/cli/cli-report-document.ts';
import type { RunEvent } from '../../src/contracts/run/event.ts';
import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import { nightClock } from './night-clock.ts';
import { accept, type Received, withReceiver } from './receiver.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { plan, planned, test, type WorkScene } from './work-scene.ts';

vi.mock('../../src/adapters/system/clock.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../src/adapters/system/clock.ts')>()),
  systemClock: (await import('./night-clock.ts')).nightClock,
}));

const HOUR_MS = 3_600_000;
/** On a busy machine a run takes half a minute. */
const PATIENCE = { timeout: 240_000, interval: 100 };
/** Each look at the board is a process. */
const PATIENT_LOOKS = { ...PATIENCE, interval: 2000 };
const SECRET = 'correct-horse-battery';

/** Signals between the test and its agents, on a disk that never fills. */
let outside = '';
/** The disk of the repository, the records and the workspaces; null where this user may not mount one. */
let disk: SmallDisk | null = null;
const temporary = process.env.TMPDIR;

beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'conductor-night-'));
  disk = mountSmallDisk(300);
  if (disk === null) process.stderr.write('this user may not mount a tmpfs: the night has no full disk\n');
  else process.env.TMPDIR = disk.folder;
});

afterAll(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  disk?.remove();
  rmSync(outside, { recursive: true });
});

/** Eight items in three layers, and what goes wrong with them. */
function writeActs() {
  const write = (name: string) =>
    `writeFileSync('src/${name}.js', 'export const ${name} = 1;'); completed('${name} is written.');`;
  const once = (name: string, first: string) => `const { existsSync } = await import('node:fs');
    const mark = () => writeFileSync(${JSON.stringify(join(outside, name))}, '');
    if (!existsSync(${JSON.stringify(join(outside, name))})) { ${first} }`;
  const waitFor = (name: string) =>
    `
     await new Promise((go) => {
       const look = () => existsSync(${JSON.stringify(join(outside, name))}) && (clearInterval(timer), go());
       const timer = setInterval(look, 50);
     });`;
  const items = [
    planned('a', 'src/a.js'),
    planned('b', 'src/b.js'),
    planned('c', 'src/c.js'),
    planned('d', 'src/d.js', ['a']),
    planned('e', 'src/e.js', ['a', 'b']),
    planned('f', 'src/f.js', ['c']),
    planned('g', 'src/g.js', ['d', 'e']),
    planned('h', 'src/h.js', ['f']),
  ];
  return {
    plan: `give(${JSON.stringify(plan(items))});`,
    a: `${once('a-began', `mark(); ${waitFor('never')}`)} ${write('a')}`,
    b: `${once(
      'b-limited',
      `${waitFor('b-limit')}
       mark();
       const reset_at = new Date(Date.now() + ${HOUR_MS}).toISOString();
       writeFileSync(process.env.CONDUCTOR_RESULT,
         JSON.stringify({ failure: { class: 'rate_limited', message: 'come back later', reset_at } }));
       process.exit(1);`,
    )} ${write('b')}`,
    c: write('c'),
    'review c': `${once('c-garbled', `mark(); give({ role: 'reviewer', review: { verdict: 'maybe' } }); return;`)} review('approve');`,
    d: `writeFileSync('src/d.js', 'export const d = ' + (inputs.reviews === undefined ? 0 : 1) + ';'); completed('d is written.');`,
    'review d': `${once(
      'd-rejected',
      `mark();
       review('needs-changes', [{ path: 'src/d.js', line: 1, body: 'What: x. Why: "Numbers" asks for it. Fix: y.' }]);
       return;`,
    )} review('approve');`,
    e: `writeFileSync('notes.txt', 'about e'); ${write('e')}`,
    f: `give({ role: 'implementor', outcome: 'blocked', summary: ${JSON.stringify(QUESTION)} });`,
    g: `${once('g-began', `mark(); ${waitFor('g-go')}`)} ${write('g')}`,
    h: write('h'),
  };
}

const QUESTION = `Type: external-dependency
Description: the registry of numbers needs an account.
Options:
1. Create an account: takes a day.
2. Leave the registry out: less is checked.
Recommendation: option 1, because the check is needed.
Impact: f and h stay undone.`;

interface Logs {
  readonly runs: readonly RunEvent[];
  readonly journal: readonly JournalEntry[];
}

async function readLogs(scene: WorkScene): Promise<Logs> {
  const folder = join(scene.repo.root, '.tnh/run');
  const runs = readdirSync(folder)
    .map((name) => join(folder, name, 'events.ndjson'))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as RunEvent);
  const history: JournalEntry[] = [];
  for (const id of ['1', '2', '3', '4', '5', '6', '7', '8'])
    history.push(...((await scene.document('show', id)) as unknown as { history: JournalEntry[] }).history);
  return { runs, journal: history };
}

/** The ids of all notifications that the logs ask for. */
function listExpected({ runs, journal }: Logs): readonly string[] {
  const ofRuns = runs
    .filter((event) =>
      event.event_type === 'step_waiting'
        ? event.payload.until !== undefined
        : ['gate_requested', 'run_completed'].includes(event.event_type),
    )
    .map(({ run_id, seq }) => `${run_id}:${seq}`);
  const questions = journal.flatMap(({ seq, at, event }) =>
    event.type === 'status_changed' && event.by === 'engine' && event.to === 'blocked'
      ? [`work:${at}:${seq}`]
      : [],
  );
  return [...ofRuns, ...questions].toSorted();
}

const idOf = ({ headers }: Received) => String(headers['idempotency-key']);

test('a night of eight items ends with everything approved that can be, and a report of the rest', {
  timeout: 900_000,
}, async ({ openWorkScene }) => {
  await withReceiver(accept, async ({ url, received }) => {
    const signal = (name: string) => writeFileSync(join(outside, name), '');
    const happened = (name: string) => existsSync(join(outside, name));
    if (disk === null) signal('g-go');
    const scene = await openWorkScene(writeActs());
    await mkdir(join(scene.home, '.config/conductor'), { recursive: true });
    const on = 'on: [gate, question, parked, end, failed]';
    await writeFile(
      join(scene.home, '.config/conductor/config.yaml'),
      `notify:
  - { kind: ntfy, url: "${url}/topic", ${on} }
  - { kind: slack, url_env: SLACK_WEBHOOK, ${on} }
  - { kind: webhook, url: "${url}/hook", secret_env: HOOK_SECRET, ${on} }
`,
    );
    const env = { HOOK_SECRET: SECRET, SLACK_WEBHOOK: `${url}/slack` };

    // In the evening a real process watches. It is killed while the agents of `a` and `b` work, and `f` has asked.
    const evening = scene.cli.start(['work', 'watch', '--jobs', '3'], { env });
    await vi.waitUntil(
      () => happened('a-began') && evening.stderr().includes('in-progress → blocked'),
      PATIENCE,
    );
    await vi.waitUntil(
      () => received.filter(({ body }) => body.includes('work item 6 needs you')).length === 3,
      PATIENCE,
    );
    evening.kill('SIGKILL');
    await evening.done;
    const before = new Set(received.map(idOf));

    // The loop is started again, in this process, where the test has the clock.
    let hasEnded = false;
    const night = scene.cli.run(['work', 'watch', '--jobs', '3', '--until-idle'], { env }).finally(() => {
      hasEnded = true;
    });
    const list = async () => {
      expect(hasEnded, 'the loop has ended').toBe(false);
      const { stdout } = await scene.cli.start(['work', 'list', '--json']).done;
      return (JSON.parse(stdout) as { items: Listed[] }).items;
    };
    let items: readonly Listed[] = [];
    await vi.waitUntil(async () => {
      items = await list();
      return items.find(({ title }) => title === 'd')?.status === 'approved';
    }, PATIENT_LOOKS);
    signal('b-limit');
    await vi.waitUntil(async () => {
      items = await list();
      return items.find(({ title }) => title === 'b')?.waiting_reason?.code === 'parked';
    }, PATIENT_LOOKS);
    expect(items.find(({ title }) => title === 'b')).toMatchObject({
      status: 'in-progress',
      waiting: expect.stringContaining('come back later'),
      waiting_reason: { until: expect.any(String), needs_user: false },
    });
    expect(items.find(({ title }) => title === 'e')?.waiting).toBe('blocked by 2 (in-progress)');
    const extension = [
      'work',
      'scope',
      '5',
      '--add',
      'notes.txt',
      '--reason',
      'a note for users',
      '--as',
      'ann',
    ];
    const extended = await scene.cli.start(extension).done;
    expect(extended.code, extended.stderr).toBe(0);
    nightClock.advance(HOUR_MS + 60_000);

    if (disk !== null) {
      await vi.waitUntil(() => happened('g-began'), PATIENCE);
      disk.fill();
      signal('g-go');
      let passedMs = 0;
      await vi.waitUntil(() => {
        // A longer pause than any other shows that the loop has tried several times.
        if (passedMs >= 60_000 && nightClock.sleeping().some((ms) => ms >= 16_000)) return true;
        nightClock.advance(1000);
        passedMs += 1000;
        return false;
      }, PATIENCE);
      disk.free();
      nightClock.advance(60_000);
    }
    const morning = await night;
    expect(morning.code, morning.stderr).toBe(3);
    if (disk !== null) expect(morning.stderr).toMatch(/the disk of .* is full; trying again in 8 s/);

    expect(await scene.statuses()).toEqual({
      a: 'approved',
      b: 'approved',
      c: 'approved',
      d: 'approved',
      e: 'approved',
      f: 'blocked',
      g: 'approved',
      h: 'pending',
    });
    const shown = await show(scene, '7');
    expect(shown.revision.stackedOn.map(({ itemID }) => itemID)).toEqual(['1', '4', '2', '5']);
    const tree = await scene.repo.git('ls-tree', '-r', '--name-only', shown.revision.headSHA);
    expect(tree.split('\n')).toEqual(
      expect.arrayContaining(['src/a.js', 'src/b.js', 'src/d.js', 'src/e.js', 'src/g.js', 'notes.txt']),
    );
    expect(tree).not.toContain('src/c.js');
    const rounds = async (id: string) => (await show(scene, id)).runs.map(({ role, ok }) => `${role} ${ok}`);
    expect(await rounds('1')).toEqual(['implementor false', 'implementor true', 'reviewer true']);
    expect(await rounds('2')).toEqual(['implementor false', 'implementor true', 'reviewer true']);
    expect(await rounds('3')).toEqual(['implementor true', 'reviewer false', 'reviewer true']);
    expect(await rounds('4')).toEqual(Array(2).fill(['implementor true', 'reviewer true']).flat());
    expect(await rounds('5')).toEqual(['implementor true', 'reviewer true']);

    const logs = await readLogs(scene);
    const { stdout } = await scene.cli.run(['report', '--json', '--since', '2d']);
    const report = JSON.parse(stdout) as Report;
    const needsYou = report.sections.find(({ id }) => id === 'needs_you');
    expect(needsYou?.questions.find(({ item_id }) => item_id === '6')).toMatchObject({
      title: 'f',
      question: expect.stringContaining('the registry of numbers needs an account'),
      commands: ['conductor work show 6', expect.stringContaining('conductor work transition 6 pending')],
    });
    expect(morning.stdout).toContain('the registry of numbers needs an account');
    expect(morning.stderr).toContain('8  h: blocked by 6 (blocked)');
    expectTotals(report, logs.runs);

    const expected = listExpected(logs);
    for (const path of ['/', '/slack', '/hook']) {
      const ids = received.filter((each) => each.path === path).map(idOf);
      expect([...new Set(ids)].toSorted()).toEqual(expected);
      // Twice only if the kill fell between sending and recording.
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      expect(twice.filter((id) => !before.has(id))).toEqual([]);
      expect(twice.length).toBeLessThanOrEqual(1);
    }
    received.forEach(expectProtocol);

    const merged = await scene.work('merge', '7', '--with-blockers');
    expect(merged.code, merged.stderr).toBe(0);
    const main = await scene.repo.git('ls-tree', '-r', '--name-only', 'main');
    expect(main.split('\n')).toEqual(expect.arrayContaining(['notes.txt', 'src/g.js']));
  });
});

interface Listed {
  readonly title: string;
  readonly status: string;
  readonly waiting: string | null;
  readonly waiting_reason: { readonly code: string } | null;
}

async function show(scene: WorkScene, id: string) {
  return (await scene.document('show', id)) as unknown as {
    readonly runs: readonly { readonly role: string; readonly ok: boolean | null }[];
    readonly revision: { readonly headSHA: string; readonly stackedOn: readonly { itemID: string }[] };
  };
}

/** Each run is on one line, and the totals are the sums of the lines and of what the logs say of all starts. */
function expectTotals({ sections, spent }: Report, events: readonly RunEvent[]): void {
  const lines = sections.flatMap(({ runs }) => runs);
  const runIds = events.flatMap((event) => (event.event_type === 'run_started' ? [event.run_id] : []));
  expect(lines.map(({ run_id }) => run_id).toSorted()).toEqual(runIds.toSorted());
  const usages = events.flatMap(({ event_type, payload }) =>
    event_type === 'runner_completed' ? [payload.usage] : [],
  );
  const sumOf = (key: 'input_tokens' | 'output_tokens' | 'cost_usd') =>
    usages.reduce((sum, usage) => sum + (usage?.[key] ?? 0), 0);
  const { total } = spent;
  expect(total.input_tokens).toBeGreaterThan(0);
  for (const key of ['input_tokens', 'output_tokens', 'cost_usd'] as const)
    expect(total[key]).toBe(sumOf(key));
  for (const key of ['starts', 'agent_ms', 'input_tokens', 'output_tokens', 'cost_usd'] as const)
    for (const parts of [lines, spent.by_agent, spent.by_workflow])
      expect(parts.reduce((sum, { spend }) => sum + spend[key], 0)).toBeCloseTo(total[key], 6);
}

/** ntfy's JSON publishing, the payload of Slack's incoming webhooks, and the signature over the bytes that arrived. */
function expectProtocol({ path, headers, body }: Received): void {
  expect(headers['content-type']).toBe('application/json');
  expect(`${JSON.stringify(headers)} ${body}`).not.toContain(SECRET);
  const document = JSON.parse(body);
  switch (path) {
    case '/':
      expect(document).toMatchObject({
        topic: 'topic',
        title: expect.stringMatching(/^conductor: /),
        message: expect.stringContaining('conductor '),
        priority: expect.any(Number),
        tags: [expect.any(String)],
      });
      return;
    case '/slack':
      expect(document).toMatchObject({ text: expect.stringMatching(/^conductor: /), mrkdwn: false });
      return;
    default: {
      const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
      const signature = createHmac('sha256', SECRET).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(document).toMatchObject({
        id: headers['webhook-id'],
        commands: expect.arrayContaining([expect.any(String)]),
      });
    }
  }
}
