import { describe, expect, it } from 'vitest';
import { nextCommands } from '../../../src/app/runs/next-commands.ts';
import type { AgentStart } from '../../../src/contracts/run/run-summary.ts';
import type { DriveEnd } from '../../../src/runtime/drive/drive.ts';
import type { RunView, StepView } from '../../../src/runtime/record/run-view.ts';
import { renderSummary } from '../../../src/surfaces/cli/output/summary.ts';
import { startWith } from '../overview/summary-fixture.ts';
import { listeningTerminal } from './listening-terminal.ts';

const ID = '0199ab12-cdef-7000-8000-000000000000';
const SHORT = '0199ab12';

function step(stepId: string, fields: Partial<StepView> = {}): StepView {
  return {
    stepId,
    opcode: 'RUN_AGENT',
    attempt: 1,
    visit: 1,
    recovery: false,
    startedAt: '2026-01-01T00:00:00Z',
    endedAt: '2026-01-01T00:00:01Z',
    termination: 'completed',
    reason: null,
    parked: false,
    flaky: [],
    ...fields,
  };
}

const CUT_OFF: Partial<StepView> = { endedAt: null, termination: null };

/** What a summary reads of a run that started from the tree `base`. */
function viewOf(fields: Partial<Omit<RunView, 'state'>>, tree = 'base'): RunView {
  return {
    runId: ID,
    started: { workflow_id: 'fix', base_tree: 'base', base_sha: 'c0', branch_name: 'conductor/run/fix' },
    title: null,
    startedAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:01:00Z',
    endedAt: null,
    state: { tree, stage: { kind: 'running' }, usage: {} },
    steps: [],
    starts: [],
    awaiting: null,
    violations: [],
    setup: [],
    baseline: null,
    notices: [],
    answers: [],
    end: null,
    headSha: null,
    ...fields,
  } as unknown as RunView;
}

function summaryOf(view: RunView, driven = false): string {
  const { terminal } = listeningTerminal();
  return renderSummary(terminal, {
    view,
    id: SHORT,
    driven,
    runDirectory: '/runs/x',
    diffStat: [],
    findings: [],
    checks: [],
    gate: view.awaiting === null ? [] : [view.awaiting.reason],
    nextCommands: [],
    now: new Date('2026-01-01T12:00:00Z'),
    width: Number.POSITIVE_INFINITY,
  });
}

describe('the path of a summary', () => {
  const waiting = { stepId: 'ask', attempt: 1, reason: 'look' } as RunView['awaiting'];
  it.each<[string, string, RunView, boolean]>([
    [
      'an attempt without an end before another one',
      'fix (interrupted) → fix',
      viewOf({ steps: [step('fix', CUT_OFF), step('fix', { attempt: 2 })] }),
      true,
    ],
    [
      'the last attempt of a run that no process drives',
      'fix → check (interrupted)',
      viewOf({ steps: [step('fix'), step('check', CUT_OFF)] }),
      false,
    ],
    [
      'the last attempt of a run that a process drives',
      'fix → check',
      viewOf({ steps: [step('fix'), step('check', CUT_OFF)] }),
      true,
    ],
    [
      'a gate that waits',
      'fix → ask',
      viewOf({ steps: [step('fix'), step('ask', { ...CUT_OFF, opcode: 'GATE' })], awaiting: waiting }),
      false,
    ],
    [
      'a step that is parked',
      'fix (parked)',
      viewOf({ steps: [step('fix', { ...CUT_OFF, parked: true })] }),
      false,
    ],
    [
      'a step that failed',
      'check (error)',
      viewOf({ steps: [step('check', { termination: 'error' })] }),
      false,
    ],
  ])('names %s', (_, path, view, driven) => {
    expect(summaryOf(view, driven)).toContain(`  path\n    ${path}\n`);
  });
});

describe('the reason of an evaluation', () => {
  const REASON = 'the validator tests exited with 1';
  const evaluated = step('judge', { opcode: 'EVALUATE', termination: 'partial', reason: REASON });
  const end = (reason: string | null) =>
    ({ lifecycle: 'blocked', outcome: 'partial', termination: 'partial', reason }) as RunView['end'];

  it.each<[string, RunView]>([
    ['is why the run ended', viewOf({ steps: [evaluated], end: end(null) })],
    [
      'is why the gate is open',
      viewOf({
        steps: [evaluated],
        awaiting: {
          stepId: 'ask',
          reason: `evaluation \`judge\`: partial: ${REASON}`,
        } as RunView['awaiting'],
      }),
    ],
  ])('is printed once if it %s', (_, view) => {
    const text = summaryOf(view);
    expect(text).toContain('  evaluations\n    judge: partial\n');
    expect(text.split(REASON)).toHaveLength(2);
  });

  it('is part of the evaluation if nothing else states it', () => {
    const text = summaryOf(viewOf({ steps: [evaluated], end: end('the budget is spent') }));
    expect(text).toContain(`  evaluations\n    judge: partial: ${REASON}\n`);
    expect(text).toContain('  why\n    the budget is spent\n');
  });
});

describe('the reason of a setup that ended the run', () => {
  it('is printed once, with the output of the command', () => {
    const reason = 'setup: `npm ci` exited with code 1\nnpm error missing lock file';
    const text = summaryOf(
      viewOf({
        setup: [{ checkout: 'work', digest: null, cache_hit: false, commands: [], outcome: 'error', reason }],
        end: { lifecycle: 'failed', outcome: 'error', termination: 'error', reason },
      }),
    );
    expect(text).toContain('  setup and baseline\n    setup failed\n');
    expect(text.split('`npm ci` exited')).toHaveLength(2);
    expect(text.split('npm error missing lock file')).toHaveLength(2);
  });
});

describe('the next commands of a run that ended', () => {
  function ended(lifecycle: 'completed' | 'failed', tree: string): string[] {
    const headSha = tree === 'base' ? 'c0' : 'c1';
    const end = { lifecycle } as Extract<DriveEnd, { kind: 'ended' }>['end'];
    return nextCommands({ kind: 'ended', end, view: viewOf({ headSha }, tree) }, SHORT);
  }

  it('offer the diff only if there is one', () => {
    expect(ended('completed', 'other')).toEqual([`conductor diff ${SHORT}`, 'git merge conductor/run/fix']);
    expect(ended('completed', 'base')).toEqual([`conductor show ${SHORT}`]);
    expect(ended('failed', 'other')).toEqual([
      `conductor show ${SHORT}`,
      `conductor logs ${SHORT}`,
      `conductor diff ${SHORT}`,
    ]);
    expect(ended('failed', 'base')).toEqual([`conductor show ${SHORT}`, `conductor logs ${SHORT}`]);
  });
});

describe('the usage of a summary', () => {
  const agent = step('implement');
  const some = startWith();
  const part = startWith({ usage: { input_tokens: 5, output_tokens: null, cost_usd: null } });
  it.each<readonly [string, readonly AgentStart[]]>([
    ['1000 tokens in, 200 out; cost 0.41 USD', [some]],
    ['1005 tokens in, at least 200 out; cost at least 0.41 USD', [some, part]],
    ['5 tokens in, unknown out; cost unknown', [part]],
    ['tokens unknown; cost unknown', []],
  ])('is `%s`', (usage, starts) => {
    expect(summaryOf(viewOf({ steps: [agent], starts }))).toContain(`  usage\n    ${usage}\n`);
  });
});
