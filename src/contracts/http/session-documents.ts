import * as z from 'zod';

/** What a session may do: read everything, or also answer, cancel and change. */
export const SESSION_RIGHTS = ['look', 'answer'] as const;
export type SessionRights = (typeof SESSION_RIGHTS)[number];

/** One line without control characters, as it is recorded with every answer. */
const sessionNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u, 'the name has control characters or several lines');

/** A paired browser. */
export const sessionSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  rights: z.enum(SESSION_RIGHTS),
  created_at: z.iso.datetime(),
});
export type Session = z.infer<typeof sessionSchema>;

/** Body of `POST /api/pair`. */
export const pairRequestSchema = z.strictObject({
  code: z.string().max(64),
  name: sessionNameSchema.optional(),
});

/** Body of `POST /api/sessions/pairing`. */
export const pairingRequestSchema = z.strictObject({
  rights: z.enum(SESSION_RIGHTS),
  name: sessionNameSchema.optional(),
});

/** Answer to `POST /api/sessions/pairing`: what a further device needs to pair. */
export interface PairingDocument {
  readonly code: string;
  readonly expires_at: string;
  readonly url: string;
  /** The address as a QR code, in SVG. */
  readonly qr: string;
}

/** Answer to `POST /api/pair`. */
export interface PairedDocument {
  readonly session: Session;
}

/** Answer to `GET /api/sessions`. */
export interface SessionsDocument {
  readonly sessions: readonly (Session & {
    /** The address that paired. */
    readonly from: string;
    /** Whether it is the session that asks. */
    readonly is_own: boolean;
    /** Whether a page of it is open. */
    readonly is_connected: boolean;
  })[];
}

/** Answer to `GET /api/session`. */
export interface SessionDocument {
  readonly session: Session;
  readonly repos: readonly { readonly id: string; readonly name: string; readonly path: string }[];
  readonly version: string;
  readonly now: string;
}

/** Every refusal. */
export interface ErrorDocument {
  readonly error: { readonly code: string; readonly message: string; readonly help: string | null };
}
