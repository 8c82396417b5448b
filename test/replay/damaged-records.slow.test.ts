import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { type Verification, verifyRun } from '../../src/app/runs/verify-run.ts';
import { toJson } from '../../src/runtime/json.ts';
import { deriveMetadata, deriveStatus } from '../../src/runtime/record/derived-files.ts';
import { viewRun } from '../../src/runtime/record/run-view.ts';
import { flipByte, forgeLog, whileChanged } from '../e2e/record-damage.ts';
import {
  copyRun,
  openRecord,
  RECORDED_RUNS,
  type RecordedRun,
  readRecord,
  recordedRun,
} from './recorded-runs.ts';

interface Damaged {
  readonly run: RecordedRun;
  readonly at: (file: string) => string;
  readonly verify: () => Promise<Verification>;
  /** What is found while a file is changed. */
  readonly change: (file: string, content: (before: Buffer) => Buffer | string) => Promise<Verification>;
}

const test = base.extend<{ open: (name: string) => Promise<Damaged> }>({
  open: async ({ task: _task }, use) => {
    const removes: (() => Promise<void>)[] = [];
    await use(async (name) => {
      const { copy, remove } = await copyRun(recordedRun(name));
      removes.push(remove);
      const at = (file: string) => join(copy.path, file);
      const verify = async () => verifyRun(await readRecord(copy));
      return { run: copy, at, verify, change: (file, content) => whileChanged(at(file), content, verify) };
    });
    for (const remove of removes) await remove();
  },
});

const GATE = 'v1/gate-approved';
const PUBLISHED = 'v2/published';

/** The log with another payload in the events of one type, soundly chained. */
function forged(type: string, payload: object) {
  return (content: Buffer) =>
    forgeLog(content, (event) =>
      event.event_type === type ? { ...event, payload: { ...(event.payload as object), ...payload } } : event,
    );
}

