import { open } from 'node:fs/promises';
import { networkWant } from '../../policy/network-want.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type { ProcessResult } from '../../ports/supervisor.ts';
import type { ValidatorRequest } from '../../ports/validator.ts';

const OUTPUT_END_BYTES = 64 * 1024;

/** Allows the host's network if the validator is configured to use it and no policy denies it. */
export function confinementOf({ confinement, validator }: ValidatorRequest): Confinement | null {
  const wantsHost = validator.kind === 'command' && validator.network === 'host';
  if (confinement === null || !wantsHost || confinement.networkDenied === true) return confinement;
  return { ...confinement, network: 'allow' };
}

/**
 * Says that a check may have failed only because it had no network; null if its output does not suggest that.
 */
export async function networkReason(ran: ProcessResult, request: ValidatorRequest): Promise<string | null> {
  if (confinementOf(request)?.network !== 'deny') return null;
  const output = await Promise.all([ran.stderr, ran.stdout].map(({ path }) => readEnd(path)));
  const line = networkWant(output.join('\n'));
  if (line === null) return null;
  const canHaveOne = request.validator.kind === 'command' && request.confinement?.networkDenied !== true;
  const fix = canHaveOne
    ? `if it needs one, set validators.${request.validator.id}.network: host`
    : 'if it needs one, a policy has to allow it';
  return `it had no network, and its output says "${line}"; ${fix}`;
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - OUTPUT_END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OUTPUT_END_BYTES), 0, OUTPUT_END_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
