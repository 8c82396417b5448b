import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cli } from '../../testing/cli.ts';
import { createCliInProcess } from '../e2e/in-process.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';
import { expectSoundRecord } from '../e2e/record-check.ts';
import { readPid, until } from '../e2e/scene.ts';
import {
  APPROVE,
  accepted,
  GIVEN,
  implement,
  openRoles,
  openRunner,
  type RoleScene,
  refusal,
} from './role-scene.ts';

const SUBJECT = { role: 'implementor', item: GIVEN } as const;
const WRITE = "writeFileSync('src/area.ts', 'export const area = 3;\\n');";
const ASK = `${WRITE} give({ role: 'implementor', outcome: 'completed', summary: 'Done.',
  blockers: [{ code: 'requires_approval', summary: 'a migration' }] });`;
const HANG =
  "writeFileSync(beside('pid'), String(process.pid)); await new Promise(() => setInterval(() => {}, 1000));";

const recordPath = ({ repo }: RoleScene, runId: string) => join(repo.root, '.tnh/run', runId);

function personAt({ repo, home }: RoleScene): Cli {
  const cli = createCliInProcess({ cwd: repo.root, home });
  onTestFinished(() => cli.endAll());
  return cli;
}

/** What another process makes of the same run. */
async function lookElsewhere({ repo }: RoleScene, runId: string) {
  return (await openRunner(repo.root)).roles.readState(runId, SUBJECT);
}

describe('a run that waits at its gate', () => {
  it('waits at a gate, and is resumed when it has been approved', async () => {
    const scene = await openRoles({ implement: ASK });
    const { state, runId } = await scene.run(implement());
    expect(state).toEqual({
      kind: 'waiting',
      reason: expect.stringMatching(/^waiting for approval at gate `decide`: .*a migration/),
      gate: 'decide',
    });
    expect(await lookElsewhere(scene, runId)).toEqual(state);
    const approved = await personAt(scene).run(['approve', runId, '--as', 'ann', '--resume']);
    expect(approved.code, approved.stderr).toBe(0);
    const end = accepted(await lookElsewhere(scene, runId));
    expect(end.result).toMatchObject({
      outcome: 'completed',
      patch: expect.stringContaining('+export const area = 3;'),
    });
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is resumed by the next process that inspects it, once the user has only answered', async () => {
    const scene = await openRoles({ implement: ASK });
    const { runId } = await scene.run(implement());
    await personAt(scene).run(['approve', runId, '--as', 'ann']);
    expect(await lookElsewhere(scene, runId)).toMatchObject({ kind: 'waiting', isDue: true });
    const state = await scene.roles.resume(runId, SUBJECT, new AbortController().signal);
    expect(accepted(state).result).toMatchObject({ outcome: 'completed' });
  });

  it('leaves nothing to apply when it has been rejected', async () => {
    const scene = await openRoles({ implement: ASK });
    const { runId } = await scene.run(implement());
    const rejected = await personAt(scene).run([
      'reject',
      runId,
      '--as',
      'ann',
      '--resume',
      '--comment',
      'not now',
    ]);
    expect(rejected.stderr).toContain('rejected gate decide');
    expect(refusal(await lookElsewhere(scene, runId))).toContain(
      'says completed, but the run ended rejected: rejected by ann: not now',
    );
  });

  it('is no success by an approval alone where validators failed', async () => {
    const completed = "give({ role: 'implementor', outcome: 'completed', summary: 'Done.' });";
    const scene = await openRoles({ implement: `writeFileSync('red', ''); ${completed}`, refine: completed });
    const { state, runId } = await scene.run(implement());
    expect(state.kind).toBe('waiting');
    await personAt(scene).run(['approve', runId, '--as', 'ann', '--resume']);
    expect(refusal(await lookElsewhere(scene, runId))).toBe(
      'says completed, but validator tests exited 1: see artifacts/validate_again/validation.json',
    );
  });

  it('keeps its restrictions when another process resumes it', async () => {
    const scene = await openRoles({ implement: ASK });
    const { runId } = await scene.run(implement({ forbidden: ['src/other.ts'] }));
    await personAt(scene).run(['approve', runId, '--as', 'ann', '--resume']);
    const [line = ''] = (await readFile(join(recordPath(scene, runId), 'events.ndjson'), 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ payload: { forbidden_paths: ['src/other.ts'] } });
    expect(accepted(await lookElsewhere(scene, runId)).result).toMatchObject({ outcome: 'completed' });
  });
});