describe('a record does not verify', () => {
  for (const { name } of RECORDED_RUNS)
    test(`when one byte of any artifact is another (${name})`, async ({ open }) => {
      const { run, change, verify } = await open(name);
      const { record } = await openRecord(run);
      for (const event of record.events) {
        if (event.event_type !== 'artifact_recorded' || event.payload.bytes === 0) continue;
        const { path } = event.payload;
        const { problems } = await change(path, (content) => flipByte(content));
        expect(problems[0]).toEqual({
          path,
          line: null,
          message: `does not have the sha256 of events.ndjson line ${event.seq + 1}`,
        });
      }
      expect((await verify()).problems).toEqual([]);
    });

  for (const { name } of RECORDED_RUNS)
    test(`when one byte of any line of its log is another (${name})`, async ({ open }) => {
      const { run, change } = await open(name);
      const { record } = await openRecord(run);
      for (const event of record.events.slice(0, -1)) {
        const middle = (content: Buffer) => {
          const lines = content.toString('utf8').split('\n');
          lines[event.seq] = flipByte(Buffer.from(lines[event.seq] ?? '')).toString('utf8');
          return lines.join('\n');
        };
        const [first] = (await change('events.ndjson', middle)).problems;
        // Either the line is no event any more, or the next one does not chain to it.
        expect(first?.path).toBe('events.ndjson');
        expect([event.seq + 1, event.seq + 2]).toContain(first?.line);
      }
    });

  const changedBytes: readonly (readonly [string, string | undefined])[] = [
    ['workflow.yaml', undefined],
    ['metadata.json', '"outcome": "'],
    ['metadata.json', '"branch_name": "'],
    ['metadata.json', '"ended_at": "'],
    ['metadata.json', '{'],
    ['status.json', '"elapsed_seconds": '],
    ['status.json', '"last_route_target": "'],
    ['status.json', '{'],
    ['final-state.txt', undefined],
    ['artifacts/implement/manifest.json', '"attempt": '],
    ['artifacts/implement/manifest.json', '"sha256": "'],
    ['artifacts/implement/manifest.json', '"role": "'],
    ['artifacts/implement/manifest.json', '"started_at": "2'],
    ['artifacts/implement/manifest.json', '"ended_at": "2'],
    ['artifacts/check/manifest.json', '"termination": "'],
    ['artifacts/approve/manifest.json', '{'],
  ];
  test.for(changedBytes)('when one byte of %s is another, after %s', async ([file, place], { open }) => {
    const { change } = await open(GATE);
    const { problems } = await change(file, (content) => flipByte(content, place));
    expect(problems.map(({ path }) => path)).toEqual([file]);
  });

  const ofTheRun: readonly (readonly [string, string])[] = [
    ['artifacts/_setup/manifest.json', '"step_id": '],
    ['artifacts/_setup/manifest.json', '"termination": "'],
    ['artifacts/_setup/manifest.json', '"attempt": '],
    ['artifacts/_setup@2/manifest.json', '"attempt": '],
    ['artifacts/_setup@2/manifest.json', '"sha256": "'],
    ['artifacts/_baseline/manifest.json', '"termination": "'],
    ['artifacts/_baseline/manifest.json', '"started_at": "2'],
    ['artifacts/_baseline/manifest.json', '"role": "'],
    ['metadata.json', '"title": "'],
    ['status.json', '"title": "'],
  ];
  test.for(ofTheRun)('when one byte of %s of a run is another, after %s', async ([file, place], { open }) => {
    const { change } = await open(PUBLISHED);
    const { problems } = await change(file, (content) => flipByte(content, place));
    expect(problems.map(({ path }) => path)).toEqual([file]);
  });

  test.for(['_setup', '_setup@2', '_baseline'])(
    'when the manifest of %s is missing',
    async (folder, { open }) => {
      const { at, verify } = await open(PUBLISHED);
      await rm(at(`artifacts/${folder}/manifest.json`));
      expect((await verify()).problems).toEqual([
        { path: `artifacts/${folder}/manifest.json`, line: null, message: 'is missing, or is no file' },
      ]);
    },
  );

  test('when evidence of the run is outside its folders', async ({ open }) => {
    const { change } = await open(PUBLISHED);
    const path = 'artifacts/implement/output.txt';
    const { problems } = await change('events.ndjson', (content) =>
      forgeLog(content, (event) =>
        event.seq === 1 ? { ...event, payload: { ...(event.payload as object), path } } : event,
      ),
    );
    expect(problems[0]).toEqual({
      path,
      line: null,
      message: 'is not in _setup or _baseline, where events.ndjson line 2 belongs',
    });
  });

  test('when another event than a notification or a publication follows its end', async ({ open }) => {
    const { run, change } = await open(PUBLISHED);
    const { record } = await openRecord(run);
    const end = record.events.findIndex(({ event_type }) => event_type === 'run_completed');
    const { problems } = await change('events.ndjson', (content) =>
      forgeLog(content, (event) =>
        event.seq === end + 2
          ? { ...event, event_type: 'status_updated', payload: { note: 'after the end' } }
          : event,
      ),
    );
    expect(problems).toEqual([
      { path: 'events.ndjson', line: end + 3, message: 'status_updated after the end of the run' },
    ]);
  });

  test('when it has an event of a later version than its own', async ({ open }) => {
    const { change } = await open(GATE);
    const { problems } = await change('events.ndjson', (content) =>
      forgeLog(content, (event) =>
        event.event_type === 'artifact_recorded' && event.seq === 4
          ? {
              ...event,
              event_type: 'run_published',
              payload: { url: 'https://git.example/1', branch: 'b', remote: null },
            }
          : event,
      ),
    );
    expect(problems[0]).toEqual({
      path: 'events.ndjson',
      line: 5,
      message: 'run_published is no event of schema version 1',
    });
  });

  test('when a file of version 1 has a title', async ({ open }) => {
    const { change } = await open(GATE);
    const titled = (content: Buffer) => {
      const { run_id, ...rest } = JSON.parse(content.toString('utf8'));
      return `${JSON.stringify({ run_id, title: 'Planted', ...rest }, null, 2)}\n`;
    };
    const { problems } = await change('status.json', titled);
    expect(problems).toEqual([
      { path: 'status.json', line: null, message: 'says title, of which the events say nothing' },
    ]);
  });

  test('when its log is that of another run', async ({ open }) => {
    const { change } = await open(GATE);
    const foreign = (content: Buffer) => forgeLog(content, (event) => ({ ...event, run_id: 'another' }));
    const { problems } = await change('events.ndjson', foreign);
    expect(problems[0]).toEqual({ path: 'events.ndjson', line: 1, message: 'belongs to run another' });
  });

  test.for(['events.ndjson', 'workflow.yaml', 'metadata.json', 'status.json', 'final-state.txt'])(
    'when %s is missing',
    async (file, { open }) => {
      const { at, verify } = await open(GATE);
      await rm(at(file));
      expect((await verify()).problems[0]?.path).toBe(file);
    },
  );

  test('when evidence is missing, or a link leads to it', async ({ open }) => {
    const { at, verify } = await open(GATE);
    const file = at('artifacts/implement/transcript.txt');
    const first = async () => (await verify()).problems[0];
    await rename(file, `${file}.aside`);
    const gone = { message: 'is missing, or was replaced by a link' };
    expect(await first()).toMatchObject(gone);
    await symlink(`${file}.aside`, file);
    expect(await first()).toMatchObject(gone);
    await rm(file);
    await rename(`${file}.aside`, file);
    await rename(dirname(file), at('moved'));
    await symlink(at('moved'), dirname(file));
    expect(await first()).toMatchObject({ message: 'is reached through a link' });
  });

  test.for([
    ['../../../answer.txt', 'is not inside the run directory'],
    ['/etc/hostname', 'is not inside the run directory'],
    [
      'artifacts/check/transcript.txt',
      'is not in a folder of step "implement", as events.ndjson line 5 says',
    ],
    ['status.json', 'is not in a folder of step "implement", as events.ndjson line 5 says'],
  ] as const)('when an event records %s', async ([path, message], { open }) => {
    const { change } = await open(GATE);
    const elsewhere = (content: Buffer) =>
      forgeLog(content, (event) =>
        event.seq === 4 ? { ...event, payload: { ...(event.payload as object), path } } : event,
      );
    const { problems } = await change('events.ndjson', elsewhere);
    expect(problems[0]).toEqual({ path, line: null, message });
  });

  test('when a manifest lists what no event records, or less than the events do', async ({ open }) => {
    const { change } = await open(GATE);
    const listed = (edit: (artifacts: object[]) => object[]) => (content: Buffer) => {
      const manifest = JSON.parse(content.toString('utf8'));
      return `${JSON.stringify({ ...manifest, artifacts: edit(manifest.artifacts) }, null, 2)}\n`;
    };
    const file = 'artifacts/implement/manifest.json';
    const less = await change(
      file,
      listed((all) => all.slice(1)),
    );
    expect(less.problems[0]).toMatchObject({
      path: file,
      message: expect.stringMatching(/^does not list runner_prompt /),
    });
    const more = await change(
      file,
      listed((all) => [...all, { ...all[0], role: 'other' }]),
    );
    expect(more.problems[0]?.message).toMatch(/^lists other .* as no event records it$/);
  });

  test.for([
    ['gate_approved', { by: 'Eve' }, /gate_outcome/, /^is not the answer of events\.ndjson line \d+$/],
    ['gate_approved', { comment: 'no' }, /gate_outcome/, /^differs from events\.ndjson line \d+$/],
    ['gate_requested', { tree: 'f'.repeat(40) }, /gate_request\.json/, /^shows a different tree than /],
    ['gate_requested', { request_sha256: 'f'.repeat(64) }, /gate_request\.json/, /^is not the request that /],
  ] as const)('when %s was forged to %o', async ([type, payload, path, message], { open }) => {
    const { change } = await open(GATE);
    const { problems } = await change('events.ndjson', forged(type, payload));
    expect(problems[0]?.path).toMatch(path);
    expect(problems[0]?.message).toMatch(message);
  });
});

