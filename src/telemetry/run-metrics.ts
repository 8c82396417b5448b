/**
 * The metrics of one ended run. Every value is the total of its run, from start to end: the resource names the run, so a
 * repeated export writes the same points of the same series and nothing is counted twice.
 */

import type { AttemptFacts } from './run-attempts.ts';
import type { RunTrace } from './run-spans.ts';
import type { Attributes } from './span.ts';

export interface Metric {
  readonly name: string;
  readonly description: string;
  /** As in UCUM. */
  readonly unit: string;
  readonly points: readonly MetricPoint[];
}

export interface MetricPoint {
  readonly value: number;
  readonly isInteger: boolean;
  readonly attributes: Attributes;
}

/** Metrics without a value, such as the cost of agents that report none, are left out. */
export function listMetrics(trace: RunTrace): readonly Metric[] {
  const { started, end, startMs, endMs, usage, attempts } = trace;
  const ofRun = { 'conductor.workflow.id': started.workflow_id, 'conductor.outcome': end.outcome };
  const count = (value: number, attributes: Attributes): MetricPoint => ({
    value,
    isInteger: true,
    attributes,
  });
  const known = (value: number | null, attributes: Attributes): readonly MetricPoint[] =>
    value === null ? [] : [count(value, attributes)];
  const metrics: readonly Metric[] = [
    {
      name: 'conductor.run.count',
      description: 'Runs that ended.',
      unit: '{run}',
      points: [count(1, ofRun)],
    },
    {
      name: 'conductor.run.duration',
      description: 'Time from the start of a run to its end, waiting included.',
      unit: 's',
      points: [{ value: (endMs - startMs) / 1_000, isInteger: false, attributes: ofRun }],
    },
    {
      name: 'conductor.attempt.count',
      description: 'Attempts at steps.',
      unit: '{attempt}',
      points: countAttempts(attempts).map(([value, attributes]) => count(value, attributes)),
    },
    {
      name: 'conductor.usage.tokens',
      description: 'Tokens that agents used.',
      unit: '{token}',
      points: [
        ...known(usage.inputTokens, { ...ofRun, 'gen_ai.token.type': 'input' }),
        ...known(usage.outputTokens, { ...ofRun, 'gen_ai.token.type': 'output' }),
      ],
    },
    {
      name: 'conductor.usage.cost',
      description: 'What agents cost.',
      unit: '{USD}',
      points: known(usage.costUsd, ofRun).map((point) => ({ ...point, isInteger: false })),
    },
    {
      name: 'conductor.violation.count',
      description: 'Policy violations.',
      unit: '{violation}',
      points: [
        count(
          attempts.reduce((sum, { violations }) => sum + violations, 0),
          ofRun,
        ),
      ],
    },
  ];
  return metrics.filter(({ points }) => points.length > 0);
}

function countAttempts(attempts: readonly AttemptFacts[]): readonly (readonly [number, Attributes])[] {
  const groups = new Map<string, readonly [number, Attributes]>();
  for (const { stepId, opcode, outcome } of attempts) {
    const key = [stepId, opcode, outcome].join('\n');
    const attributes = {
      'conductor.step.id': stepId,
      'conductor.step.opcode': opcode,
      'conductor.outcome': outcome,
    };
    groups.set(key, [(groups.get(key)?.[0] ?? 0) + 1, attributes]);
  }
  return [...groups.values()];
}
