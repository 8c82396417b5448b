import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { END_PARENT } from '../kills/git-trap.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import { fixture, type Scene, test } from './scene.ts';

/** The pattern as it is published, with a harness writer that needs no model in the place of its agent. */
const GOLDEN = 'goldens/answer.txt';
const PROPOSED = 'the answer\nis 42\n';
const files = { [GOLDEN]: 'the answer\nis ?\n' };

async function runPattern(scene: Scene): Promise<string> {
  const text = await readFile(fixture('pattern-a'), 'utf8');
  await scene.repo.write('../pattern-a.yaml', text.replaceAll('"claude-code"', '"harness-writer"'));
  const { code, stdout } = await scene.conductor('run', '../pattern-a.yaml');
  expect(code).toBe(3);
  return stdout.trim();
}

/** Report, screenshots and logs of each run of the harness. */
function expectHarnessEvidence({ manifest, evidence }: RunRecordOnDisk): void {
  for (const folder of ['execute_harness', 'execute_harness@2']) {
    const roles = manifest(folder).artifacts.map(
      ({ role, path: file }) => `${role} ${file.split('/').at(-1)}`,
    );
    expect(roles).toEqual(
      expect.arrayContaining([
        'harness_report harness_report.json',
        'harness_screenshot answer.png',
        'validation_artifact answer.log',
      ]),
    );
  }
  expect(JSON.parse(evidence('execute_harness@2', 'harness_report')).proposed_goldens).toHaveLength(1);
}

describe('the generative evaluation pattern', () => {
  test('is valid unchanged, with advice on limits and a route that is never taken', async ({ openScene }) => {
    const scene = await openScene();
    const checked = await scene.conductor('validate', fixture('pattern-a'), '--json');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    const { ok, files } = JSON.parse(checked.stdout);
    expect([ok, files[0].ok]).toEqual([true, true]);
    const found = files[0].diagnostics as { severity: string; code: string; line: number }[];
    expect(found.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
      'warning WF312 12',
      'warning WF312 53',
      'warning WF209 72',
    ]);
  });

  test('goes from a failing case through a fix to a golden that waits', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    const record = scene.record(runId);
    expect(record.eventsOf('route_selected').map(({ payload }) => `${payload.key} ${payload.to}`)).toEqual([
      'completed execute_harness',
      'error evaluate',
      'partial fix',
      'completed execute_harness',
      'completed evaluate',
      'needs_human golden_gate',
    ]);
    expect(record.eventsOf('golden_gate_pending').map(({ payload }) => payload.proposals)).toEqual([1]);
    const [first, second] = record.eventsOf('decision_recorded').map(({ payload }) => payload);
    expect(first).toMatchObject({
      status: 'partial',
      blocker_codes: expect.arrayContaining(['case_failed:answer']),
    });
    const { fix_instructions } = JSON.parse(record.evidence('evaluate', 'planner_decision'));
    expect(JSON.stringify(fix_instructions)).toContain('cat answer.txt');
    expect(second).toMatchObject({ status: 'needs_human', risk_flags: ['proposed_goldens_present'] });
    expect(record.status.blocking_reason).toMatch(/golden/);
    expectHarnessEvidence(record);
    await access(join(record.path, 'harness', 'harness.py'));
  });

  // The last change to files is the fix, and the harness passed after it; accepting goldens is no such change.
  test('is a success without harness or report in it once the golden is approved', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
    const { base_sha, branch_name } = scene.record(runId).metadata.workspace;
    const changed = await scene.repo.git('diff', '--name-only', base_sha, branch_name);
    expect(changed.trim().split('\n')).toEqual(expect.arrayContaining(['answer.txt', GOLDEN]));
    expect(changed).not.toMatch(/harness/);
    expect(await scene.repo.git('show', `${branch_name}:${GOLDEN}`)).toBe(PROPOSED);
    const { stdout } = await scene.conductor('diff', runId);
    expect(stdout).toContain(`+++ b/${GOLDEN}\n`);
    expect(stdout).toContain('\n-is ?\n+is 42\n');
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, runId)).toMatchObject({ code: 0 });
  });

  test('is rejected when the golden is', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    expect(await scene.conductor('reject', runId, '--resume')).toMatchObject({ code: 4 });
    expect(scene.record(runId).finalState).toBe('blocked rejected gate_rejected\n');
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(files[GOLDEN]);
    const { stdout } = await scene.conductor('diff', runId, '--stat');
    expect(stdout).not.toContain(GOLDEN);
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, runId)).toMatchObject({ code: 0 });
  });
});

