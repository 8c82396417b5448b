import { readChangedFile, readChanges } from '../../../app/page/evidence/changes.ts';
import { readChecks } from '../../../app/page/evidence/checks.ts';
import { type EvidenceFolder, findEvidenceFolder, readOutput } from '../../../app/page/evidence/output.ts';
import { composeStepPage, readPrompt } from '../../../app/page/evidence/step-page.ts';
import { rewindRun } from '../../../app/page/run-state.ts';
import type { ServedRepository } from '../../../app/page/served-repository.ts';
import type { OpenRun } from '../../../app/runs/open-run.ts';
import { CASE_FILTERS } from '../../../contracts/http/evidence-page.ts';
import type { StepView } from '../../../runtime/record/run-view.ts';
import { getOfRun, queryCount, type Route, RouteError, type SessionRequest } from '../route.ts';

const MAX_FILES = 1_000;
const MAX_CHANGED_LINES = 2_000;
const MAX_CASES = 500;
const MAX_OUTPUT_LINES = 1_000;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** What a step left: reasons, claims, changes, checks, output and its prompt; with `at`, what of it there was after that event. */
export const EVIDENCE_ROUTES: readonly Route[] = [
  getOfRun('/steps/:key', async (request, now) => {
    const run = rewindTo(request, now);
    return { ...(await composeStepPage(run, request.server.reader.evidence, expectStep(request, run))) };
  }),
  getOfRun('/steps/:key/checks', async (request, run) => {
    const { query } = request;
    const step = expectStep(request, run);
    const wanted = query.get('filter') ?? 'all';
    const filter = CASE_FILTERS.find((each) => each === wanted);
    if (filter === undefined)
      throw new RouteError(400, 'query', `filter is none of ${CASE_FILTERS.join(', ')}`);
    if (step.opcode !== 'RUN_VALIDATION')
      throw new RouteError(404, 'no_checks', 'only a validation has checks');
    return {
      ...(await readChecks(run, step, {
        filter,
        text: query.get('text') ?? '',
        offset: queryCount(query, 'offset', 0, NO_LIMIT),
        limit: queryCount(query, 'limit', 100, MAX_CASES),
      })),
    };
  }),
  getOfRun('/steps/:key/output', async (request, run) => {
    const { query } = request;
    const output = await readOutput(run, request.server.reader.evidence, expectFolder(request, run), {
      stream: query.get('stream'),
      validator: query.get('validator'),
      name: query.get('name'),
      line: query.get('line') === 'end' ? 'end' : Math.max(1, queryCount(query, 'line', 1, NO_LIMIT)),
      limit: Math.max(1, queryCount(query, 'limit', 200, MAX_OUTPUT_LINES)),
    });
    if (output === null) throw new RouteError(404, 'no_output', 'the step has no such output');
    return { ...output };
  }),
  getOfRun('/steps/:key/prompt', async (request, run) => {
    const prompt = await readPrompt(run, expectStep(request, run));
    if (prompt === null) throw new RouteError(404, 'no_prompt', 'the step has no prompt');
    return prompt;
  }),
  getOfRun('/changes', async (request, now, repo) => {
    const run = rewindTo(request, now);
    return {
      ...(await readChanges(run, request.server.reader.evidence, await changesRequest(request, run, repo), {
        offset: queryCount(request.query, 'offset', 0, NO_LIMIT),
        limit: queryCount(request.query, 'limit', 200, MAX_FILES),
      })),
    };
  }),
  getOfRun('/changes/file', async (request, now, repo) => {
    const { query } = request;
    const run = rewindTo(request, now);
    const file = await readChangedFile(
      run,
      request.server.reader.evidence,
      await changesRequest(request, run, repo),
      {
        path: query.get('path') ?? '',
        from: queryCount(query, 'from', 0, NO_LIMIT),
        limit: Math.max(1, queryCount(query, 'limit', 500, MAX_CHANGED_LINES)),
      },
    );
    if (file === null) throw new RouteError(404, 'no_file', 'this change has no such file');
    return { ...file };
  }),
];

/** The run as it was after the event `at`; as it is now without one. */
function rewindTo({ query }: Pick<SessionRequest, 'query'>, run: OpenRun): OpenRun {
  if (!query.has('at')) return run;
  const then = rewindRun(run, queryCount(query, 'at', 0, NO_LIMIT));
  if (then === null) throw new RouteError(404, 'not_started', 'the run had not started');
  return then;
}

async function changesRequest(
  { query, server }: Pick<SessionRequest, 'query' | 'server'>,
  run: OpenRun,
  repo: ServedRepository,
) {
  const key = query.get('step');
  const { tests } = await server.reader.openObjects(repo);
  return {
    step: key === null ? null : stepOf(run, key),
    tests,
    objects: async () => (await server.reader.openObjects(repo)).objects,
  };
}

function expectFolder({ params }: Pick<SessionRequest, 'params'>, run: OpenRun): EvidenceFolder {
  const found = findEvidenceFolder(run, params.key ?? '');
  if (found === null) throw new RouteError(404, 'no_step', 'the run has not reached such a step');
  return found;
}

function expectStep({ params }: Pick<SessionRequest, 'params'>, run: OpenRun): StepView {
  return stepOf(run, params.key ?? '');
}

function stepOf(run: OpenRun, key: string): StepView {
  const step = findEvidenceFolder(run, key)?.step ?? null;
  if (step === null) throw new RouteError(404, 'no_step', 'the run has not reached such a step');
  return step;
}
