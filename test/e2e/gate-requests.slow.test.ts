import { createHash } from 'node:crypto';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { CONFIG, fixture, notifiedLines, oneAgentStep, readPid, type Scene, test, until } from './scene.ts';

/** An evaluation with flags and blockers before the gate, a violation, and a rollback behind it. */
const EVALUATED = `workflow_id: evaluated
version: 1
description: A user looks at what was evaluated.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: "write answer.txt 42\\nsay Implemented the answer."
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run:
      - id: harness
        kind: script
        entrypoint: tools/act.mjs
        args: ['report {"proposed_goldens": [{"id": "g", "golden_path": "golden.txt", "proposed_path": "p.txt", "kind": "text", "diff_ref": "d.txt"}]}']
        artifacts: [harness_report.json]
    routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_harness_report.v1
    allowed_next_steps: [ask]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: ask }
  - id: ask
    opcode: GATE
    gate: goldens
    approvers: [ann, bob]
    timeout: 2h
    routes: { gate_approved: STOP, gate_rejected: undo, gate_timed_out: late }
  - id: undo
    opcode: ROLLBACK
    target: pre_run
    routes: { completed: STOP, error: STOP }
  - id: late
    opcode: STOP
    reason: nobody looked
`;

async function waitingRun(scene: Scene, workflow = 'gate'): Promise<string> {
  const { code, runId, stderr } = await scene.run(workflow);
  expect(code, stderr).toBe(3);
  return runId;
}

