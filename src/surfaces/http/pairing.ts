import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionRights } from '../../contracts/http/session-documents.ts';
import { createAttemptLimit } from './security/attempt-limit.ts';
import { hashSecret } from './sessions.ts';

const CODE_BYTES = 16;
const LIFETIME_MS = 120_000;
/** Codes that are open at a time; the oldest one makes room for a new one. */
const MAX_OPEN = 8;
const ATTEMPTS = { windowMs: 60_000, perAddress: 10, total: 60 };

/** What a code grants. */
export interface PairingGrant {
  readonly rights: SessionRights;
  /** The name of the session; null lets the device choose. */
  readonly name: string | null;
}

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: Date;
}

export type Redeemed =
  | { readonly ok: true; readonly grant: PairingGrant }
  | { readonly ok: false; readonly kind: 'unknown' }
  | { readonly ok: false; readonly kind: 'too_many'; readonly waitSeconds: number };

/** One-time codes that pair a browser. They exist only in this process's memory. */
export interface Pairing {
  readonly create: (grant: PairingGrant) => PairingCode;
  readonly redeem: (code: string, address: string) => Redeemed;
}

interface OpenCode extends PairingGrant {
  readonly digest: Buffer;
  readonly expiresMs: number;
}

export function createPairing(now: () => Date): Pairing {
  const limit = createAttemptLimit(ATTEMPTS);
  let open: readonly OpenCode[] = [];
  return {
    create: (grant) => {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const expiresMs = now().getTime() + LIFETIME_MS;
      open = [...open, { ...grant, digest: hashSecret(code), expiresMs }].slice(-MAX_OPEN);
      return { code, expiresAt: new Date(expiresMs) };
    },
    redeem: (code, address) => {
      const nowMs = now().getTime();
      const waitSeconds = limit.waitOf(address, nowMs);
      if (waitSeconds > 0) return { ok: false, kind: 'too_many', waitSeconds };
      const given = hashSecret(code);
      open = open.filter(({ expiresMs }) => expiresMs > nowMs);
      const found = open.find((each) => timingSafeEqual(each.digest, given));
      if (found === undefined) {
        limit.addFailure(address, nowMs);
        return { ok: false, kind: 'unknown' };
      }
      open = open.filter((each) => each !== found);
      return { ok: true, grant: { rights: found.rights, name: found.name } };
    },
  };
}
