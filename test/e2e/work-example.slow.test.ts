import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import { createCli } from '../../testing/cli.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/work-items/run.mjs');

it('gets from a spec with three criteria to merged branches, with records that verify', {
  timeout: 240_000,
}, async () => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'conductor-example-')));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const root = join(top, 'repo');
  const env = { PATH: process.env.PATH, HOME: top, KEEP: root, CONDUCTOR_SANDBOX: 'off', LANG: 'C.UTF-8' };
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE], { env });

  expect(stdout).toContain('is blocked by 1, 2');
  expect(stdout).toContain('blocked by 2 (blocked)');
  expect(stdout).toContain('2. Metres, as people say them.');

  const merged = (path: string) => readFile(join(root, path), 'utf8');
  expect(await merged('src/area.js')).toContain('RangeError');
  expect(await merged('src/perimeter.js')).toContain('2 * (width + height)');
  expect(await merged('docs/shapes.md')).toContain('# Shapes');

  const cli = createCli({ cwd: root, home: top });
  const show = async (id: string) =>
    JSON.parse((await cli.run(['work', 'show', id, '--json'])).stdout) as {
      readonly history: readonly JournalEntry[];
      readonly runs: readonly { readonly run_id: string; readonly role: string; readonly ok: boolean }[];
    };
  const [area, perimeter, page] = [await show('1'), await show('2'), await show('3')];
  const path = ({ history }: typeof area) =>
    history.flatMap(({ event }) => (event.type === 'status_changed' ? [event.to] : []));
  expect(path(area).join(' ')).toBe(
    'ready in-progress review pending ready in-progress review approved closed',
  );
  expect(path(perimeter).join(' ')).toBe(
    'ready in-progress blocked pending ready in-progress review approved closed',
  );
  expect(path(page).join(' ')).toBe('ready in-progress review approved closed');

  const sides = [area, perimeter].map(({ history }) => spanOfFirstRun(history));
  expect(Math.max(...sides.map(([from]) => from))).toBeLessThan(Math.min(...sides.map(([, to]) => to)));
  const freed = Math.max(...[area, perimeter].map(({ history }) => seqOf(history, 'approved')));
  expect(seqOf(page.history, 'ready')).toBeGreaterThan(freed);

  const { runs } = JSON.parse((await cli.run(['runs', '--json'])).stdout) as {
    readonly runs: readonly { readonly run_id: string }[];
  };
  expect(runs.length).toBe(area.runs.length + perimeter.runs.length + page.runs.length + 1);
  for (const { run_id } of runs) expect((await cli.run(['verify', run_id])).code, run_id).toBe(0);
});

function spanOfFirstRun(history: readonly JournalEntry[]): readonly [number, number] {
  const from = history.find(({ event }) => event.type === 'run_accepted')?.seq ?? Number.NaN;
  const to = history.find(({ event }) => event.type === 'run_ended')?.seq ?? Number.NaN;
  return [from, to];
}

function seqOf(history: readonly JournalEntry[], status: string): number {
  const found = history.find(({ event }) => event.type === 'status_changed' && event.to === status);
  return found?.seq ?? Number.NaN;
}
