import { listArtifacts, openArtifact } from '../../../app/page/evidence/artifacts.ts';
import { composeGoldens, readOldGolden } from '../../../app/page/evidence/goldens.ts';
import { MAGIC_BYTES, pictureType } from '../../../app/page/evidence/picture-type.ts';
import type { OpenFile } from '../../../ports/record-files.ts';
import { getOfRun, type Route, RouteError } from '../route.ts';
import { FILE_POLICY } from '../security/response-headers.ts';

const CHUNK_BYTES = 256 * 1024;

/** Artifacts and goldens. What agents and tests wrote is never shown as a page of its own. */
export const FILE_ROUTES: readonly Route[] = [
  getOfRun('/artifacts', async ({ server }, run) => ({
    ...(await listArtifacts(run, server.reader.evidence)),
  })),
  getOfRun('/files/:path{.+}', async ({ server, params, query }, run) => {
    const opened = await openArtifact(run, server.reader.evidence, params.path ?? '');
    if (opened === null) throw new RouteError(404, 'no_file', 'the run has no such file');
    const { file, path } = opened;
    const first = new Uint8Array(MAGIC_BYTES);
    await file.read(first, 0);
    const headers = fileHeaders(path, first, query.get('as') === 'text');
    return new Response(streamFile(file), { headers: { ...headers, 'content-length': String(file.bytes) } });
  }),
  getOfRun('/goldens', async (_, run) => ({ ...(await composeGoldens(run)) })),
  getOfRun('/goldens/:golden/old', async ({ server, params }, run, repo) => {
    const objects = async () => (await server.reader.openObjects(repo)).objects;
    const bytes = await readOldGolden(run, objects, params.golden ?? '');
    if (bytes === null) throw new RouteError(404, 'no_golden', 'there is no stored golden');
    const headers = fileHeaders('golden', bytes.subarray(0, MAGIC_BYTES), false);
    return new Response(new Uint8Array(bytes), { headers });
  }),
];

/** Only what has the first bytes of a picture is shown in the page; everything else is a download, or text in a sandbox. */
function fileHeaders(path: string, first: Uint8Array, asText: boolean): Record<string, string> {
  const picture = pictureType(first);
  const type = picture ?? (asText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  const isInline = picture !== null || asText;
  return {
    'content-type': type,
    'content-disposition': `${isInline ? 'inline' : 'attachment'}; ${fileName(path)}`,
    'content-security-policy': FILE_POLICY,
  };
}

/** The last part of the path as RFC 6266 wants it; a quote or a line feed in it can't start another header. */
function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ascii = name.replace(/[^A-Za-z0-9._@-]/g, '_');
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, '_')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Reads only as fast as the client takes it. */
function streamFile(file: OpenFile): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const buffer = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(1, file.bytes - position)));
        const bytes = position >= file.bytes ? 0 : await file.read(buffer, position);
        if (bytes === 0) {
          await file.close();
          controller.close();
          return;
        }
        position += bytes;
        controller.enqueue(buffer.subarray(0, bytes));
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 1 },
  );
}
