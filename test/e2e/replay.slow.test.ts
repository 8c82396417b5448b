import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CLI_DOCUMENTS } from '../../src/contracts/cli/cli-documents.ts';
import { forgeLog, whileChanged } from './record-damage.ts';
import { fixture, type Scene, test, until } from './scene.ts';

function logOf(scene: Scene, runId: string): string {
  return join(scene.repo.root, '.tnh/run', runId, 'events.ndjson');
}

/** A copy of a fixture workflow with another text in it, beside the repository. */
async function edited(scene: Scene, workflow: string, from: string, to: string): Promise<string> {
  const text = await readFile(fixture(workflow), 'utf8');
  expect(text).toContain(from);
  const path = join(scene.home, 'edited.yaml');
  await writeFile(path, text.replace(from, to));
  return path;
}

describe('the replay of a run', () => {
  test('reproduces a refined run', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('revision-cap');
    expect(await scene.conductor('replay', runId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^✓ run .* replays: \d+ events decided again, \d+ copied from the record\n$/,
      ),
    });
    const { stdout } = await scene.conductor('replay', runId, '--json');
    const document = JSON.parse(stdout);
    expect(CLI_DOCUMENTS.replay.safeParse(document).error).toBeUndefined();
    expect(document).toMatchObject({ schema_version: 1, run_id: runId, ok: true, difference: null });
    expect(document.decided + document.carried).toBe(scene.record(runId).events.length);
  });

  test('reproduces a killed run, before and after its resume', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', fixture('interrupted')]);
    const runId = await until(() => scene.runIds()[0]);
    await until(() => existsSync(join(scene.checkout(runId), 'half.txt')));
    driver.kill('SIGKILL');
    await driver.done;
    expect(await scene.conductor('replay', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('replay', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('replay', runId, '--against', fixture('interrupted'))).toMatchObject({
      code: 0,
    });
  });

  test('names the event that a forged log has instead of the right one', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const route = scene.record(runId).eventsOf('route_selected').at(-1);
    const forge = (content: Buffer) =>
      forgeLog(content, (event) =>
        event.seq === route?.seq ? { ...event, payload: { ...route?.payload, key: 'success' } } : event,
      );
    const look = (...flags: string[]) =>
      whileChanged(logOf(scene, runId), forge, () => scene.conductor('replay', runId, ...flags));
    const human = await look();
    expect(human.code).toBe(1);
    const line = (route?.seq ?? 0) + 1;
    expect(human.stdout).toBe(
      `✗ run ${runId} does not replay: event ${route?.seq} (line ${line}) differs\n` +
        '  expected  route_selected judge {"key":"partial","to":"incomplete","planner_next_step":null}\n' +
        '  recorded  route_selected judge {"key":"success","to":"incomplete","planner_next_step":null}\n',
    );
    const { code, stdout } = await look('--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      difference: {
        seq: route?.seq,
        line,
        expected: { event_type: 'route_selected', step_id: 'judge', payload: { key: 'partial' } },
        recorded: { event_type: 'route_selected', step_id: 'judge', payload: { key: 'success' } },
      },
    });
  });

  test('names a derived file that differs from the log', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const status = join(scene.repo.root, '.tnh/run', runId, 'status.json');
    const better = (content: Buffer) =>
      content.toString('utf8').replace('"outcome": "partial"', '"outcome": "success"');
    const result = await whileChanged(status, better, () => scene.conductor('replay', runId));
    expect(result).toMatchObject({
      code: 1,
      stdout:
        `✗ run ${runId} does not replay: status.json: says outcome "success" where the events say "partial"\n` +
        '  note: conductor resume writes metadata.json, status.json and final-state.txt again from the log\n',
    });
  });

  test('needs the workflow that the run was started with', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const workflow = join(scene.repo.root, '.tnh/run', runId, 'workflow.yaml');
    const other = (content: Buffer) => content.toString('utf8').replace('version: 1', 'version: 2');
    const result = await whileChanged(workflow, other, () => scene.conductor('replay', runId));
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(
      "can't be replayed: its workflow.yaml is not the one it was started with",
    );
  });
});

describe('a run led through another workflow', () => {
  test('takes the same path if nothing on it has changed', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('revision-cap');
    const path = await edited(scene, 'revision-cap', 'say A start.', 'say Something else.');
    const { code, stdout } = await scene.conductor('replay', runId, '--against', path);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        '  implement  visit 1  completed    → check',
        '  check      visit 1  error        → judge',
        '  judge      visit 1  partial      → revise',
        '  revise     visit 1  completed    → check',
        '  check      visit 2  error        → judge',
        '  judge      visit 2  needs_human  → STOP',
        `✓ run ${runId} takes the same path through ${path}`,
        '',
      ].join('\n'),
    );
  });

  test('parts from it at the first route that differs', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('revision-cap');
    const path = await edited(
      scene,
      'revision-cap',
      'routes: { completed: judge, error: judge,',
      'routes: { completed: judge, error: revise,',
    );
    const human = await scene.conductor('replay', runId, '--against', path);
    expect(human.code).toBe(1);
    expect(human.stdout).toBe(
      '  implement  visit 1  completed  → check\n' +
        '✗ at step check (visit 1) key error: recorded → judge, edited → revise\n',
    );
    const { code, stdout } = await scene.conductor('replay', runId, '--against', path, '--json');
    expect(code).toBe(1);
    expect(CLI_DOCUMENTS.replay.safeParse(JSON.parse(stdout)).error).toBeUndefined();
    expect(JSON.parse(stdout)).toEqual({
      schema_version: 1,
      run_id: runId,
      ok: false,
      against: path,
      way: [{ step_id: 'implement', entry: 1, key: 'completed', to: 'check' }],
      difference: {
        kind: 'route',
        step_id: 'check',
        entry: 1,
        key: 'error',
        recorded: 'judge',
        edited: 'revise',
      },
    });
  });

  test('is not led through an invalid one, nor is an unknown run', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const path = await edited(scene, 'partial', 'partial: incomplete', 'partial: incomplte');
    const invalid = await scene.conductor('replay', runId, '--against', path);
    expect(invalid).toMatchObject({ code: 2, stdout: '' });
    expect(invalid.stderr).toContain('did you mean `incomplete`?');
    const json = await scene.conductor('replay', runId, '--against', path, '--json');
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, files: [{ path, ok: false }] });
    expect(await scene.conductor('replay', runId, '--against', `${path}.gone`)).toMatchObject({ code: 2 });
    const typo = `${runId.slice(0, 12)}${runId[12] === '0' ? '1' : '0'}`;
    for (const command of ['replay', 'verify'])
      expect(await scene.conductor(command, typo)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('did you mean'),
      });
  });
});
