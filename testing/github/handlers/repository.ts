import { actor, type Call, type Handler, invalid, list, notFound, read, refused, write } from '../call.ts';
import { findUser, type Label, nextId, type Repository } from '../state.ts';

const HOUR_MS = 3_600_000;

/** Repositories, users, labels, rate limits, apps. */
export const repositoryHandlers: Readonly<Record<string, Handler>> = {
  'repos/get': read(({ documents, repository, user }) => ({
    status: 200,
    body: documents.repository(repository, user?.id ?? null),
  })),

  'repos/get-collaborator-permission-level': write(
    'write',
    ({ state, documents, repository, params }) => {
      const user = findUser(state, params.username ?? '');
      if (user === undefined) throw notFound();
      return { status: 200, body: documents.collaborator(repository, user) };
    },
    [],
  ),

  'repos/check-collaborator': write(
    'write',
    ({ state, repository, params }) => {
      const user = findUser(state, params.username ?? '');
      const belongs =
        user !== undefined && (repository.ownerId === user.id || repository.collaborators.has(user.id));
      if (!belongs) throw notFound();
      return { status: 204 };
    },
    [],
  ),

  'repos/list-collaborators': write(
    'write',
    ({ state, documents, repository }) => {
      const ids = [repository.ownerId, ...repository.collaborators.keys()];
      return list(
        ids.flatMap((id) => state.users.get(id) ?? []),
        (user) => documents.collaborator(repository, user).user,
      );
    },
    [],
  ),

  'issues/list-labels-for-repo': read(({ documents, repository }) =>
    list([...repository.labels.values()], (label) => documents.label(repository, label)),
  ),

  'issues/get-label': read(({ documents, repository, params }) => ({
    status: 200,
    body: documents.label(repository, findLabel(repository, params.name)),
  })),

  'issues/create-label': write('write', (call) => {
    const { state, documents, repository } = call;
    const fields = call.body as { name: string; color?: string; description?: string };
    checkLabel(fields);
    if (repository.labels.has(fields.name.toLowerCase()))
      throw invalid([{ resource: 'Label', code: 'already_exists', field: 'name' }]);
    return {
      status: 201,
      body: documents.label(
        repository,
        addLabel(repository, nextId(state), fields.name, fields.color, fields.description),
      ),
    };
  }),

  'issues/update-label': write('write', (call) => {
    const { documents, repository, params } = call;
    const label = findLabel(repository, params.name);
    const fields = call.body as { new_name?: string; color?: string; description?: string };
    checkLabel({ name: fields.new_name ?? label.name, ...fields });
    const before = label.name;
    repository.labels.delete(before.toLowerCase());
    label.name = fields.new_name ?? label.name;
    label.color = fields.color ?? label.color;
    label.description = fields.description ?? label.description;
    repository.labels.set(label.name.toLowerCase(), label);
    for (const issue of repository.issues.values())
      issue.labels = issue.labels.map((name) => (name === before ? label.name : name));
    return { status: 200, body: documents.label(repository, label) };
  }),

  'issues/delete-label': write('write', ({ repository, params }) => {
    const { name } = findLabel(repository, params.name);
    repository.labels.delete(name.toLowerCase());
    for (const issue of repository.issues.values())
      issue.labels = issue.labels.filter((each) => each !== name);
    return { status: 204 };
  }),

  'users/get-authenticated': outside((call) => {
    if (call.token?.appId != null) throw refused(403, 'Resource not accessible by integration');
    return { status: 200, body: call.documents.privateUser(actor(call)) };
  }),

  'users/get-by-username': outside(({ state, documents, params }) => {
    const user = findUser(state, params.username ?? '');
    if (user === undefined) throw notFound();
    return { status: 200, body: documents.publicUser(user) };
  }),

  'users/get-by-id': outside(({ state, documents, params }) => {
    const user = state.users.get(Number(params.account_id));
    if (user === undefined) throw notFound();
    return { status: 200, body: documents.publicUser(user) };
  }),

  'rate-limit/get': outside((call) => {
    const rate = call.rateLimit();
    return { status: 200, body: { resources: { core: rate, search: rate, graphql: rate }, rate } };
  }),

  'apps/get-authenticated': outside((call) => ({
    status: 200,
    body: call.documents.app(appOf(call)),
  })),

  'apps/get-repo-installation': {
    ...read((call) => {
      const app = call.state.apps.get(appOf(call));
      if (app === undefined) throw notFound();
      return { status: 200, body: installation(call, app.id) };
    }),
    needs: 'none',
  },

  'apps/create-installation-access-token': outside((call) => {
    const app = call.state.apps.get(appOf(call));
    if (app === undefined || Number(call.params.installation_id) !== app.installationId) throw notFound();
    const expiresAt = call.now + HOUR_MS;
    const token = call.makeToken({ userId: app.botId, scopes: null, expiresAt, appId: app.id });
    return {
      status: 201,
      body: {
        token,
        expires_at: call.documents.time(expiresAt),
        permissions: {},
        repository_selection: 'all',
      },
    };
  }),
};

function outside(answer: (call: Call) => ReturnType<Handler['answer']>): Handler {
  return { needs: null, scopes: [], answer };
}

function appOf(call: Call): number {
  if (call.appId === null) throw refused(401, 'A JSON web token could not be decoded');
  return call.appId;
}

function installation(call: Call, appId: number): object {
  const app = call.state.apps.get(appId);
  if (app === undefined) throw notFound();
  const url = `${call.origin}/app/installations/${app.installationId}`;
  return {
    id: app.installationId,
    account: call.documents.simpleUser(app.botId),
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${call.origin}/installation/repositories`,
    html_url: url,
    app_id: app.id,
    app_slug: app.slug,
    target_id: app.botId,
    target_type: 'User',
    permissions: {},
    events: [],
    single_file_name: null,
    repository_selection: 'all',
    created_at: call.documents.time(0),
    updated_at: call.documents.time(0),
    suspended_by: null,
    suspended_at: null,
  };
}

function findLabel(repository: Repository, name: string | undefined): Label {
  const label = repository.labels.get((name ?? '').toLowerCase());
  if (label === undefined) throw notFound();
  return label;
}

function checkLabel({
  name,
  color,
  description,
}: {
  name: string;
  color?: string;
  description?: string;
}): void {
  const wrong = (field: string): never => {
    throw invalid([{ resource: 'Label', code: 'invalid', field }]);
  };
  if (name.trim() === '' || name.length > 50) wrong('name');
  if (color !== undefined && !/^[0-9a-f]{6}$/i.test(color)) wrong('color');
  if (description !== undefined && description.length > 100) wrong('description');
}

export function addLabel(
  repository: Repository,
  id: number,
  name: string,
  color = 'ededed',
  description: string | null = null,
): Label {
  const label = { id, name, color: color.toLowerCase(), description };
  repository.labels.set(name.toLowerCase(), label);
  return label;
}
