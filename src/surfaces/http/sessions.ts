import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../../contracts/duration.ts';
import type { Session, SessionRights } from '../../contracts/http/session-documents.ts';
import type { SessionStore, StoredSession } from '../../ports/page-sessions.ts';
import { SESSION_DAYS, type SessionToken } from './security/session-cookie.ts';

export interface NewSession {
  readonly name: string;
  readonly rights: SessionRights;
  readonly from: string;
}

/** The paired browsers, and the streams that they have open. */
export interface Sessions {
  /** Creates a session with a fresh id and secret: nothing that a browser sent is part of them. */
  readonly open: (
    request: NewSession,
  ) => Promise<{ readonly session: Session; readonly token: SessionToken }>;
  /** The session of a cookie; null if it is unknown, revoked or too old. */
  readonly find: (token: SessionToken) => Promise<Session | null>;
  readonly list: () => Promise<readonly StoredSession[]>;
  /** Ends the session and closes its streams; false if there is none. */
  readonly revoke: (id: string) => Promise<boolean>;
  /** Registers an open stream; `close` is called when its session ends. Returns how to remove it. */
  readonly addStream: (id: string, close: () => void) => () => void;
  readonly isConnected: (id: string) => boolean;
  /** Closes the streams of sessions that another process has revoked, or that are too old. */
  readonly closeEnded: () => Promise<void>;
}

export function createSessions(store: SessionStore, now: () => Date): Sessions {
  const streams = new Map<string, Set<() => void>>();
  const isCurrent = ({ created_at }: StoredSession) =>
    Date.parse(created_at) > now().getTime() - SESSION_DAYS * DAY_MS;
  const closeStreams = (id: string) => {
    for (const close of streams.get(id) ?? []) close();
    streams.delete(id);
  };
  return {
    open: async ({ name, rights, from }) => {
      const token = { id: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('base64url') };
      const session = { id: token.id, name, rights, created_at: now().toISOString() };
      await store.write({ ...session, from, secret_sha256: hashSecret(token.secret).toString('hex') });
      return { session, token };
    },
    find: async ({ id, secret }) => {
      const stored = await store.read(id);
      if (stored === null || !isCurrent(stored)) return null;
      const isSame = timingSafeEqual(Buffer.from(stored.secret_sha256, 'hex'), hashSecret(secret));
      if (!isSame) return null;
      const { name, rights, created_at } = stored;
      return { id, name, rights, created_at };
    },
    list: async () => (await store.list()).filter(isCurrent),
    revoke: async (id) => {
      const isRemoved = await store.remove(id);
      closeStreams(id);
      return isRemoved;
    },
    addStream: (id, close) => {
      const open = streams.get(id) ?? new Set();
      streams.set(id, open.add(close));
      return () => {
        open.delete(close);
        if (open.size === 0) streams.delete(id);
      };
    },
    isConnected: (id) => streams.has(id),
    closeEnded: async () => {
      for (const id of streams.keys()) {
        const stored = await store.read(id);
        if (stored === null || !isCurrent(stored)) closeStreams(id);
      }
    },
  };
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
