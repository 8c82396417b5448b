import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Status } from '../../src/contracts/run/run-files.ts';
import type { RunStore } from '../../src/ports/run-store.ts';

let root: string;
let runsDir: string;
let store: RunStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conductor-index-'));
  runsDir = join(root, '.tnh/run');
  store = createEmbeddedEngine({ repoRoot: root, runsDir, clock: systemClock });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const idOf = (index: number) => `01990000-0000-7000-8000-${String(index).padStart(12, '0')}`;

function statusOf(index: number, lifecycle: Status['lifecycle_state']): Status {
  return {
    run_id: idOf(index),
    workflow_id: 'w',
    started_at: '2026-01-02T03:04:05.678Z',
    updated_at: '2026-01-02T03:04:05.678Z',
    lifecycle_state: lifecycle,
    outcome: lifecycle === 'completed' ? 'success' : null,
    current_step_id: null,
    last_completed_step_id: null,
    active_opcode: null,
    active_runner_family: null,
    active_attempt: null,
    worktree_path: '/w',
    last_route_target: null,
    last_decision: null,
    refinement: null,
    awaiting: null,
    termination: null,
    blocking_reason: null,
    elapsed_seconds: 1,
  };
}

async function leaveRun(index: number, lifecycle: Status['lifecycle_state']): Promise<void> {
  const path = join(runsDir, idOf(index));
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'status.json'), JSON.stringify(statusOf(index, lifecycle)));
}

async function states(): Promise<readonly (string | undefined)[]> {
  return (await store.list()).map(({ status }) => status?.lifecycle_state);
}

it('keeps the runs that have ended, and reads the others anew', async () => {
  await leaveRun(1, 'completed');
  await leaveRun(2, 'waiting');
  expect(await states()).toEqual(['waiting', 'completed']);
  const index = await readFile(join(runsDir, 'index.ndjson'), 'utf8');
  expect(index.trimEnd().split('\n')).toHaveLength(1);
  await rm(join(runsDir, idOf(1), 'status.json'));
  await leaveRun(2, 'completed');
  expect(await states()).toEqual(['completed', 'completed']);
});

it('lists folders: a run whose folder was removed is not listed', async () => {
  await leaveRun(1, 'completed');
  await leaveRun(2, 'failed');
  await store.list();
  await rm(join(runsDir, idOf(2)), { recursive: true });
  expect(await states()).toEqual(['completed']);
});

it.each([
  ['is gone', ''],
  ['is torn', '{"run_id":"01990000-0000-7000-8000-0000000000'],
  ['is nonsense', 'null\n[]\n{}\n\u0000\n'],
])('makes the index again when it %s', async (_, text) => {
  await leaveRun(1, 'completed');
  await leaveRun(2, 'blocked');
  await writeFile(join(runsDir, 'index.ndjson'), text);
  expect(await states()).toEqual(['blocked', 'completed']);
  expect(await states()).toEqual(['blocked', 'completed']);
  await rm(join(runsDir, idOf(1), 'status.json'));
  expect(await states()).toEqual(['blocked', 'completed']);
});

it('does not grow without end', async () => {
  await leaveRun(1, 'completed');
  await store.list();
  const line = await readFile(join(runsDir, 'index.ndjson'), 'utf8');
  await writeFile(join(runsDir, 'index.ndjson'), line.repeat(500));
  await store.list();
  expect(await readFile(join(runsDir, 'index.ndjson'), 'utf8')).toBe(line);
});
