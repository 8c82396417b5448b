import { spawnSync } from 'node:child_process';

/** Starts a program in a PID namespace of its own, which ends with it. */
export const IN_NEW_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;

const [program, ...args] = IN_NEW_NAMESPACE;
const tried = spawnSync(program, [...args, 'true'], { encoding: 'utf8' });

/** Whether this user may make PID namespaces: tests that need them are left out, and say so, where not. */
export const pidNamespacesHere = tried.status === 0;

if (!pidNamespacesHere)
  process.stderr.write(
    `tests with several PID namespaces are left out: ${tried.error?.message ?? tried.stderr.trim()}\n`,
  );