describe('the golden that the pattern proposes', () => {
  test('is shown with its difference, its bytes and what it replaces', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    const { evidence } = scene.record(runId);
    const { proposed_goldens } = JSON.parse(evidence('golden_gate', 'gate_request'));
    expect(proposed_goldens).toEqual([
      {
        id: 'answer',
        golden_path: GOLDEN,
        kind: 'text',
        validator: 'execute_harness/generated_harness',
        step_id: 'execute_harness',
        attempt: 2,
        proposed: {
          path: `${CAPTURED}/proposed/answer.txt`,
          sha256: digestOf(PROPOSED),
          bytes: PROPOSED.length,
        },
        diff: expect.objectContaining({ path: `${CAPTURED}/diffs/answer.diff` }),
        golden: { exists: true, sha256: digestOf(files[GOLDEN]), bytes: files[GOLDEN].length },
        acceptable: true,
        why: null,
        pixels: null,
        insertions: 1,
        deletions: 1,
        difference: '@@ -1,2 +1,2 @@\n the answer\n-is ?\n+is 42',
      },
    ]);
    const text = evidence('golden_gate', 'gate_request_text');
    for (const command of [['gates'], ['show', runId]]) {
      const { stdout } = await scene.conductor(...command);
      for (const part of [`${GOLDEN} (text)`, '16 -> 17 bytes, +1 -1', '-is ?', '+is 42']) {
        expect(stdout, command.join(' ')).toContain(part);
        expect(text).toContain(part);
      }
    }
  });

  test('is a change of its own, which an undo takes back', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    expect(await scene.conductor('approve', runId, '--as', 'ann', '--resume')).toMatchObject({ code: 0 });
    const record = scene.record(runId);
    const acceptance = JSON.parse(record.evidence('golden_gate', 'golden_acceptance'));
    expect(acceptance.proposals).toEqual([
      {
        id: 'answer',
        golden_path: GOLDEN,
        validator: 'execute_harness/generated_harness',
        accepted: true,
        sha256: digestOf(PROPOSED),
        why: null,
      },
    ]);
    const changed = await scene.repo.git(
      'diff',
      '--name-only',
      acceptance.tree_before,
      acceptance.tree_after,
    );
    expect(changed.trim()).toBe(GOLDEN);
    const [end] = record.eventsOf('step_completed').filter(({ step_id }) => step_id === 'golden_gate');
    expect(end?.payload).toMatchObject({ changed: true, tree: acceptance.tree_after });
    expect(await scene.conductor('undo', runId, 'golden_gate')).toMatchObject({ code: 0 });
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(files[GOLDEN]);
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
  });

  test('is not accepted when its captured bytes are no longer those that were shown', async ({
    openScene,
  }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    const { path, lines } = scene.record(runId);
    const captured = join(path, `${CAPTURED}/proposed/answer.txt`);
    await writeFile(captured, 'the answer\nis 43\n');
    const refused = await scene.conductor('approve', runId);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('proposed/answer.txt');
    await writeFile(captured, PROPOSED);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    await writeFile(captured, 'the answer\nis 43\n');
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 1 });
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(files[GOLDEN]);
    expect(scene.record(runId).lines).toEqual(lines);
    await writeFile(captured, PROPOSED);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(PROPOSED);
  });

  test('stays what was captured, whatever becomes of the harness folder', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    const { path } = scene.record(runId);
    await writeFile(join(path, 'harness/out/answers/proposed/answer.txt'), 'exchanged\n');
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(PROPOSED);
  });
});

