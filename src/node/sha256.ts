import { createHash } from 'node:crypto';

/** The SHA-256 digest of bytes, or of text in UTF-8, in hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
