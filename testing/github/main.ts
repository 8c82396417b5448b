import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { createGitHubDouble } from './github-double.ts';

const USAGE = `node dist/testing/github/main.js SETUP.json [--port N]

Answers as GitHub would, on loopback, until it is ended. SETUP.json has users, repositories and tokens.
Prints its address, and the token of each user.
`;

const setupSchema = z.strictObject({
  users: z.array(
    z.strictObject({
      login: z.string(),
      id: z.int().optional(),
      type: z.enum(['User', 'Bot', 'Organization']).optional(),
    }),
  ),
  repositories: z.array(
    z.strictObject({
      fullName: z.string(),
      isPrivate: z.boolean().optional(),
      defaultBranch: z.string().optional(),
      collaborators: z
        .record(z.string(), z.enum(['admin', 'maintain', 'write', 'triage', 'read', 'none']))
        .optional(),
      from: z.string().optional(),
    }),
  ),
  startAt: z.int().optional(),
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, help: { type: 'boolean', default: false } },
});
const [path] = positionals;
if (values.help || path === undefined) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const setup = setupSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
const double = await createGitHubDouble({
  port: Number(values.port),
  ...(setup.startAt === undefined ? {} : { startAt: setup.startAt }),
});
for (const { login, id, type } of setup.users)
  double.addUser({ login, ...(id === undefined ? {} : { id }), ...(type === undefined ? {} : { type }) });
for (const { fullName, isPrivate, defaultBranch, collaborators, from } of setup.repositories)
  await double.addRepository({
    fullName,
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...(collaborators === undefined ? {} : { collaborators }),
    ...(from === undefined ? {} : { from }),
  });
const tokens = Object.fromEntries(setup.users.map(({ login }) => [login, double.tokenOf(login)]));
process.stdout.write(`${JSON.stringify({ url: double.url, pid: process.pid, tokens })}\n`);
/** Ended by a signal; what violated GitHub's description is the exit code. */
process.on('SIGTERM', () => {
  void double.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
