import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';

export interface GitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Answers one request of git with `git http-backend`, as a web server would by CGI. Resolves when git has ended. */
export async function serveGit(
  incoming: IncomingMessage,
  request: {
    readonly projectRoot: string;
    /** Below the root, with the part that git adds, for example `/7.git/info/refs`. */
    readonly path: string;
    readonly query: string;
    readonly user: string;
  },
): Promise<GitAnswer> {
  const { headers } = incoming;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: request.projectRoot,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: request.projectRoot,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: request.path,
      QUERY_STRING: request.query,
      REQUEST_METHOD: incoming.method ?? 'GET',
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: request.user,
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // Git closes its input early if it refuses a request.
  child.stdin.on('error', () => undefined);
  incoming.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  return parseCgi(Buffer.concat(chunks));
}

function parseCgi(output: Buffer): GitAnswer {
  const end = output.indexOf('\r\n\r\n');
  const lines = output.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n');
  const fields = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const status = fields.find(([name]) => name.toLowerCase() === 'status')?.[1];
  return {
    status: end < 0 ? 500 : status === undefined ? 200 : Number.parseInt(status, 10),
    headers: Object.fromEntries(fields.filter(([name]) => name !== '' && name.toLowerCase() !== 'status')),
    body: output.subarray(end + 4),
  };
}
