import * as z from 'zod';
import type { RunDirectory } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';

const CANCEL_FILE = 'cancel_request.json';

const cancelRequestSchema = z.strictObject({ by: z.string(), reason: z.string().nullable() });
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

/** Asks the process that drives the run to cancel it. */
export function submitCancelRequest(directory: RunDirectory, request: CancelRequest): Promise<boolean> {
  return directory.writeOnce(CANCEL_FILE, toJson(request));
}

/** Null if there is no request, or if it is invalid. */
export async function readCancelRequest(directory: RunDirectory): Promise<CancelRequest | null> {
  const text = await directory.read(CANCEL_FILE);
  const parsed = cancelRequestSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}
