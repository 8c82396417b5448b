import { readFileSync } from 'node:fs';
import type { FailureClass } from '../../src/contracts/run/agent-failure.ts';
import type { AgentRequest, AgentResult } from '../../src/ports/agent.ts';
import type { ModelStep } from '../../testing/model-server/model-script.ts';
import { REAL_KINDS, type RealKind } from './real-adapters.ts';

/** What became of an agent. Nothing of it is alive afterwards, whatever it left behind. */
export interface Outcome {
  readonly termination: AgentResult['termination'];
  readonly failure: FailureClass | null;
  /** Whether processes outlived it and had to be ended; null where that depends on the moment. */
  readonly leftBehind: boolean | null;
}

export interface Fault {
  readonly name: string;
  /** As in `the provider …`. */
  readonly does: string;
  readonly steps: readonly ModelStep[];
  readonly limits?: Partial<Pick<AgentRequest, 'timeoutMs' | 'idleTimeoutMs'>>;
  /** Sent to the agent's process once its tool runs. */
  readonly signal?: NodeJS.Signals;
  /** Runs with the tests, where the agents are installed. */
  readonly short?: true;
  readonly expected: Readonly<Record<RealKind, Outcome>>;
}

const failed = (failure: FailureClass, leftBehind: boolean | null = false): Outcome => ({
  termination: 'error',
  failure,
  leftBehind,
});
const ended = (termination: Outcome['termination'], leftBehind: boolean | null = false): Outcome => ({
  termination,
  failure: null,
  leftBehind,
});
const both = (outcome: Outcome) => ({ 'claude-code': outcome, codex: outcome });

/** A tool that is still running when its agent is killed. */
export const LINE = 'sleep 300';
const status = (code: number): readonly ModelStep[] => [{ kind: 'status', status: code }];
/** Longer than either takes to say its first word. */
const QUIET = { idleTimeoutMs: 8_000 };

export const FAULTS: readonly Fault[] = [
  {
    name: 'bad-request',
    does: 'the provider answers 400',
    steps: status(400),
    expected: both(failed('no_result')),
  },
  {
    name: 'bad-key',
    short: true,
    does: 'the provider answers 401',
    steps: status(401),
    expected: both(failed('authentication')),
  },
  {
    name: 'rate-limit',
    short: true,
    does: 'the provider answers 429',
    steps: status(429),
    expected: both(failed('rate_limited')),
  },
  {
    name: 'server-error',
    does: 'the provider answers 500',
    steps: status(500),
    expected: { 'claude-code': failed('network'), codex: failed('overloaded') },
  },
  {
    name: 'overloaded',
    does: 'the provider answers 529',
    steps: status(529),
    expected: both(failed('overloaded')),
  },
  {
    name: 'drop',
    short: true,
    does: 'the connection is dropped',
    steps: [{ kind: 'drop' }],
    expected: both(failed('network')),
  },
  {
    name: 'bad-json',
    does: 'the answer is no JSON',
    steps: [{ kind: 'bad_json' }],
    expected: both(failed('network')),
  },
  {
    name: 'no-answer',
    does: 'no answer begins',
    steps: [{ kind: 'no_answer' }],
    limits: QUIET,
    expected: both(ended('killed_idle')),
  },
  {
    name: 'silence',
    does: 'an answer begins and goes silent',
    steps: [{ kind: 'silence' }],
    limits: QUIET,
    expected: both(ended('killed_idle')),
  },
  {
    name: 'endless-loop',
    does: 'the model calls tools forever',
    steps: [{ kind: 'shell', command: 'echo again' }],
    limits: { timeoutMs: 10_000 },
    expected: both(ended('killed_timeout', null)),
  },
  {
    name: 'refused-tool',
    short: true,
    does: 'the policy refuses a tool',
    steps: [
      { kind: 'shell', command: 'git commit -m work' },
      { kind: 'text', text: 'Committed.' },
    ],
    expected: { 'claude-code': failed('refused_tool'), codex: ended('completed') },
  },
  {
    name: 'sigterm',
    does: 'SIGTERM ends the agent',
    steps: [{ kind: 'shell', command: LINE }],
    signal: 'SIGTERM',
    expected: both(failed('crash', null)),
  },
  {
    name: 'sigkill',
    short: true,
    does: 'SIGKILL ends the agent',
    steps: [{ kind: 'shell', command: LINE }],
    signal: 'SIGKILL',
    expected: both(failed('crash', true)),
  },
  {
    name: 'daemon',
    short: true,
    does: 'a tool leaves a daemon behind',
    steps: [
      { kind: 'shell', command: 'nohup sleep 300 > /dev/null 2>&1 &' },
      { kind: 'text', text: 'Started.' },
    ],
    // Codex shuts its tools in by itself here, and what they leave ends with them.
    expected: { 'claude-code': ended('completed', true), codex: ended('completed') },
  },
];

const START = '<!-- faults -->';
const END = '<!-- /faults -->';

export type Outcomes = ReadonlyMap<string, Outcome>;

export function cellName(fault: Fault, kind: RealKind): string {
  return `${fault.name} of ${kind}`;
}

export function expectedOutcomes(): Outcomes {
  return new Map(
    FAULTS.flatMap((fault) =>
      REAL_KINDS.map((kind) => [cellName(fault, kind), fault.expected[kind]] as const),
    ),
  );
}

/** The page as it would be with these outcomes in it. */
export function pageWithFaults(path: string, outcomes: Outcomes): string {
  const page = readFileSync(path, 'utf8');
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${path} has no place for the table`);
  return `${page.slice(0, start + START.length)}\n\n${render(outcomes)}\n\n${page.slice(end)}`;
}

function render(outcomes: Outcomes): string {
  const rows = FAULTS.map((fault) => [
    fault.does,
    ...REAL_KINDS.map((kind) => words(outcomes.get(cellName(fault, kind)))),
  ]);
  const head = ['what happens', ...REAL_KINDS];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (parts: readonly string[]) =>
    `| ${parts.map((part, column) => part.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function words(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–';
  const { termination, failure, leftBehind } = outcome;
  return [
    `\`${termination}\``,
    failure === null ? null : `\`${failure}\``,
    leftBehind === true ? 'leftovers ended' : null,
  ]
    .filter((word) => word !== null)
    .join(', ');
}
