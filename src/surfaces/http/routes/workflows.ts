import { expectOpened, type ServedRepository } from '../../../app/page/served-repository.ts';
import {
  checkEdited,
  composeWorkflow,
  listWorkflows,
  type WorkflowSources,
} from '../../../app/page/workflows-page.ts';
import { checkBodySchema } from '../../../contracts/http/workflow-page.ts';
import type { PageServer } from '../page-server.ts';
import { getInRepo, type Route, RouteError, route } from '../route.ts';

/** Workflows with their diagnostics, proofs and graphs. Nothing here writes a file. */
export const WORKFLOW_ROUTES: readonly Route[] = [
  getInRepo('/workflows', async ({ server }, repo) => ({
    ...(await listWorkflows(await sourcesOf(server, repo))),
  })),
  getInRepo('/workflows/:id', async ({ server, params }, repo) => {
    const page = await composeWorkflow(await sourcesOf(server, repo), params.id ?? '');
    if (page === null) throw new RouteError(404, 'no_workflow', 'there is no workflow of this id');
    return { ...page };
  }),
  checkRoute(),
];

/** A check changes nothing, so that a session that may only look can do it too. */
function checkRoute(): Route {
  return route('POST', '/api/repos/:repo/workflows/check', 'look', checkBodySchema, async (request) => {
    const repo = request.server.repositories.find(({ id }) => id === request.params.repo);
    if (repo === undefined) throw new RouteError(404, 'no_repository', 'this server has no such repository');
    return { ...(await checkEdited(await sourcesOf(request.server, repo), request.body.source)) };
  });
}

async function sourcesOf({ reader }: PageServer, repo: ServedRepository): Promise<WorkflowSources> {
  const setup = expectOpened(await repo.services.openCheck(repo.root));
  return { repoRoot: repo.root, setup, files: reader.projectFiles };
}