describe("a golden that git can't write to the checkout", () => {
  test('is an error of its gate, and the files are as they were', async ({ openScene }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    const env = await makeStubbornGit(scene, runId);
    const resumed = await scene.cli.start(['resume', runId], { env }).done;
    expect(resumed, resumed.stderr).toMatchObject({ code: 1 });
    const { finalState, eventsOf } = scene.record(runId);
    expect(finalState).toBe('failed error workflow_error\n');
    expect(eventsOf('step_failed').at(-1)).toMatchObject({
      step_id: 'golden_gate',
      payload: { changed: false, reason: expect.stringContaining('the goldens could not be accepted') },
    });
    expect(await scene.inCheckout(runId, GOLDEN)).toBe(files[GOLDEN]);
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, runId)).toMatchObject({ code: 0 });
    const { goldens } = JSON.parse((await scene.conductor('goldens', runId, '--json')).stdout);
    expect(goldens).toMatchObject([{ state: 'pending', by: null }]);
  });
});

describe('a conductor that is killed while it accepts a golden', () => {
  test('at one git command after the other is followed by a resume that completes it once', async ({
    openScene,
  }) => {
    const scene = await openScene({ files });
    const runId = await runPattern(scene);
    expect(await scene.conductor('approve', runId, '--as', 'ann')).toMatchObject({ code: 0 });
    const trap = await makeTrap(scene, runId);
    for (const at of KILLED_AT) {
      const killed = await scene.cli.start(['resume', runId], { env: await trap(at) }).done;
      expect(killed, `at git command ${at}`).toMatchObject({ signal: 'SIGKILL' });
      expect(await scene.conductor('verify', runId), `at git command ${at}`).toMatchObject({ code: 0 });
    }
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    const { finalState, eventsOf, metadata } = scene.record(runId);
    expect(finalState).toBe('completed success gate_approved\n');
    expect(eventsOf('gate_approved')).toHaveLength(1);
    expect(
      eventsOf('artifact_recorded').filter(({ payload }) => payload.role === 'golden_acceptance'),
    ).toHaveLength(1);
    expect(await scene.repo.git('show', `${metadata.workspace.branch_name}:${GOLDEN}`)).toBe(PROPOSED);
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, runId)).toMatchObject({ code: 0 });
  }, 240_000);
});

/** Before anything, while the tree with the golden is made, around its checkout, and while the result is published. */
const KILLED_AT = [1, 7, 10, 13, 14, 19, 28];

const CAPTURED = 'artifacts/execute_harness@2/generated_harness/report-files/harness/out/answers';

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A git that does not write files twice after the approval is on record: at the first try, and at the second. */
async function makeStubbornGit(scene: Scene, runId: string): Promise<Record<string, string>> {
  const count = join(scene.home, 'refusals');
  return putGitFirst(
    scene,
    runId,
    (git) => `case "$*" in *'read-tree --reset -u'*) ;; *) exec ${git} "$@" ;; esac
printf . >> '${count}'
[ "$(wc -c < '${count}')" -le 2 ] || exec ${git} "$@"
echo 'fatal: no' >&2
exit 128
`,
  );
}

/** A program in the place of git that does as the script says once the approval is on record. */
async function putGitFirst(
  scene: Scene,
  runId: string,
  script: (git: string) => string,
): Promise<Record<string, string>> {
  const folder = join(scene.home, 'bin');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const log = join(scene.record(runId).path, 'events.ndjson');
  await mkdir(folder);
  const guard = `grep -q '"gate_approved"' '${log}' || exec ${git} "$@"`;
  await writeFile(join(folder, 'git'), `#!/bin/sh\n${guard}\n${script(git)}`, { mode: 0o755 });
  return { PATH: `${folder}:${process.env.PATH ?? ''}` };
}

/** A git that kills the conductor at its n-th command after the approval is on record, before or after its work. */
async function makeTrap(
  scene: Scene,
  runId: string,
): Promise<(at: number) => Promise<Record<string, string>>> {
  const count = join(scene.home, 'git-calls');
  const env = await putGitFirst(
    scene,
    runId,
    (git) => `${END_PARENT}
[ -n "$TRAP_AT" ] || exec ${git} "$@"
printf . >> '${count}'
[ "$(wc -c < '${count}')" -eq "$TRAP_AT" ] || exec ${git} "$@"
[ "$((TRAP_AT % 2))" -eq 0 ] || { end_parent; exec ${git} "$@"; }
${git} "$@"; end_parent
`,
  );
  return async (at) => {
    await writeFile(count, '');
    return { ...env, TRAP_AT: String(at) };
  };
}
