import { renderSVG } from 'uqr';
import {
  type PairedDocument,
  type PairingDocument,
  pairingRequestSchema,
  pairRequestSchema,
  type SessionDocument,
  type SessionsDocument,
} from '../../../contracts/http/session-documents.ts';
import { get, type PageRequest, post, type Route, RouteError, route, sendError, sendJson } from '../route.ts';
import { clearCookie, setCookie } from '../security/session-cookie.ts';

/** Pairing, and who is paired. */
export const SESSION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/pair',
    access: 'anyone',
    body: pairRequestSchema,
    // The body was parsed with the schema above.
    handle: (request) => pair({ ...request, body: pairRequestSchema.parse(request.body) }),
  },
  get('/api/session', async ({ server, session }) => {
    const { repositories, version, now } = server;
    const document: SessionDocument = {
      session,
      repos: repositories.map(({ id, name, root }) => ({ id, name, path: root })),
      version,
      now: now().toISOString(),
    };
    return { ...document };
  }),
  get('/api/sessions', async ({ server, session }) => {
    const sessions = await server.sessions.list();
    const document: SessionsDocument = {
      sessions: sessions.map(({ id, name, rights, created_at, from }) => ({
        id,
        name,
        rights,
        created_at,
        from,
        is_own: id === session.id,
        is_connected: server.sessions.isConnected(id),
      })),
    };
    return { ...document };
  }),
  // A session that may only look can still end itself.
  route('DELETE', '/api/sessions/:id', 'look', null, async ({ server, session, params }) => {
    const { id = '' } = params;
    if (session.rights !== 'answer' && id !== session.id)
      throw new RouteError(403, 'look_only', `the session ${session.name} may end only itself`);
    if (!(await server.sessions.revoke(id)))
      throw new RouteError(404, 'no_session', 'there is no such session');
    const headers: Record<string, string> =
      id === session.id ? { 'set-cookie': clearCookie(server.isTls) } : {};
    return sendJson({ schema_version: 1, revoked: id }, 200, headers);
  }),
  post('/api/sessions/pairing', pairingRequestSchema, async ({ server, body }) => {
    const { code, expiresAt } = server.pairing.create({ rights: body.rights, name: body.name ?? null });
    const url = `${server.url}#pair=${code}`;
    const document: PairingDocument = {
      code,
      expires_at: expiresAt.toISOString(),
      url,
      qr: renderSVG(url),
    };
    return { ...document };
  }),
];

async function pair({
  server,
  address,
  body,
}: PageRequest<{ readonly code: string; readonly name?: string | undefined }>): Promise<Response> {
  const redeemed = server.pairing.redeem(body.code, address);
  if (!redeemed.ok) {
    if (redeemed.kind === 'unknown')
      throw new RouteError(
        403,
        'wrong_code',
        'the code is wrong, was used before, or is older than two minutes',
        'press Enter in the terminal of conductor serve for a new one',
      );
    return sendError(
      {
        status: 429,
        code: 'too_many',
        message: 'too many wrong codes',
        help: `try again in ${redeemed.waitSeconds} seconds`,
      },
      { 'retry-after': String(redeemed.waitSeconds) },
    );
  }
  const { rights, name } = redeemed.grant;
  const { session, token } = await server.sessions.open({
    // The name that the owner chose wins: approvers of gates are matched against it.
    name: name ?? body.name ?? server.defaultName,
    rights,
    from: address,
  });
  const document: PairedDocument = { session };
  return sendJson({ schema_version: 1, ...document }, 200, { 'set-cookie': setCookie(token, server.isTls) });
}
