import { readFile, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isPathInside } from '../../text/paths.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Names that the build writes: segments without a leading dot, and an extension that is served. */
const STATIC_FILE = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/;
const INDEX = 'index.html';
const FOREVER = 'public, max-age=31536000, immutable';

const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** A file of the built page; for any other address the page itself, which shows what the address names. */
export async function sendStaticFile(folder: string, path: string, headers: Headers): Promise<Response> {
  const name = STATIC_FILE.test(path) && TYPES[extname(path)] !== undefined ? path.slice(1) : INDEX;
  const sent = await sendFile(folder, name, headers);
  if (sent !== null) return sent;
  if (name !== INDEX) return new Response('not found\n', { status: 404 });
  return new Response(PLACEHOLDER, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

async function sendFile(folder: string, name: string, headers: Headers): Promise<Response | null> {
  const accepted = (headers.get('accept-encoding') ?? '').split(',').map((each) => each.trim().split(';')[0]);
  const encodings = [...ENCODINGS.filter((each) => accepted.includes(each.name)), null];
  for (const encoding of encodings) {
    const content = await readInside(folder, `${name}${encoding?.suffix ?? ''}`);
    if (content === null) continue;
    return new Response(content, {
      headers: {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        // Names of assets contain a hash of their content.
        'cache-control': name.startsWith('assets/') ? FOREVER : 'no-cache',
        vary: 'accept-encoding',
        ...(encoding === null ? {} : { 'content-encoding': encoding.name }),
      },
    });
  }
  return null;
}

/** Null if there is no such file inside the folder; a symbolic link must not lead out of it. */
async function readInside(folder: string, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const path = await realpath(join(folder, name));
    return isPathInside(await realpath(folder), path) ? new Uint8Array(await readFile(path)) : null;
  } catch {
    return null;
  }
}

const PLACEHOLDER = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>conductor</title>
<h1>conductor</h1>
<p>The page is not built. Run <code>npm run build</code> and start <code>conductor serve</code> again.</p>
</html>
`;
