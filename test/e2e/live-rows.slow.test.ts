import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ESCALATIONS } from '../../src/planner/table/escalation.ts';
import { ROWS } from '../../src/planner/table/rows.ts';
import { readEvaluation } from './evaluated-run.ts';
import { LIVE_CASES, LIVE_FILES, type LiveCase } from './live-row-cases.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import { CONFIG, type Scene, test } from './scene.ts';

/** `moody` passes from the second try on. */
const MOODY = 'test -e tried.txt || { touch tried.txt; exit 3; }';
const LIVE_CONFIG = `${CONFIG}  lint: { command: [node, -e, "0"] }
  moody: { command: [sh, -c, ${JSON.stringify(MOODY)}] }
  judged: { command: [sh, test/judge.sh] }
  uninstalled: { command: [sh, -c, "! grep -qx 42 answer.txt || exit 127"] }
entrypoints: [cp]
`;
const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

function agentStep(id: string, intent: string, lines: readonly string[], next: string): string {
  return `  - id: ${id}
    opcode: RUN_AGENT
    agent: actor
    intent: ${intent}
    prompt: |
${lines.map((line) => `      ${line}\n`).join('')}    routes: { completed: ${next}, ${ENDS} }
`;
}

/** An agent, an optional review, checks, and an evaluation that sends partial work back a given number of times. */
function workflowOf({ work, review, run, limits = '', revision = '', before = [] }: LiveCase): string {
  const again = before.length > 0 ? 'work' : 'STOP';
  return `workflow_id: live
version: 1
description: A run that comes to one row of the decision table.
entry_step: work
steps:
${agentStep('work', 'implementation', work, review === undefined ? 'check' : 'review')}${review === undefined ? '' : agentStep('review', 'review', review, 'check')}  - { id: check, opcode: RUN_VALIDATION, run: [${run.join(', ')}], ${limits}routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP } }
  - { id: judge, opcode: EVALUATE, prompt: planner.evaluate_results.v1, ${revision}allowed_next_steps: [work, ask, STOP], routes: { success: STOP, partial: ${again}, blocked: STOP, unsafe: STOP, needs_human: ask } }
  - { id: ask, opcode: GATE, gate: requires_approval, routes: { gate_approved: STOP, gate_rejected: STOP } }
`;
}

const EXIT: Readonly<Record<string, number>> = {
  success: 0,
  needs_human: 3,
  partial: 4,
  blocked: 4,
  unsafe: 5,
};

const folder = (visit: number) => (visit === 1 ? 'judge' : `judge@${visit}`);

/** The rules give the same bytes to the evidence that the run stored as they gave to the run. */
async function expectSameAgain(scene: Scene, record: RunRecordOnDisk, visit: number): Promise<void> {
  const input = record.manifest(folder(visit)).artifacts.find(({ role }) => role === 'planner_input');
  const { code, stdout } = await scene.conductor(
    'evaluate',
    '--input',
    join(record.path, input?.path ?? 'nowhere'),
  );
  expect(code).toBe(0);
  expect(stdout).toBe(record.evidence(folder(visit), 'planner_decision'));
}

describe('a run comes to the evaluation of', () => {
  for (const live of LIVE_CASES)
    test(live.row, async ({ openScene }) => {
      const scene = await openScene({ config: LIVE_CONFIG, files: LIVE_FILES });
      await scene.repo.write('../live.yaml', workflowOf(live));
      const { code, stdout, stderr } = await scene.conductor('run', '../live.yaml');
      const record = scene.record(stdout.split('\n')[0] ?? '');
      const { before = [], status, rows } = live;
      const statuses = record.eventsOf('decision_recorded').map(({ payload }) => payload.status);
      expect(statuses, stderr).toEqual([...before, status]);
      const { decision, trace } = readEvaluation(record, folder(statuses.length));
      expect(trace).toMatchObject({ verdict: 'rules', rows, floor: decision });
      expect(decision.risk_flags).toEqual(expect.arrayContaining([...(live.flags ?? [])]));
      expect(code, stderr).toBe(EXIT[status]);
      const shown = await scene.conductor('show', record.metadata.run_id);
      const [first = '', ...also] = rows;
      const reason = shown.stdout.split('\n').findLast((line) => line.includes('reason: ')) ?? '';
      expect(reason).toContain(first === 'clean' ? 'reason: ' : `reason: ${first}: `);
      if (also.length > 0) expect(reason).toContain(`; also ${also.join(', ')}`);
      expect(shown.stdout).toContain(live.message);
      for (const visit of statuses.keys()) await expectSameAgain(scene, record, visit + 1);
      if (status === 'needs_human') await scene.conductor('cancel', record.metadata.run_id);
    });
});

describe('the live cases', () => {
  it('are one for every row of the decision table', () => {
    const ids = [...ROWS, ...ESCALATIONS].map(({ id }) => id);
    expect(LIVE_CASES.map(({ row }) => row).sort()).toEqual([...ids, 'clean'].sort());
    for (const { row, rows } of LIVE_CASES) expect(rows).toContain(row);
  });
});
