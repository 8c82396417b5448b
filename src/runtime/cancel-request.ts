import * as z from 'zod';
import type { RunDirectory } from '../ports/run-store.ts';
import { toJson } from './derived-files.ts';

const CANCEL_FILE = 'cancel_request.json';

const cancelRequestSchema = z.strictObject({ by: z.string(), reason: z.string().nullable() });
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

/** Asks whatever process drives the run to stop it for good. */
export function submitCancelRequest(directory: RunDirectory, request: CancelRequest): Promise<boolean> {
  return directory.writeOnce(CANCEL_FILE, toJson(request));
}

export async function readCancelRequest(directory: RunDirectory): Promise<CancelRequest | null> {
  const text = await directory.read(CANCEL_FILE);
  return text === null ? null : cancelRequestSchema.parse(JSON.parse(text));
}