describe('a run whose driver is another process', () => {
  async function drivenElsewhere() {
    const scene = await openRoles({ implement: HANG, review: APPROVE });
    const inputs = { item: '{}', item_body: 'b', task: 't' };
    const flags = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]);
    const driver = personAt(scene).start(['run', 'work.implement', ...flags]);
    const runId = await until(() => /^[0-9a-f-]{36}$/m.exec(driver.stdout())?.[0]);
    await until(() => readPid(scene.beside('pid')));
    return { scene, driver, runId };
  }

  it('is driven while its process runs, and lost when that was killed', async () => {
    const { scene, driver, runId } = await drivenElsewhere();
    expect(await scene.roles.readState(runId, SUBJECT)).toEqual({ kind: 'driven' });
    driver.kill('SIGKILL');
    await driver.done;
    expect(await scene.roles.readState(runId, SUBJECT)).toEqual({
      kind: 'lost',
      reason: 'no process drives it',
    });
    await scene.roles.cancel(runId, 'not wanted');
    expect(markedProcesses(runId)).toEqual([]);
    expect(refusal(await scene.roles.readState(runId, SUBJECT))).toContain('the run ended cancelled');
  });

  it("can't be resumed after a cancel", async () => {
    const { scene, driver, runId } = await drivenElsewhere();
    await scene.roles.cancel(runId, 'not wanted');
    await driver.done;
    expect(refusal(await scene.roles.readState(runId, SUBJECT))).toContain('the run ended cancelled');
    await scene.roles.cancel(runId, 'not wanted');
  });
});

describe('what the engine does while a run continues', () => {
  it('is not blamed on the agent', async () => {
    const scene = await openRoles({
      implement: `while (!existsSync(beside('go'))) await new Promise((resolve) => setTimeout(resolve, 20));
        ${WRITE} give({ role: 'implementor', outcome: 'completed', summary: 'Done.' });`,
      review: APPROVE,
    });
    await scene.repo.write('.tnh/work/items.db', 'before');
    const running = scene.run(implement());
    await until(() => scene.seen('implement') !== '');
    await scene.repo.write('.tnh/work/items.db', 'after, and longer');
    await scene.repo.write('.tnh/work/items.db-wal', 'new');
    await scene.repo.git('branch', 'conductor/item/8');
    await scene.repo.git('update-ref', 'refs/conductor/salvage/item-7.1', 'main');
    const merged = await scene.repo.git('commit-tree', '-p', 'main', '-m', 'merged', 'main^{tree}');
    await scene.repo.git('update-ref', 'refs/heads/main', merged.trim());
    await writeFile(scene.beside('go'), '');
    expect(accepted((await running).state).result).toMatchObject({ outcome: 'completed' });
  });
});

describe('a run that is not taken', () => {
  it('leaves no record, and the branch to the run that was taken', async () => {
    const scene = await openRoles({
      implement: `writeFileSync(beside('there'), ''); while (!existsSync(beside('go'))) await new Promise((resolve) => setTimeout(resolve, 20));
        ${WRITE} give({ role: 'implementor', outcome: 'completed', summary: 'Done.' });`,
      review: APPROVE,
    });
    const running = scene.run(implement());
    await until(() => existsSync(scene.beside('there')));
    const refused: string[] = [];
    const late = scene.roles.run(
      implement(),
      async (runId) => {
        refused.push(runId);
        throw new Error('somebody else was faster');
      },
      new AbortController().signal,
    );
    await expect(late).rejects.toThrow('somebody else was faster');
    await writeFile(scene.beside('go'), '');
    expect(accepted((await running).state).result).toMatchObject({ outcome: 'completed' });
    const [runId = ''] = refused;
    expect(await scene.roles.readState(runId, SUBJECT)).toEqual({ kind: 'lost', reason: 'it has no record' });
    expect(await scene.repo.git('worktree', 'list')).not.toContain(runId);
  });
});

describe('a run that is stopped from outside', () => {
  it('is lost, and its agent does not go on', async () => {
    const scene = await openRoles({ implement: HANG });
    const stop = new AbortController();
    const running = scene.run(implement(), stop.signal);
    await until(() => existsSync(scene.beside('pid')));
    stop.abort();
    const { state, runId } = await running;
    expect(state).toEqual({ kind: 'lost', reason: 'no process drives it' });
    expect(markedProcesses(runId)).toEqual([]);
  });

  it('never existed if it has no record', async () => {
    const scene = await openRoles({});
    expect(await scene.roles.readState('01a1e18f-e708-705c-9c3c-018a906f28e6', SUBJECT)).toEqual({
      kind: 'lost',
      reason: 'it has no record',
    });
    await scene.roles.cancel('01a1e18f-e708-705c-9c3c-018a906f28e6', 'not wanted');
  });
});
