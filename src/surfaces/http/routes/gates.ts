import { answerFromPage, composeGateDocument } from '../../../app/page/gate-page.ts';
import { expectOpened } from '../../../app/page/served-repository.ts';
import { gatesDocument, listGates } from '../../../app/runs/list-gates.ts';
import { gateAnswerRequestSchema } from '../../../contracts/http/gate-documents.ts';
import { getInRepo, getOfRun, postOfRun, type Route, RouteError, sendJson } from '../route.ts';

/** Gates, and their answers. */
export const GATE_ROUTES: readonly Route[] = [
  getInRepo('/gates', async (_, { records }) => gatesDocument(await listGates(records))),
  getOfRun('/gate', async (_, run) => {
    const document = await composeGateDocument(run);
    if (document === null) throw new RouteError(404, 'no_gate', 'the run is not waiting at a gate');
    return { ...document };
  }),
  postOfRun('/gate', gateAnswerRequestSchema, async ({ server, body, session, address }, run, repo) => {
    const project = expectOpened(await repo.services.openProject(repo.root));
    const result = await answerFromPage(project, run, { session, address }, body);
    server.boards.get(repo.id)?.refresh(run.view.runId);
    if (result.ok) return { ...result.answered };
    const { message, help, current } = result;
    const error = { code: 'not_answered', message, help };
    return sendJson({ schema_version: 1, error, current }, 409);
  }),
];
