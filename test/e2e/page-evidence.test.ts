import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { HTTP_DOCUMENTS, type HttpDocumentName } from '../../src/contracts/http/http-documents.ts';
import { HOSTILE, openHostile, UNSAFE } from './hostile-scene.ts';
import { type Scene, test } from './scene.ts';
import { type ServedPage, servePage } from './served-page.ts';

const opened: ServedPage[] = [];
afterEach(async () => {
  for (const page of opened.splice(0)) await page.close();
});

async function open(scene: Scene): Promise<ServedPage> {
  const page = await servePage(scene);
  opened.push(page);
  return page;
}

/** Every text of a document, names of keys included. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      yield key;
      yield* textsIn(each);
    }
}

function expectDocument(name: HttpDocumentName | null, address: string, body: unknown): void {
  const unsafe = [...textsIn(body)].filter((text) => UNSAFE.test(text) || /\p{Cs}/u.test(text));
  expect([address, unsafe.map((text) => JSON.stringify(text))]).toEqual([address, []]);
  if (name === null) return;
  const problems = HTTP_DOCUMENTS[name].schema.safeParse(body).error?.issues ?? [];
  expect([address, problems]).toEqual([address, []]);
}

describe('the evidence of a run with hostile texts', { timeout: 120_000 }, () => {
  test('reaches the page as text that a reader can trust', async ({ openScene }) => {
    const scene = await openHostile(openScene, 'none');
    const started = await scene.cli.run(['run', '../hostile.yaml', '--input', `task=fix <b>${HOSTILE}`]);
    expect(started.code, started.stderr).toBe(3);
    const runId = started.stdout.split('\n')[0] ?? '';
    const page = await open(scene);
    const run = `/runs/${runId}`;
    const read = async (name: HttpDocumentName | null, path: string) => {
      const { status, body } = await page.get(path);
      expect([path, status]).toEqual([path, 200]);
      expectDocument(name, path, body);
      return body;
    };
    const document = await read('run', run);
    expect(document.title).toContain('<b>');
    expect(document.path_text).toBe('work → check failed → judge: partial → ask waiting for an answer');
    for (let seq = 0; seq <= Number(document.last_seq); seq += 9) await read('run', `${run}/at/${seq}`);
    for (const [name, path] of [
      ['runs', '/runs'],
      ['runs', '/runs?state=waiting&workflow=hostile&agent=actor&text=FIX&limit=1'],
      ['days', '/days?days=3'],
      ['graph', `${run}/graph`],
      ['graph', `${run}/graph?at=3`],
      ['artifacts', `${run}/artifacts`],
      ['goldens', `${run}/goldens`],
      ['items', '/items'],
      ['workflows', '/workflows'],
      ['workflow', '/workflows/implement'],
      [null, '/gates'],
      [null, `${run}/events`],
    ] as const)
      await read(name, path);
    expect(await read(null, `${run}/gate`)).toMatchObject({ checks: { step: 'check', total: 1 } });
    for (const key of ['work', 'check', 'judge', 'ask']) await read('step', `${run}/steps/${key}`);
    expect(JSON.stringify(await read('checks', `${run}/steps/check/checks`))).toContain('\\\\u202eevil');
    expect(JSON.stringify(await read('prompt', `${run}/steps/work/prompt`))).toContain('\\\\u202eevil');
    const output = await read('output', `${run}/steps/work/output`);
    expect(JSON.stringify(output)).toContain('hidden');
    await read('output', `${run}/steps/check/output?stream=stderr&validator=tests&line=end`);
    const changes = await read('changes', `${run}/changes`);
    const files = changes.files as { path: string; lines: number }[];
    expect(files.map(({ path }) => path)).toEqual([
      'answer.txt',
      expect.stringContaining('\\u202eevil'),
      expect.stringContaining('\\u202eevil'),
    ]);
    for (const { path, lines } of files) {
      const file = await read('changed-file', `${run}/changes/file?path=${encodeURIComponent(path)}`);
      expect([file.path, file.total_lines]).toEqual([path, lines]);
      const ofStep = await read(
        'changed-file',
        `${run}/changes/file?step=work&path=${encodeURIComponent(path)}`,
      );
      expect(ofStep.hunks).toEqual(file.hunks);
    }
    const { status, body } = await page.post('/workflows/check', { source: `workflow_id: "x${HOSTILE}"\n` });
    expect([status, body.ok]).toEqual([200, false]);
    expectDocument('workflow', 'workflows/check', body);
  });

  test('is given out as downloads, and nothing else of the machine is', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const folder = join(scene.repo.root, '.tnh', 'run', runId);
    const page = await open(scene);
    const get = (path: string) => page.fetch(`/runs/${runId}/files/${path}`);
    const steps = await readdir(join(folder, 'artifacts'));
    const [step = ''] = steps.filter((name) => !name.startsWith('_'));
    const diff = await get('diff.patch');
    expect([diff.status, diff.headers.get('content-disposition'), diff.headers.get('content-type')]).toEqual([
      200,
      `attachment; filename="diff.patch"; filename*=UTF-8''diff.patch`,
      'application/octet-stream',
    ]);
    expect(diff.headers.get('content-security-policy')).toMatch(/sandbox/);
    expect(diff.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await diff.text()).toMatch(/^diff --git/);
    const text = await get('workflow.yaml?as=text');
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text.headers.get('content-security-policy')).toMatch(/sandbox/);

    await mkdir(join(scene.repo.root, '..', 'outside'));
    await writeFile(join(scene.repo.root, '..', 'outside', 'secret.txt'), 'secret');
    await symlink('../../../../outside/secret.txt', join(folder, 'link.txt'));
    await symlink('../../../../../outside', join(folder, 'artifacts', 'elsewhere'));
    const workflows = join(scene.repo.root, '.tnh', 'workflows');
    await mkdir(workflows, { recursive: true });
    await symlink('../../../outside/secret.txt', join(workflows, 'secret.yaml'));
    await writeFile(join(workflows, 'own.yaml'), 'workflow_id: own\n');
    expect(await page.get('/workflows/secret')).toMatchObject({ status: 404 });
    expect(await page.get('/workflows/own')).toMatchObject({ status: 200 });
    for (const name of ['secret.yaml', 'own.yaml']) await rm(join(workflows, name));
    for (const path of [
      '../../../outside/secret.txt',
      '..%2f..%2f..%2f..%2foutside%2fsecret.txt',
      '%2e%2e/%2e%2e/%2e%2e/%2e%2e/outside/secret.txt',
      '%252e%252e%252f%252e%252e%252f%252e%252e%252f%252e%252e%252foutside%252fsecret.txt',
      `artifacts/${step}/../../../../../../outside/secret.txt`,
      `artifacts%2f${step}%2f..%2f..%2f..%2f..%2f..%2f..%2foutside%2fsecret.txt`,
      '..%5c..%5c..%5c..%5coutside%5csecret.txt',
      'diff.patch%00.png',
      '%00',
      '%2fetc%2fpasswd',
      '/etc/passwd',
      'link.txt',
      'artifacts/elsewhere/secret.txt',
      'artifacts',
      `artifacts/${step}/manifest.json`,
      'lock.json',
      '%ff%fe',
    ]) {
      const response = await get(path);
      const body = await response.text();
      expect([path, response.status >= 400, body.includes('secret')]).toEqual([path, true, false]);
    }
  });
});

describe('a run as it was after an event', { timeout: 60_000 }, () => {
  test('shows nothing of a step that was left later', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const page = await open(scene);
    const run = `/runs/${runId}`;
    const { body } = await page.get(`${run}/events`);
    const events = body.events as { seq: number; event_type: string; step_id: string | null }[];
    const agent = (await page.get(run)).body.steps as { key: string; opcode: string }[];
    const key = agent.find(({ opcode }) => opcode === 'RUN_AGENT')?.key ?? '';
    const begun = events.find((each) => each.event_type === 'step_started' && each.step_id === key)?.seq;
    const ended = events.find((each) => each.event_type === 'step_completed' && each.step_id === key)?.seq;
    expect([begun, ended]).toEqual([expect.any(Number), expect.any(Number)]);
    const then = (await page.get(`${run}/steps/${key}?at=${begun}`)).body;
    expectDocument('step', key, then);
    expect(then).toMatchObject({
      ended_at: null,
      claims: [],
      change: null,
      evidence: [],
      final_response: null,
    });
    const after = (await page.get(`${run}/steps/${key}?at=${ended}`)).body;
    expect(after).toMatchObject({ ended_at: expect.any(String), change: { files: 1 } });
    const changesAt = async (seq: number | undefined) =>
      (await page.get(`${run}/changes?step=${key}&at=${seq}`)).body;
    expect(await changesAt(begun)).toMatchObject({ total: 0, problem: 'the step has not ended yet' });
    expect(await changesAt(ended)).toMatchObject({ total: 1, problem: null });
    expect((await page.get(`${run}/steps/none?at=${begun}`)).status).toBe(404);
    expect((await page.get(`${run}/steps/${key}?at=x`)).status).toBe(400);
  });
});
