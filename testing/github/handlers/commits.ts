import {
  actor,
  type Handler,
  invalid,
  list,
  notFound,
  type RepositoryCall,
  read,
  refused,
  write,
} from '../call.ts';
import { type CheckRun, nextId, type Status } from '../state.ts';
import { followBranches } from './pulls.ts';

const STATUS_SCOPES = ['repo', 'public_repo', 'repo:status'];

/** Statuses and check runs of commits, branches and refs. */
export const commitHandlers: Readonly<Record<string, Handler>> = {
  'repos/create-commit-status': write(
    'write',
    async (call) => {
      const { repository, documents, state, now, params } = call;
      const sha = await resolveSha(call, params.sha);
      const fields = call.body as {
        state: Status['state'];
        context?: string;
        description?: string | null;
        target_url?: string | null;
      };
      if ((fields.description ?? '').length > 140)
        throw invalid([{ resource: 'Status', code: 'custom', field: 'description' }]);
      const status: Status = {
        id: nextId(state),
        sha,
        state: fields.state,
        context: fields.context ?? 'default',
        description: fields.description ?? null,
        targetUrl: fields.target_url ?? null,
        creatorId: actor(call).id,
        createdAt: now,
      };
      repository.statuses.push(status);
      return {
        status: 201,
        body: { ...documents.status(repository, status), creator: documents.simpleUser(status.creatorId) },
      };
    },
    STATUS_SCOPES,
  ),

  'repos/list-commit-statuses-for-ref': read(async (call) => {
    const { repository, documents, params } = call;
    const sha = await resolveSha(call, params.ref);
    return list(repository.statuses.filter((status) => status.sha === sha).reverse(), (status) => ({
      ...documents.status(repository, status),
      creator: documents.simpleUser(status.creatorId),
    }));
  }),

  'repos/get-combined-status-for-ref': read(async (call) => {
    const { repository, documents, params } = call;
    const sha = await resolveSha(call, params.ref);
    const latest = new Map<string, Status>();
    for (const status of repository.statuses) if (status.sha === sha) latest.set(status.context, status);
    const all = [...latest.values()];
    const state = all.some((status) => status.state === 'failure' || status.state === 'error')
      ? 'failure'
      : all.length === 0 || all.some((status) => status.state === 'pending')
        ? 'pending'
        : 'success';
    const url = `${documents.repoUrl(repository)}/commits/${sha}`;
    return list(
      all,
      (status) => documents.status(repository, status),
      (statuses) => ({
        state,
        sha,
        total_count: all.length,
        statuses,
        repository: documents.minimalRepository(repository),
        commit_url: url,
        url: `${url}/status`,
      }),
    );
  }),

  'checks/create': write('write', async (call) => {
    const { repository, documents, state, now } = call;
    const fields = call.body as CheckFields & { name: string; head_sha: string };
    const appId = call.token?.appId ?? null;
    if (appId === null) throw refused(403, 'You must authenticate via a GitHub App.');
    const run: CheckRun = {
      id: nextId(state),
      headSha: await resolveSha(call, fields.head_sha),
      name: fields.name,
      appId,
      status: 'queued',
      conclusion: null,
      externalId: null,
      detailsUrl: null,
      output: { title: null, summary: null, text: null },
      startedAt: now,
      completedAt: null,
    };
    applyCheck(run, fields, now);
    repository.checkRuns.push(run);
    return { status: 201, body: documents.checkRun(repository, run) };
  }),

  'checks/update': write('write', (call) => {
    const { repository, documents, params, now } = call;
    const run = repository.checkRuns.find(({ id }) => id === Number(params.check_run_id));
    if (run === undefined) throw notFound();
    if (call.token?.appId !== run.appId) throw refused(403, 'Invalid app_id');
    applyCheck(run, call.body as CheckFields, now);
    return { status: 200, body: documents.checkRun(repository, run) };
  }),

  'checks/list-for-ref': read(async (call) => {
    const { repository, documents, params, query } = call;
    const sha = await resolveSha(call, params.ref);
    const name = query.get('check_name');
    const found = repository.checkRuns.filter(
      (run) => run.headSha === sha && (name === null || run.name === name),
    );
    // By default only the latest run of a name counts.
    const runs =
      query.get('filter') === 'all'
        ? found
        : [...new Map(found.map((run) => [`${run.appId} ${run.name}`, run])).values()];
    return list(
      runs,
      (run) => documents.checkRun(repository, run),
      (page, total) => ({ total_count: total, check_runs: page }),
    );
  }),

  'git/get-ref': read(async ({ repository, documents, params }) => {
    const sha = await repository.bare.resolve(`refs/${params.ref ?? ''}`);
    if (sha === null) throw notFound();
    return { status: 200, body: documents.ref(repository, `refs/${params.ref ?? ''}`, sha) };
  }),

  'git/list-matching-refs': read(async ({ repository, documents, params }) => {
    const prefix = params.ref ?? '';
    const branches = [...(await repository.bare.branches())].map(([name, sha]) => ({
      ref: `heads/${name}`,
      sha,
    }));
    return list(
      branches.filter(({ ref }) => ref.startsWith(prefix)),
      ({ ref, sha }) => documents.ref(repository, `refs/${ref}`, sha),
    );
  }),

  'git/create-ref': write('write', async (call) => {
    const { repository, documents } = call;
    const { ref, sha } = call.body as { ref: string; sha: string };
    if (!/^refs\/.+\/.+/.test(ref)) throw refused(422, 'Reference name must start with refs/');
    if ((await repository.bare.resolve(sha)) === null) throw refused(422, 'Object does not exist');
    if ((await repository.bare.resolve(ref)) !== null) throw refused(422, 'Reference already exists');
    await repository.bare.git('update-ref', ref, sha);
    return { status: 201, body: documents.ref(repository, ref, sha) };
  }),

  'git/update-ref': write('write', async (call) => {
    const { repository, documents, params } = call;
    const name = `refs/${params.ref ?? ''}`;
    const { sha, force } = call.body as { sha: string; force?: boolean };
    const before = await repository.bare.resolve(name);
    if (before === null) throw refused(422, 'Reference does not exist');
    if (force !== true && !(await repository.bare.isAncestor(before, sha)))
      throw refused(422, 'Update is not a fast forward');
    await repository.bare.git('update-ref', name, sha);
    await followBranches(call, repository, actor(call).id);
    return { status: 200, body: documents.ref(repository, name, sha) };
  }),

  'git/delete-ref': write('write', async (call) => {
    const { repository, params } = call;
    const name = `refs/${params.ref ?? ''}`;
    if ((await repository.bare.resolve(name)) === null) throw refused(422, 'Reference does not exist');
    await repository.bare.git('update-ref', '-d', name);
    await followBranches(call, repository, actor(call).id);
    return { status: 204 };
  }),
};

interface CheckFields {
  readonly status?: string;
  readonly conclusion?: string;
  readonly external_id?: string;
  readonly details_url?: string;
  readonly output?: { readonly title?: string; readonly summary?: string; readonly text?: string };
}

function applyCheck(run: CheckRun, fields: CheckFields, now: number): void {
  run.externalId = fields.external_id ?? run.externalId;
  run.detailsUrl = fields.details_url ?? run.detailsUrl;
  run.status = fields.conclusion === undefined ? (fields.status ?? run.status) : 'completed';
  run.conclusion = fields.conclusion ?? run.conclusion;
  if (run.status === 'completed') run.completedAt = now;
  const { output } = fields;
  if (output !== undefined)
    run.output = { title: output.title ?? null, summary: output.summary ?? null, text: output.text ?? null };
}

async function resolveSha({ repository }: RepositoryCall, ref: string | undefined): Promise<string> {
  const name = ref ?? '';
  const sha =
    (await repository.bare.resolve(`refs/heads/${name}`)) ??
    (/^[0-9a-f]{7,40}$/.test(name) ? await repository.bare.resolve(name) : null);
  if (sha === null) throw refused(422, `No commit found for SHA: ${name}`);
  return sha;
}
