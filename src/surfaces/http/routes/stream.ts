import type { BoardRun } from '../../../app/page/run-board.ts';
import type { ServedRepository } from '../../../app/page/served-repository.ts';
import { openRun } from '../../../app/runs/open-run.ts';
import type { ChangedDocument } from '../../../contracts/http/run-documents.ts';
import type { RunEvent } from '../../../contracts/run/event.ts';
import { escapeUnsafe } from '../../../text/outside-text.ts';
import { createEventStream, type StreamMessage } from '../event-stream.ts';
import { getInRepo, type Route, RouteError, type SessionRequest } from '../route.ts';

/** Events of a run that are sent at a time. */
const BATCH = 200;

export const STREAM_ROUTES: readonly Route[] = [
  { ...getInRepo('/stream', async (request, repo) => openStream(request, repo)), isStream: true },
];

async function openStream(
  { server, session, query, headers }: SessionRequest,
  repo: ServedRepository,
): Promise<Response> {
  const board = server.boards.get(repo.id);
  if (board === undefined) throw new RouteError(404, 'no_repository', 'this server has no such repository');
  const runId = await findRunId(query.get('run'), (prefix) => repo.records.store.match(prefix));
  const changed = new Map<string, BoardRun>();
  let events: readonly RunEvent[] = [];
  let sent = readLastId(headers.get('last-event-id') ?? query.get('after'));
  let hasBegun = false;
  const begin = async () => {
    // The session may have been revoked before the stream was registered.
    await server.sessions.closeEnded();
    // Read after the subscription: an event that comes in between is in both, and one that came before is in this one.
    const first = runId === null ? null : await openRun(repo.records, runId);
    if (first?.ok === true && first.run.record.events.length > events.length)
      events = first.run.record.events;
    hasBegun = true;
  };
  const stream = createEventStream(({ wake, end }) => {
    const stops = [
      board.subscribe((run) => {
        const { view, record } = run.run;
        if (view.runId === runId) events = record.events;
        changed.set(view.runId, run);
        wake();
      }),
      ...(runId === null ? [] : [board.follow(runId)]),
      server.sessions.addStream(session.id, end),
    ];
    return {
      take: async () => {
        if (!hasBegun) await begin();
        const batch = events.slice(sent + 1, sent + 1 + BATCH);
        sent += batch.length;
        const messages = batch.map((event) => ({
          event: 'run_event',
          id: event.seq,
          data: safeJson(event),
        }));
        const news = changed.size === 0 ? [] : [changedMessage([...changed.values()])];
        changed.clear();
        return [...messages, ...news];
      },
      ping: () => ({ event: 'ping', data: safeJson({ now: server.now().toISOString() }) }),
      close: () => {
        for (const stop of stops) stop();
      },
    };
  });
  return new Response(stream.body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

async function findRunId(
  prefix: string | null,
  match: (prefix: string) => Promise<readonly string[]>,
): Promise<string | null> {
  if (prefix === null) return null;
  const [runId, second] = /^[0-9a-f][0-9a-f-]{3,35}$/i.test(prefix) ? await match(prefix) : [];
  if (runId === undefined || second !== undefined)
    throw new RouteError(404, 'no_run', 'there is no such run');
  return runId;
}

/** The number of the last event that the client has; -1 if it has none. */
function readLastId(text: string | null): number {
  if (text === null || text === '') return -1;
  if (!/^\d{1,9}$/.test(text))
    throw new RouteError(400, 'last_event_id', 'the last event id is not a number');
  return Number(text);
}

function changedMessage(runs: readonly BoardRun[]): StreamMessage {
  const document: ChangedDocument = {
    runs: runs.map(({ run, seq, state }) => ({ run_id: run.view.runId, seq, state })),
  };
  return { event: 'changed', data: safeJson(document) };
}

/** Line breaks in strings are escapes in JSON, so a message is always one line. */
function safeJson(document: unknown): string {
  return JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'string' ? escapeUnsafe(value) : value,
  );
}