describe('a record verifies', () => {
  test('with unrecorded files, which are reported', async ({ open }) => {
    const { at, verify } = await open(GATE);
    await mkdir(at('artifacts/check/deep'));
    await writeFile(at('artifacts/check/deep/planted.txt'), 'hm');
    await mkdir(at('artifacts/nowhere'));
    await writeFile(at('artifacts/nowhere/planted.txt'), 'hm');
    const { problems, notes } = await verify();
    expect(problems).toEqual([]);
    expect(notes).toContain('artifacts/check holds what no event records: deep/planted.txt');
    expect(notes).toContain('artifacts/nowhere holds what no event records: planted.txt');
  });

  test('with a torn last line, which is reported', async ({ open }) => {
    const { change } = await open(GATE);
    const torn = (content: Buffer) => `${content.toString('utf8')}{"seq":99,"times`;
    const { problems, notes } = await change('events.ndjson', torn);
    expect(problems).toEqual([]);
    expect(notes).toContain('the last line of events.ndjson is torn; conductor resume cuts it off');
  });

  for (const name of ['v1/recovered', GATE, PUBLISHED])
    test(`wherever a kill has cut its log, with a status that may be behind (${name})`, async ({ open }) => {
      const { run, at, verify } = await open(name);
      const { record } = await openRecord(run);
      const lines = (await readFile(at('events.ndjson'), 'utf8')).trimEnd().split('\n');
      await rm(at('final-state.txt'));
      const place = { repoRoot: '/somewhere', artifactsRoot: run.path };
      const end = record.events.findIndex(({ event_type }) => event_type === 'run_completed');
      for (let keep = 2; keep <= end; keep++) {
        const [earlier, view] = [keep - 1, keep].map((count) => viewRun(record.events.slice(0, count)));
        if (earlier == null || view == null) throw new Error('the record has no start');
        await writeFile(at('events.ndjson'), `${lines.slice(0, keep).join('\n')}\n`);
        await writeFile(at('metadata.json'), toJson(deriveMetadata(view, place)));
        for (const known of [earlier, view]) {
          await writeFile(at('status.json'), toJson(deriveStatus(known, null, new Date(known.updatedAt))));
          expect({ keep, problems: (await verify()).problems }).toEqual({ keep, problems: [] });
        }
      }
    });
});
