import { createHash } from 'node:crypto';

const LONGEST_NAME = 100;

/** A validator's id as a file name: different ids get different names, and none contains a path separator. */
export function evidenceName(id: string): string {
  const name = id
    .replace(/[^A-Za-z0-9._-]/gu, (character) => encodeURIComponent(character).replace(/[!'()*]/g, hexOf))
    .replace(/^\./, '%2E');
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME)}-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
