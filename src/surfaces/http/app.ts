import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import * as z from 'zod';
import { UseCaseError } from '../../app/use-case-error.ts';
import { describeFailure, isExpectedFailure } from '../../contracts/expected-failure.ts';
import type { Session } from '../../contracts/http/session-documents.ts';
import type { PageServer } from './page-server.ts';
import { type PageRequest, type Reply, type Route, RouteError, sendError, sendJson } from './route.ts';
import { ALL_ROUTES } from './routes/all-routes.ts';
import { type RequestPurpose, refuseSite } from './security/refuse-request.ts';
import { headOf, type RequestHead } from './security/request-head.ts';
import { SECURITY_HEADERS } from './security/response-headers.ts';
import { readCookie } from './security/session-cookie.ts';
import { sendStaticFile } from './static-files.ts';

type PageEnv = { Bindings: HttpBindings };

/** Routes requests whose head was checked: finds the session, reads the body, and answers. */
export function createApp(server: PageServer): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use('*', async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  for (const route of ALL_ROUTES)
    app.on(route.method, route.path, async (context) => {
      const head = headOf(context.env.incoming);
      const refusal = refuseSite(head, server.places, purposeOf(route));
      if (refusal !== null) return sendError(refusal);
      const session = await authorize(server, route, head);
      const request: PageRequest<unknown> = {
        server,
        params: context.req.param(),
        query: new URL(context.req.url).searchParams,
        headers: context.req.raw.headers,
        body: route.body === null ? null : await readBody(context.req.raw, route.body),
        address: context.env.incoming.socket.remoteAddress ?? 'unknown',
        signal: context.req.raw.signal,
      };
      return toResponse(await route.handle(request, session));
    });
  app.all('/api/*', (context) =>
    sendError(
      refuseSite(headOf(context.env.incoming), server.places, 'read') ??
        new RouteError(404, 'no_route', 'there is nothing at this address'),
    ),
  );
  app.get('*', (context) =>
    sendStaticFile(server.webFolder, new URL(context.req.url).pathname, context.req.raw.headers),
  );
  app.notFound(() => sendError(new RouteError(404, 'no_route', 'there is nothing at this address')));
  app.onError((error) => explainError(error));
  return app;
}

function purposeOf({ method, isStream }: Route): RequestPurpose {
  if (method !== 'GET') return 'change';
  return isStream ? 'stream' : 'read';
}

async function authorize(
  { sessions, isTls }: PageServer,
  { access }: Route,
  head: RequestHead,
): Promise<Session | null> {
  if (access === 'anyone') return null;
  const token = readCookie(head, isTls);
  const session = token === null ? null : await sessions.find(token);
  if (session === null)
    throw new RouteError(
      401,
      'no_session',
      'this browser is not paired',
      'open the address with a code: press Enter in the terminal of conductor serve, or ask a paired browser for one',
    );
  if (access === 'answer' && session.rights !== 'answer')
    throw new RouteError(403, 'look_only', `the session ${session.name} may look, but not answer`);
  return session;
}

async function readBody(request: Request, schema: z.ZodType): Promise<unknown> {
  const text = await request.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RouteError(400, 'not_json', 'the body is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RouteError(400, 'body', `the body has the wrong shape: ${z.prettifyError(parsed.error)}`);
}

function toResponse(reply: Reply): Response {
  return reply instanceof Response ? reply : sendJson({ schema_version: 1, ...reply });
}

function explainError(error: unknown): Response {
  if (error instanceof RouteError) return sendError(error);
  const isKnown = error instanceof UseCaseError || isExpectedFailure(error);
  const { message } = describeFailure(error);
  const help = error instanceof UseCaseError ? error.help : null;
  if (!isKnown) process.stderr.write(`conductor: internal error: ${message}\n`);
  return sendError({ status: isKnown ? 409 : 500, code: isKnown ? 'refused' : 'internal', message, help });
}
