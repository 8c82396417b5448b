import { describe, expect, test } from 'vitest';
import { computeRunStats } from '../../src/app/runs/run-stats.ts';
import type { RunSummary } from '../../src/contracts/run/run-summary.ts';
import { composeReport } from '../../src/overview/compose-report.ts';
import { shortIdsOf } from '../../src/overview/short-ids.ts';
import { createSummaryReader } from '../../src/runtime/record/read-summary.ts';
import { openRecord, RECORDED_RUNS } from './recorded-runs.ts';

/** The runs whose events are counted by hand below. A run that is recorded later changes nothing here. */
const NAMES = [
  'v1/gate-approved',
  'v1/recovered',
  'v1/refined',
  'v1/rolled-back',
  'v2/prepared-again',
  'v2/published',
  'v2/unprepared',
];

async function readSummaries(): Promise<readonly RunSummary[]> {
  const read = createSummaryReader();
  const summaries = await Promise.all(
    RECORDED_RUNS.filter(({ name }) => NAMES.includes(name)).map(async (run) =>
      read((await openRecord(run)).record),
    ),
  );
  return summaries.filter((summary) => summary !== null);
}

describe('the report on the recorded runs', () => {
  test('has the sections and totals that their events have', async () => {
    const summaries = await readSummaries();
    expect(summaries).toHaveLength(NAMES.length);
    const report = composeReport({
      now: '2026-11-18T06:00:00.000Z',
      scope: { kind: 'since', since: '2026-11-01T00:00:00.000Z' },
      repositories: [
        {
          name: 'recorded',
          repoOption: null,
          runs: summaries.map((summary) => ({ summary, isDriven: false })),
          shortId: shortIdsOf(summaries.map(({ run_id }) => run_id)),
          questions: [],
          baselineRuns: [],
          diskUse: null,
          unreadable: [],
        },
      ],
    });
    const sections = report.sections.map(({ id, runs }) => [
      id,
      runs.map(({ workflow_id }) => workflow_id).sort(),
    ]);
    expect(sections).toEqual([
      ['done', ['gate', 'gate', 'interrupted', 'refined', 'refined']],
      ['failed', ['gate', 'unsafe']],
    ]);
    // refined, twice: 1200 + 800 tokens in, $0.25 + $0.15. The other five starts report nothing.
    expect(report.spent.total).toMatchObject({
      starts: 9,
      input_tokens: 4000,
      output_tokens: 0,
      cost_usd: 0.8,
      unknown: { input_tokens: 5, output_tokens: 9, cost_usd: 5 },
    });
    const lines = report.sections.flatMap(({ runs }) => runs);
    for (const groups of [lines, report.spent.by_agent, report.spent.by_workflow])
      expect(groups.reduce((sum, { spend }) => sum + spend.agent_ms, 0)).toBe(report.spent.total.agent_ms);
    expect(report.spent.by_workflow.map(({ name, runs }) => [name, runs])).toEqual([
      ['refined', 2],
      ['gate', 2],
      ['interrupted', 1],
      ['unsafe', 1],
    ]);
  });
});

/** Figures need ten runs, so each recorded run counts twice. */
async function computeTwice() {
  const summaries = await readSummaries();
  const all = ['a', 'b'].flatMap((copy) =>
    summaries.map((summary) => ({ ...summary, run_id: `${summary.run_id}-${copy}` })),
  );
  const ids = all.map(({ run_id }) => run_id);
  const unused = () => Promise.reject(new Error('every summary is kept'));
  return computeRunStats(
    {
      store: {
        match: async () => ids,
        read: unused,
        drive: unused,
        create: unused,
        list: unused,
        listAbandoned: unused,
        locate: () => '',
        kind: 'embedded',
        submit: unused,
        claim: unused,
        queue: unused,
        withdraw: unused,
        join: unused,
        workers: unused,
        tail: () => {
          throw new Error('every summary is kept');
        },
        fetch: unused,
        close: unused,
      },
      summaries: {
        visit: async (take) => {
          for (const summary of all) take({ logBytes: 1, summary });
        },
        logSizes: async () => new Map(ids.map((id) => [id, 1])),
        keep: async () => {},
      },
    },
    { by: null, since: null },
  );
}

describe('the statistics of the recorded runs, each counted twice', () => {
  test('are those computed by hand from their events', async () => {
    const { runs, groups } = await computeTwice();
    expect(runs).toBe(14);
    // `unprepared` ended before its agent started, so the agent has twelve runs.
    const [actor] = groups.agent ?? [];
    expect(groups.agent).toHaveLength(1);
    expect(actor).toMatchObject({
      name: 'actor',
      runs: 12,
      successes: 10,
      contradictions: 0,
      // 1 + 2 + 2 + 1 + 2 + 1 attempts, twice, for ten successes.
      attempts_per_success: { value: 1.8, runs: 12, missing: null },
      // 1546, 1841, 1997, 2073, 2688 and 3034 ms, twice: between 1997 and 2073.
      median_wall_ms: { value: 2035, runs: 12, missing: null },
      // Only the four runs of `refined` report a cost, and none reports its output tokens.
      cost_usd_per_success: { value: null, runs: 4, missing: 'too_few_runs' },
      tokens_per_success: { value: null, runs: 0, missing: 'unknown' },
    });
    // Wilson, z = 1.96, 10 of 12: (0.8333 + 0.1601 ± 0.2647) / 1.3201.
    expect(actor?.success_rate?.rate).toBeCloseTo(0.8333, 4);
    expect(actor?.success_rate?.low).toBeCloseTo(0.552, 3);
    expect(actor?.success_rate?.high).toBeCloseTo(0.953, 3);
    // gate-approved, published and unprepared, twice: too few for a rate.
    expect(
      groups.workflow?.map(({ name, runs: count, success_rate }) => [name, count, success_rate]),
    ).toEqual([
      ['gate', 6, null],
      ['refined', 4, null],
      ['interrupted', 2, null],
      ['unsafe', 2, null],
    ]);
  });
});