async function runText(scene: Scene, text: string, ...args: readonly string[]): Promise<string> {
  await scene.repo.write('../home/w.yaml', text);
  const { stdout } = await scene.conductor('run', '../home/w.yaml', ...args);
  return stdout.split('\n')[0] ?? '';
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

describe('the request of a gate', () => {
  test('has everything that a reviewer needs to decide', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await runText(scene, EVALUATED);
    const { evidence, path, metadata, status } = scene.record(runId);
    const request = JSON.parse(evidence('ask', 'gate_request'));
    expect(request).toMatchObject({
      run_id: runId,
      workflow_id: 'evaluated',
      step_id: 'ask',
      gate: 'goldens',
      reason: expect.stringContaining('goldens proposed'),
      approvers: ['ann', 'bob'],
      timeout_ms: 7_200_000,
      judgement: {
        step_id: 'judge',
        status: 'needs_human',
        risk_flags: ['proposed_goldens_present'],
        blockers: [expect.objectContaining({ code: expect.any(String), summary: expect.any(String) })],
      },
      proposed_goldens: [{ id: 'g', golden_path: 'golden.txt' }],
      diff: {
        files: [{ path: 'answer.txt', status: 'M', insertions: 1, deletions: 1 }],
        file_count: 1,
        patch: 'artifacts/ask/workspace.patch',
      },
      consequences: {
        approve: { step_id: 'STOP', ends: { lifecycle_state: 'completed', outcome: 'success' } },
        reject: { step_id: 'undo', opcode: 'ROLLBACK', ends: null },
        timeout: { step_id: 'late', ends: { outcome: 'timed_out', reason: 'nobody looked' } },
      },
      workflow_digest: metadata.workflow_digest,
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const until = Math.abs(Date.parse(request.expires_at) - Date.parse(status.awaiting?.expires_at ?? ''));
    expect(until).toBeLessThan(10_000);
    const roles = request.evidence.map(({ step_id, role }: Record<string, string>) => `${step_id} ${role}`);
    expect(roles).toEqual(
      expect.arrayContaining([
        'implement runner_transcript',
        'implement workspace_diff',
        'check validation_report',
        'check harness_report',
        'judge planner_decision',
        'ask workspace_diff',
      ]),
    );
    for (const item of request.evidence)
      expect(await sha256(join(path, item.path)), item.path).toBe(item.sha256);
  });

  test('can be read as text, and the commands show the important parts', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await runText(scene, EVALUATED);
    const text = scene.record(runId).evidence('ask', 'gate_request_text');
    const parts = [
      'judge: needs_human',
      'proposed_goldens_present',
      'M answer.txt  +1 -1',
      'golden.txt',
      'approve: ends the run as completed, success',
      'reject: continues with undo (ROLLBACK)',
      'ends the run as blocked, timed_out: nobody looked',
    ];
    for (const part of [...parts, 'approvers: ann, bob', 'runner_transcript']) expect(text).toContain(part);
    for (const command of [['gates'], ['show', runId]]) {
      const { stdout } = await scene.conductor(...command);
      for (const part of [...parts, 'approvers: ann, bob']) expect(stdout, command.join(' ')).toContain(part);
    }
  });

  test('begins with what decides, and names what the change says by its content', async ({ openScene }) => {
    const scene = await openScene({
      files: {
        'test/answer.test.js': "it('answers', () => {});\nit('adds', () => {});\n",
        'src/a.js': '// old\nexport const a = 1;\n',
      },
    });
    const many = Array.from({ length: 12 }, (_, at) => `write src/parts/p${at}.txt x`);
    const prompt = [
      "write test/answer.test.js it.skip('answers', () => {});",
      'write scripts/run.sh exit 0',
      'write src/a.js // new\\nexport const a = 1;',
      'write src/b.js export function b() { throw new Error("later"); }',
      'write src/c.js export const c = "\u202e";',
      ...many,
      'say Implemented everything.',
    ];
    const asked = oneAgentStep('truth', JSON.stringify(prompt.join('\n')))
      .replace('completed: STOP', 'completed: ask')
      .concat('  - id: ask\n    opcode: GATE\n    gate: requires_approval\n')
      .concat('    routes: { gate_approved: STOP, gate_rejected: STOP }\n');
    const runId = await runText(scene, asked);
    const text = scene.record(runId).evidence('ask', 'gate_request_text');
    const gates = (await scene.conductor('gates')).stdout;
    for (const shown of [text, gates]) {
      const places = [
        'hanges to tests, checks and build files',
        'M test/answer.test.js  +1 -2  test',
        'A scripts/run.sh  +1 -0  script',
        'ther changes',
        'src/parts/  12 files, +12 -0',
        'src/c.js:1  hidden characters: \\u202e',
        "test/answer.test.js:1  skips a test: it.skip('answers', () => {});",
        'test/answer.test.js  deletes a test: adds',
        'src/b.js:1  stub: b() only throws',
        'src/a.js  changes only comments, white space or types',
        '> Implemented everything.',
      ].map((part) => shown.indexOf(part));
      expect(places, shown).toEqual(places.toSorted((one, other) => one - other));
      expect(places[0], shown).toBeGreaterThan(-1);
    }
  });

  test('lists the violations of the run so far', async ({ openScene }) => {
    const scene = await openScene();
    const asked = oneAgentStep('strays', '"write .tnh/x.yml no\\nexit 0"')
      .replace('completed: STOP', 'completed: ask')
      .concat('  - id: ask\n    opcode: GATE\n    gate: requires_approval\n')
      .concat('    routes: { gate_approved: STOP, gate_rejected: STOP }\n');
    const runId = await runText(scene, asked);
    const request = JSON.parse(scene.record(runId).evidence('ask', 'gate_request'));
    expect(request.violations).toMatchObject([{ class: 'forbidden_path', subject: '.tnh/x.yml' }]);
    expect(request.consequences.approve.ends).toMatchObject({ lifecycle_state: 'failed', outcome: 'policy' });
  });
});

describe('an approval', { timeout: 60_000 }, () => {
  test('carries the tree, the workflow and the evidence it is for', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const request = JSON.parse(scene.record(runId).evidence('approve', 'gate_request'));
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
    const answer = JSON.parse(scene.record(runId).evidence('approve', 'gate_outcome'));
    expect(answer).toMatchObject({
      answer: 'gate_approved',
      tree: request.tree,
      workflow_digest: scene.record(runId).metadata.workflow_digest,
      evidence: request.evidence.map(({ path, sha256: digest }: Record<string, string>) => ({
        path,
        sha256: digest,
      })),
    });
  });

  const TAMPERED = [
    { what: 'what the agent said', path: 'artifacts/implement/transcript.txt' },
    { what: 'what the tests printed', path: 'artifacts/check/tests.stdout.txt' },
    { what: 'the diff that the gate shows', path: 'artifacts/approve/workspace.patch' },
    { what: 'the text that the gate shows', path: 'artifacts/approve/gate_request.md' },
    { what: 'the request itself', path: 'artifacts/approve/gate_request.json' },
    { what: 'the workflow', path: 'workflow.yaml' },
  ];

  test('is refused, and void, when any of what was shown is tampered with', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const { path: folder } = scene.record(runId);
    for (const { what, path } of TAMPERED) {
      const before = await readFile(join(folder, path));
      await appendFile(join(folder, path), '\n');
      const refused = await scene.conductor('approve', runId);
      expect(refused, what).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr, what).toMatch(
        new RegExp(`^conductor: ${path.replaceAll('.', '\\.')} .*changed`, 'm'),
      );
      await writeFile(join(folder, path), before);
    }
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    const lines = scene.record(runId).lines;
    for (const { what, path } of TAMPERED) {
      const before = await readFile(join(folder, path));
      await appendFile(join(folder, path), '\n');
      const refused = await scene.conductor('resume', runId);
      expect(refused, what).toMatchObject({ code: 1 });
      expect(refused.stderr, what).toMatch(/void: .*changed|not the one it was started with/);
      expect(scene.record(runId).lines, what).toEqual(lines);
      await writeFile(join(folder, path), before);
    }
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
  });

  test('is not needed to reject what was tampered with', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const { path } = scene.record(runId);
    const file = join(path, 'artifacts/implement/transcript.txt');
    const before = await readFile(file);
    await appendFile(file, 'more');
    expect(await scene.conductor('reject', runId, '--resume')).toMatchObject({ code: 4 });
    await writeFile(file, before);
  });
});

