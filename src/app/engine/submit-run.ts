import { type SubmittedRun, submissionSchema } from '../../contracts/run/submission.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { parseJson } from '../../text/json.ts';
import type { RunnableWorkflow, RunRequest } from '../drive/check-runnable.ts';
import type { OpenProject } from '../opened.ts';
import { listNeeds } from './labels.ts';

export type SubmitRequest = Pick<RunRequest, 'baseRef' | 'inputs' | 'title' | 'issue' | 'baseline'>;

export type SubmittedResult =
  | { readonly ok: true; readonly runId: string }
  | { readonly ok: false; readonly obstacle: Obstacle };

/** Hands a run of a checked workflow to the workers of the engine. The caller has checked trust. */
export async function submitRun(
  project: OpenProject,
  { plan, bytes }: RunnableWorkflow,
  { baseRef, inputs, title = null, issue, baseline = true }: SubmitRequest,
): Promise<SubmittedResult> {
  const { deps, ids, store } = project;
  const base = await deps.workspace.resolveBase(baseRef);
  if (!base.ok)
    return {
      ok: false,
      obstacle: {
        message: `base ref "${baseRef}" does not name a commit`,
        help: 'name an existing branch, tag or commit; git branch --all lists branches',
      },
    };
  const runId = ids.newRunId();
  const side = await project.engineSide();
  await project.hub?.offerBase(runId, base.sha);
  const request: SubmittedRun = {
    version: 1,
    workflow: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    base_ref: baseRef,
    base_sha: base.sha,
    inputs: { ...inputs },
    title,
    ...(issue === undefined ? {} : { issue }),
    baseline,
  };
  await store.submit({
    runId,
    artifactsDir: plan.artifactsDir,
    needs: listNeeds(plan, side),
    request: JSON.stringify(request),
  });
  return { ok: true, runId };
}

/** Null for a request of another version of conductor. */
export function readSubmission(request: string): SubmittedRun | null {
  const parsed = submissionSchema.safeParse(parseJson(request));
  return parsed.success ? parsed.data : null;
}

/** The only queued run whose id starts with this text; null if there is none. It may not have started, so it may have no record. */
export async function findQueued(engine: Pick<Engine, 'queue'>, runRef: string): Promise<string | null> {
  if (!/^[0-9a-f-]{4,}$/.test(runRef)) return null;
  const [only, ...more] = (await engine.queue()).filter(({ runId }) => runId.startsWith(runRef));
  return only !== undefined && more.length === 0 ? only.runId : null;
}
