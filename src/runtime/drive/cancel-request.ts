import * as z from 'zod';
import type { Inbox } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';

const CANCEL_FILE = 'cancel_request.json';

const cancelRequestSchema = z.strictObject({ by: z.string(), reason: z.string().nullable() });
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

/** Asks the process that drives the run to cancel it. */
export async function submitCancelRequest(inbox: Inbox, request: CancelRequest): Promise<void> {
  await inbox.post(CANCEL_FILE, toJson(request));
}

/** Null if there is no request, or if it is invalid. */
export async function readCancelRequest(inbox: Inbox): Promise<CancelRequest | null> {
  const text = await inbox.read(CANCEL_FILE);
  const parsed = cancelRequestSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}
