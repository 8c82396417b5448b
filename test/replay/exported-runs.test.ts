import { describe, expect, test } from 'vitest';
import { exportRun } from '../../src/app/runs/export-run.ts';
import { tracesSchema } from '../e2e/otlp-receiver.ts';
import { openRecord, RECORDED_RUNS } from './recorded-runs.ts';

describe('every recorded run that ended can be exported', () => {
  test.each(RECORDED_RUNS)('$name', async (recorded) => {
    const open = await openRecord(recorded);
    const exported = await exportRun(open, { repoRoot: '/repo', payloads: false });
    if (open.view.end === null) return expect(exported).toBeNull();
    const body = exported?.documents.find(({ signal }) => signal === 'traces')?.body;
    const [sent] = tracesSchema.parse(JSON.parse(JSON.stringify(body))).resourceSpans;
    const spans = sent?.scopeSpans.flatMap((scope) => scope.spans) ?? [];
    const { usage } = open.view.state;
    expect(spans[0]?.attributes['gen_ai.usage.input_tokens'] ?? null).toBe(usage.inputTokens);
    expect(spans[0]?.attributes['gen_ai.usage.output_tokens'] ?? null).toBe(usage.outputTokens);
    expect(spans[0]?.attributes['conductor.usage.cost_usd'] ?? null).toBe(usage.costUsd);
    expect(spans.filter(({ name }) => name.startsWith('attempt '))).toHaveLength(open.view.steps.length);
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans)
      expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
  });
});
