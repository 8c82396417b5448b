import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { createRecordFiles } from '../../src/adapters/run-store/record-files.ts';
import { createSummaryCache } from '../../src/adapters/run-store/summary-cache.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { listArtifacts, openArtifact } from '../../src/app/page/evidence/artifacts.ts';
import { readChangedFile, readChanges } from '../../src/app/page/evidence/changes.ts';
import { readChecks } from '../../src/app/page/evidence/checks.ts';
import { createEvidenceTools } from '../../src/app/page/evidence/evidence-tools.ts';
import { composeGoldens } from '../../src/app/page/evidence/goldens.ts';
import { findEvidenceFolder, readOutput } from '../../src/app/page/evidence/output.ts';
import { composeStepPage, readPrompt } from '../../src/app/page/evidence/step-page.ts';
import { drawRun } from '../../src/app/page/graph.ts';
import { composeRunState, rewindRun } from '../../src/app/page/run-state.ts';
import { attemptName, type OpenRun, openRun } from '../../src/app/runs/open-run.ts';
import { CLI_DOCUMENTS } from '../../src/contracts/cli/cli-documents.ts';
import { HTTP_DOCUMENTS, type HttpDocumentName } from '../../src/contracts/http/http-documents.ts';
import { readRecordedPlan } from '../../src/runtime/record/recorded-run.ts';
import { RECORDED_RUNS, type RecordedRun } from './recorded-runs.ts';

const tools = createEvidenceTools(createRecordFiles());

async function openRecorded({ runsDir, runId }: RecordedRun): Promise<OpenRun> {
  const records = {
    repoRoot: runsDir,
    store: createEmbeddedEngine({ repoRoot: runsDir, runsDir, clock: systemClock }),
    summaries: createSummaryCache(runsDir),
    clock: systemClock,
    userName: async () => 'Ann',
    answerer: () => Promise.reject(new Error('nothing is answered here')),
    answers: 'any' as const,
  };
  const opened = await openRun(records, runId);
  if (!opened.ok) throw new Error(`no run ${runId}`);
  return opened.run;
}

function expectDocument(name: HttpDocumentName, document: unknown): void {
  const { schema } = HTTP_DOCUMENTS[name];
  expect(schema.safeParse(document).error?.issues ?? [], name).toEqual([]);
  // What the schema does not know would be cut here: the schemas are complete.
  expect(schema.parse(document), name).toEqual(document);
}

const facts = { shortId: '01a1', lastSeq: 0, isPast: false, commands: [] };
const request = {
  tests: null,
  objects: () => Promise.reject(new Error('a recorded run has its patch')),
};

describe.each(RECORDED_RUNS)('the documents of the page about $name', (recorded) => {
  it('have the form of their schemas, at every event', async () => {
    const run = await openRecorded(recorded);
    const document = await composeRunState(run, facts);
    expectDocument('run', document);
    expect(CLI_DOCUMENTS.show.safeParse(document).error?.issues ?? []).toEqual([]);
    const plan = await readRecordedPlan(run.record.directory, run.view);
    if (!plan.ok) throw new Error(plan.message);
    expectDocument('graph', drawRun(plan.plan, run.view));
    for (const { seq } of run.record.events) {
      const past = rewindRun(run, seq);
      if (past === null) throw new Error('the first event starts the run');
      const then = await composeRunState(past, { ...facts, isPast: true });
      expectDocument('run', then);
      expect(then.as_of_seq).toBe(seq);
      expectDocument('graph', drawRun(plan.plan, past.view));
    }
    expect(await composeRunState(rewindRun(run, 10_000) ?? run, facts)).toEqual({
      ...document,
      driver_pid: null,
    });
  });

  it('have the form of their schemas for each step', async () => {
    const run = await openRecorded(recorded);
    // A run that ended during its setup has no steps.
    expect(run.view.steps.length > 0).toBe(!recorded.name.includes('unprepared'));
    for (const step of run.view.steps) {
      const page = await composeStepPage(run, tools, step);
      expectDocument('step', page);
      const key = attemptName(step);
      const place = findEvidenceFolder(run, key);
      if (place === null) throw new Error(`no folder of ${key}`);
      for (const { stream, validator, name } of page.output)
        expectDocument(
          'output',
          await readOutput(run, tools, place, { stream, validator, name, line: 1, limit: 50 }),
        );
      if (page.has_prompt) expectDocument('prompt', await readPrompt(run, step));
      if (step.opcode === 'RUN_VALIDATION')
        expectDocument(
          'checks',
          await readChecks(run, step, { filter: 'all', text: '', offset: 0, limit: 100 }),
        );
    }
  });

  it('have the form of their schemas for changes and files', async () => {
    const run = await openRecorded(recorded);
    for (const step of [null, ...run.view.steps]) {
      const changes = await readChanges(run, tools, { ...request, step }, { offset: 0, limit: 100 });
      expectDocument('changes', changes);
      if (step?.opcode === 'RUN_AGENT' && step.termination !== null) expect(changes.problem).toBeNull();
      for (const { path, lines } of changes.files) {
        const file = await readChangedFile(
          run,
          tools,
          { ...request, step },
          { path, from: 0, limit: 10_000 },
        );
        expectDocument('changed-file', file);
        expect(file?.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)).toBe(lines);
      }
    }
    const artifacts = await listArtifacts(run, tools);
    expectDocument('artifacts', artifacts);
    for (const { path } of artifacts.steps.flatMap((step) => step.artifacts)) {
      const opened = await openArtifact(run, tools, path);
      await opened?.file.close();
      expect(opened?.path).toBe(path);
    }
    expectDocument('goldens', await composeGoldens(run));
  });
});
