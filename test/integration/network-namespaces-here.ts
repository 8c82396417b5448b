import { spawnSync } from 'node:child_process';

const tried = spawnSync(
  'unshare',
  ['--user', '--map-root-user', '--net', 'ip', 'link', 'add', 'type', 'veth'],
  {
    encoding: 'utf8',
  },
);

/** Whether this user may make network namespaces: tests that need them are skipped, and say so, where not. */
export const networkNamespacesHere = tried.status === 0;

if (!networkNamespacesHere)
  process.stderr.write(
    `tests with several machines in a network are skipped: ${tried.error?.message ?? tried.stderr.trim()}\n`,
  );
