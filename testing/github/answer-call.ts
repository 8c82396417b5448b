import { checkScopes, type Identity, scopeHeaders } from './access.ts';
import { type Answer, type Call, type Handler, type ListAnswer, notFound, refused } from './call.ts';
import { hasAtLeast, permissionOf, type Repository } from './state.ts';

/** An answer as it is sent, before limits and caches. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Checks the rights of a call, makes its answer and cuts lists into pages. Throws `Refused`. */
export async function answerCall(
  handler: Handler,
  call: Call,
  identity: Identity,
  repository: Repository | null,
  /** Address of the list without its query, for links to further pages. */
  address: string,
): Promise<Reply> {
  const headers = scopeHeaders(identity.token, handler.scopes);
  if (handler.needs === null)
    return replyOf(
      await handler.answer({ ...call, repository: noRepository(), permission: 'none' }),
      call,
      headers,
      address,
    );
  if (repository === null) throw notFound();
  const permission = permissionOf(repository, identity.user?.id ?? null);
  if (!hasAtLeast(permission, 'read') && identity.appId === null) throw notFound();
  checkScopes(identity.token, handler.scopes);
  if (handler.scopes.length > 0 && identity.user === null) throw refused(401, 'Requires authentication');
  if (!hasAtLeast(permission, handler.needs))
    throw refused(403, 'Must have admin rights to Repository.', headers);
  return replyOf(await handler.answer({ ...call, repository, permission }), call, headers, address);
}

function replyOf(
  answer: Answer,
  call: Call,
  headers: Readonly<Record<string, string>>,
  address: string,
): Reply {
  if ('items' in answer) return pageOf(answer, call.query, headers, address);
  return { status: answer.status, headers: { ...headers, ...answer.headers }, body: answer.body };
}

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

function pageOf(
  { items, render, wrap }: ListAnswer,
  query: URLSearchParams,
  headers: Readonly<Record<string, string>>,
  address: string,
): Reply {
  const perPage = Math.min(MAX_PER_PAGE, Math.max(1, Number(query.get('per_page') ?? DEFAULT_PER_PAGE)));
  const page = Math.max(1, Number(query.get('page') ?? 1));
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const rendered = items.slice((page - 1) * perPage, page * perPage).map((item) => render(item as never));
  const link = (rel: string, to: number): string => {
    const params = new URLSearchParams(query);
    params.set('page', String(to));
    return `<${address}?${params.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < last ? [link('next', page + 1), link('last', last)] : []),
    ...(page > 1 ? [link('first', 1)] : []),
  ];
  return {
    status: 200,
    headers: { ...headers, ...(links.length === 0 ? {} : { link: links.join(', ') }) },
    body: wrap === undefined ? rendered : wrap(rendered, items.length),
  };
}

/** Calls outside of a repository never read it. */
function noRepository(): Repository {
  return new Proxy({} as Repository, {
    get: (_, name) => {
      throw new Error(`a call outside of a repository reads its ${String(name)}`);
    },
  });
}
