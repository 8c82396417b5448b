import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { ENCLOSING_FLAGS } from './bubblewrap.ts';
import { type PodmanCommand, podmanCommandLine } from './podman.ts';
import { readMachine } from './podman-machine.ts';

const run = promisify(execFile);

/** A probe that hangs must not hold a run: it counts as one that fails. */
const PROBE_LIMIT_MS = 10_000;

interface Failure {
  readonly ok: false;
  readonly reason: string;
  readonly help: string;
}

export type BubblewrapProbe =
  | { readonly ok: true; readonly command: readonly [string, ...string[]] }
  | Failure;
export type PodmanProbe =
  | { readonly ok: true; readonly command: PodmanCommand }
  | { readonly ok: false; readonly isInstalled: boolean; readonly reason: string };

/** Root needs no user namespace where it has the rights, and can't do without one in some containers. */
const VARIANTS: readonly (readonly string[])[] = [[], ['--unshare-user']];

/** Whether bubblewrap is here and works: it is really started, with all that a step would ask of it. */
export async function probeBubblewrap(
  resolveProgram: ResolveProgram,
  searchPath: string | undefined,
): Promise<BubblewrapProbe> {
  const program = await resolveProgram('bwrap', { cwd: '/', path: searchPath });
  if (program === null)
    return {
      ok: false,
      reason: 'bubblewrap is not installed',
      help: 'install it: apt-get install bubblewrap, dnf install bubblewrap or apk add bubblewrap',
    };
  let failure: Failure | null = null;
  for (const variant of VARIANTS) {
    const flags = [...variant, ...ENCLOSING_FLAGS, '--unshare-net', '--tmpfs', '/tmp', '--chdir', '/'];
    const refusal = await findRefusal([program, ...flags, '--', '/bin/sh', '-c', ':'], process.env);
    if (refusal === null) return { ok: true, command: [program, ...variant] };
    failure ??= explain(program, refusal);
  }
  return failure ?? explain(program, '');
}

/** Podman's default runtime first: on some machines that one does not start, and another does. */
const RUNTIMES = [null, 'runc', 'crun'] as const;
/** Whether podman works for the steps of a run: a container is started with each kind of mount. */
export async function probePodman(
  resolveProgram: ResolveProgram,
  env: NodeJS.ProcessEnv,
  rootsFolder: string,
): Promise<PodmanProbe> {
  const find = (name: string): Promise<string | null> => resolveProgram(name, { cwd: '/', path: env.PATH });
  const podman = await find('podman');
  if (podman === null) return { ok: false, isInstalled: false, reason: 'podman is not installed' };
  const setpriv = await find('setpriv');
  if (setpriv === null)
    return { ok: false, isInstalled: true, reason: 'podman can only be used with setpriv (util-linux)' };
  let reason: string | null = null;
  for (const runtime of RUNTIMES) {
    const command = { podman, setpriv, runtime };
    const refusal = await findPodmanRefusal(command, env, rootsFolder);
    if (refusal === null) return { ok: true, command };
    reason ??= `${podman} does not work here: ${refusal}`;
  }
  return { ok: false, isInstalled: true, reason: reason ?? `${podman} does not work here` };
}

/** The container fails where a hidden folder can be written or what is mounted inside it is missing. */
const PODMAN_TEST = `test "$(ls -A "$1")" = shown && ! mkdir "$1/x" 2>/dev/null && ! mkdir "$1/shown/x" 2>/dev/null && mkdir /tmp/x`;

async function findPodmanRefusal(
  command: PodmanCommand,
  env: NodeJS.ProcessEnv,
  rootsFolder: string,
): Promise<string | null> {
  const hidden = join(rootsFolder, 'probe');
  const shown = join(hidden, 'shown');
  await mkdir(shown, { recursive: true });
  const machine = await readMachine(rootsFolder);
  const [program, ...args] = podmanCommandLine(
    command,
    {
      argv: ['sh', '-c', PODMAN_TEST, 'probe', hidden],
      cwd: '/',
      network: 'deny',
      mounts: [
        { path: '/tmp', source: '/tmp', access: 'private' },
        { path: hidden, source: hidden, access: 'hidden' },
        { path: shown, source: shown, access: 'readable' },
      ],
      privateBytes: 1_000_000,
    },
    machine,
  );
  // A step gets no more of the environment than this, besides what the configuration names.
  return findRefusal([program, ...args], { PATH: env.PATH, HOME: env.HOME });
}

/** Null when the command works, otherwise the last line that it wrote. */
async function findRefusal(
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  try {
    await run(program, args, { timeout: PROBE_LIMIT_MS, cwd: '/', env });
    return null;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return said === ''
      ? 'it ended without a message'
      : (said.split('\n').at(-1) ?? said).replace(/^(?:bwrap|Error): /, '');
  }
}

/** Most often the kernel or a container does not let anybody make namespaces. */
function explain(program: string, refusal: string): Failure {
  const forbidden = /namespace|uid map|permission|not permitted|unshare|clone|proc/i.test(refusal);
  return {
    ok: false,
    reason: `${program} does not work here: ${refusal}`,
    help: forbidden
      ? 'namespaces are not allowed here; start the container with --privileged or --security-opt seccomp=unconfined, or allow unprivileged user namespaces on the host'
      : 'try it by hand: bwrap --ro-bind / / true',
  };
}