describe('an inbox with something else in it', () => {
  test('is named, and is free again when the file is gone', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const { path, eventsOf } = scene.record(runId);
    const digest = eventsOf('gate_requested')[0]?.payload.request_sha256 ?? '';
    const inbox = join(path, `artifacts/approve/gate_outcome-${digest.slice(0, 16)}.json`);
    await writeFile(inbox, '{"answer":"gate_approved"}');
    const refused = await scene.conductor('approve', runId);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${inbox} exists, but is not an answer`);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 3 });
    await rm(inbox);
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
  });
});

describe('a comment', () => {
  test('reaches the agent that is asked next', async ({ openScene }) => {
    const scene = await openScene();
    const again = oneAgentStep('again', '"write answer.txt 42\\nexit 0"')
      .replace('completed: STOP', 'completed: ask')
      .concat('  - id: ask\n    opcode: GATE\n    gate: requires_approval\n')
      .concat('    routes: { gate_approved: STOP, gate_rejected: only }\n');
    const runId = await runText(scene, again);
    const rejected = await scene.conductor('reject', runId, '--comment', 'explain it', '--resume');
    expect(rejected, rejected.stderr).toMatchObject({ code: 3 });
    const { evidence } = scene.record(runId);
    expect(evidence('only', 'runner_prompt')).not.toContain('said at the gate');
    expect(evidence('only@2', 'runner_prompt')).toContain(
      '## What Test User said at the gate\n\nexplain it\n',
    );
  });
});

describe('a gate whose time has passed', () => {
  test('is shown by commands that read, and only a command that drives acts on it', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene, 'gate-timeout');
    const { status, lines } = scene.record(runId);
    await pause(Math.max(0, Date.parse(status.awaiting?.expires_at ?? '') - Date.now()) + 1);
    for (const command of [['gates'], ['show', runId], ['status', runId], ['status'], ['runs']]) {
      const { code, stdout } = await scene.conductor(...command);
      expect({ command, code, reported: /expired.*will time it out/.test(stdout) }).toEqual({
        command,
        code: 0,
        reported: true,
      });
    }
    const { gates } = JSON.parse((await scene.conductor('gates', '--json')).stdout);
    expect(gates).toMatchObject([{ run_id: runId, expired: true, answer: null }]);
    expect(scene.record(runId).lines).toEqual(lines);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 4 });
  });

  test('counts an answer that came before, however late it is driven', async ({ openScene }) => {
    const scene = await openScene();
    // Long enough that a busy machine answers in time, and no longer: the test waits for its end.
    const text = (await readFile(fixture('gate-timeout'), 'utf8')).replace(/timeout: \S+/, 'timeout: 8s');
    const runId = await runText(scene, text);
    const answered = await scene.conductor('approve', runId);
    const { status } = scene.record(runId);
    expect(answered, answered.stderr).toMatchObject({ code: 0 });
    await pause(Math.max(0, Date.parse(status.awaiting?.expires_at ?? '') - Date.now()) + 1);
    const { stdout } = await scene.conductor('gates', '--json');
    expect(JSON.parse(stdout).gates).toMatchObject([{ answer: 'gate_approved', expired: false }]);
    for (const command of [['gates'], ['show', runId], ['status', runId]]) {
      const looked = await scene.conductor(...command);
      expect(looked.stdout, command.join(' ')).toContain('approved by Test User');
      expect(looked.stdout, command.join(' ')).not.toContain('expired');
    }
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
  });
});

describe('the command to notify', () => {
  const WRITER = `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(\`\${process.env.HOME}/notified.ndjson\`, readFileSync(0));
`;
  const withNotify = (command: string) => `${CONFIG}notify: { command: ${command} }\n`;

  test('gets one JSON event when a gate is requested, and one at the end', async ({ openScene }) => {
    const scene = await openScene({
      config: withNotify('[node, tools/notify.mjs]'),
      files: { 'tools/notify.mjs': WRITER },
    });
    const runId = await waitingRun(scene);
    await scene.conductor('approve', runId, '--resume');
    const reported = await notifiedLines(scene.home, 2);
    const { eventsOf } = scene.record(runId);
    const events = [...eventsOf('gate_requested'), ...eventsOf('run_completed')];
    expect(reported.map((line) => JSON.parse(line))).toEqual(
      events.map((event) => ({
        ...event,
        notification: expect.objectContaining({ commands: expect.any(Array) }),
      })),
    );
  });

  for (const [what, command] of [
    ['is not there', '[no-such-program]'],
    ['fails', '[node, -e, "process.exit(3)"]'],
    ['does not read', '[node, -e, "process.stdin.destroy()"]'],
  ])
    test(`does no harm when it ${what}`, async ({ openScene }) => {
      const scene = await openScene({ config: withNotify(command ?? '') });
      expect(await scene.run('success')).toMatchObject({ code: 0 });
    });

  test('does not delay a run when it hangs', async ({ openScene }) => {
    const hanging = `import { writeFileSync } from 'node:fs';
writeFileSync(\`\${process.env.HOME}/pid\`, String(process.pid));
setInterval(() => {}, 1000);
`;
    const scene = await openScene({
      config: withNotify('[node, tools/notify.mjs]'),
      files: { 'tools/notify.mjs': hanging },
    });
    const driver = scene.cli.start(['run', fixture('gate')]);
    await until(() => driver.stderr().includes('conductor approve'));
    await until(() => readPid(join(scene.home, 'pid')));
    const runId = driver.stdout().trim();
    expect(scene.record(runId).status.lifecycle_state).toBe('waiting');
    expect(await driver.done).toMatchObject({ code: 3 });
  });
});
