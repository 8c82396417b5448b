import { join, relative } from 'node:path';
import type { Sandbox } from '../../ports/sandbox.ts';
import { HIDDEN_BYTES, isWithin, type Mount } from './mount-plan.ts';
import { type PlanDeps, planSandbox, type SandboxPlan } from './plan.ts';
import { type PodmanMachine, readMachine } from './podman-machine.ts';

export interface PodmanCommand {
  /** `setpriv`, which lets podman get a signal when the conductor ends. */
  readonly setpriv: string;
  readonly podman: string;
  /** The container runtime that works here; null for podman's default. */
  readonly runtime: string | null;
}

export interface PodmanDeps extends PlanDeps {
  readonly command: PodmanCommand;
  /** Where the root folders of containers are kept. */
  readonly rootsFolder: string;
}

/**
 * Process 1 of the container. A process 1 ignores TERM unless it handles it, so the program runs below it and ends by TERM
 * as it does elsewhere. USR1 arrives through podman when the conductor has died; process 1 then exits, and the kernel
 * kills all other processes of the container. A shell without job control lets background commands ignore INT and QUIT
 * and read from /dev/null: both are undone.
 */
const INIT_SCRIPT = `trap 'exit 137' USR1
exec 3<&0 4>&2 2>/dev/null
chmod 0666 /dev/pts/ptmx
env --default-signal=INT,QUIT -- sh -c 'exec "$@"' "$0" "$@" <&3 2>&4 3<&- 4>&- &
wait $!`;

/**
 * For root, who could fill the folder around the devices like any other. A user who is not root can't write in podman's
 * own. Podman has no option for the mode of `ptmx`: process 1 sets it.
 */
const DEVICE_MOUNTS = [
  'type=tmpfs,dst=/dev,tmpfs-size=65536,tmpfs-mode=0755,dev,ro',
  'type=devpts,dst=/dev/pts',
];

const CONTAINER_FLAGS = [
  '--rm',
  '--interactive',
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
  // The folders of the user have no label of a container, and must not get one.
  '--security-opt',
  'label=disable',
  '--pid',
  'private',
  '--ipc',
  'private',
  '--uts',
  'private',
  // The values would be visible to all users in a command line. Podman inherits them and passes them on.
  '--env-host',
  '--unsetenv-all',
  '--http-proxy=false',
  '--no-hosts',
  '--passwd=false',
  '--systemd=false',
  '--image-volume',
  'ignore',
  // The conductor captures the output.
  '--log-driver',
  'none',
];

export function createPodman(deps: PodmanDeps): Sandbox {
  return {
    name: 'podman',
    enclose: async (argv, cwd, confinement) =>
      podmanCommandLine(
        deps.command,
        await planSandbox(deps, argv, cwd, confinement),
        await readMachine(deps.rootsFolder),
      ),
  };
}

export function podmanCommandLine(
  command: PodmanCommand,
  plan: SandboxPlan,
  machine: PodmanMachine,
): [string, ...string[]] {
  return [
    command.setpriv,
    '--pdeathsig',
    'USR1',
    command.podman,
    ...(command.runtime === null ? [] : ['--runtime', command.runtime]),
    // Warnings would be taken for output of the program.
    '--log-level',
    'error',
    'run',
    ...CONTAINER_FLAGS,
    ...(machine.isRoot ? [] : ['--userns', 'keep-id']),
    // The conductor counts processes itself; podman's own limit is lower than some configurations allow.
    ...(machine.canLimitProcesses ? ['--pids-limit', '-1'] : []),
    ...(plan.network === 'deny' ? ['--network', 'none'] : ['--network', 'host', '--dns', 'none']),
    '--umask',
    machine.umask,
    // As root, podman asks for more than a machine without CAP_SYS_RESOURCE allows.
    ...machine.limits.flatMap(({ name, soft, hard }) => ['--ulimit', `${name}=${soft}:${hard}`]),
    ...[
      ...(machine.isRoot ? DEVICE_MOUNTS : []),
      ...addSystemMounts(plan.mounts, machine).map((mount) =>
        formatMount(mount, plan.privateBytes, machine.isRoot),
      ),
    ].flatMap((mount) => ['--mount', mount]),
    '--workdir',
    plan.cwd,
    '--rootfs',
    machine.root,
    '/bin/sh',
    '-c',
    INIT_SCRIPT,
    'sandbox',
    ...plan.argv,
  ];
}

/**
 * The root of the container is empty, so the folders of the machine are mounted into it. Container runtimes make only
 * the top of a bind mount read-only: each file system mounted below gets a mount of its own.
 */
function addSystemMounts(planned: readonly Mount[], { folders, mountPoints }: PodmanMachine): Mount[] {
  const paths = new Set(planned.map(({ path }) => path));
  const system = folders
    .filter((path) => !paths.has(path))
    .map((path): Mount => ({ path, source: path, access: 'readable' }));
  const mounts = [...system, ...planned];
  const below = mounts
    .filter(({ access }) => access === 'readable')
    .flatMap((mount) =>
      mountPoints
        .filter((point) => point !== mount.source && isWithin(mount.source, point))
        .map((source) => ({ source, path: join(mount.path, relative(mount.source, source)) }))
        // Inside a mount of the plan, that mount decides what is shown.
        .filter(({ path }) => findInnermost(mounts, path) === mount)
        .map((place): Mount => ({ ...place, access: 'readable' })),
    );
  return [...mounts, ...below];
}

function findInnermost(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts
    .filter((mount) => isWithin(mount.path, path))
    .reduce<Mount | undefined>(
      (inner, mount) => (inner === undefined || mount.path.length > inner.path.length ? mount : inner),
      undefined,
    );
}

function formatMount({ path, source, access }: Mount, privateBytes: number, isRoot: boolean): string {
  switch (access) {
    case 'hidden':
      return formatFields(['type=tmpfs', `dst=${path}`, ...tmpfsFields(HIDDEN_BYTES, '0555'), 'ro']);
    case 'private':
      return formatFields(['type=tmpfs', `dst=${path}`, ...tmpfsFields(privateBytes, '1777')]);
    case 'sealed':
      // The mount forbids devices, so it can't be opened, not even by its owner.
      return formatFields(['type=bind', 'src=/dev/null', `dst=${path}`, 'ro', 'nodev', 'nosuid']);
    case 'readable':
      return formatFields([
        'type=bind',
        `src=${source}`,
        `dst=${path}`,
        'ro',
        'nodev',
        'nosuid',
        // A user namespace can't bind a folder without the mounts inside it.
        ...(isRoot ? ['bind-nonrecursive'] : []),
      ]);
    case 'writable':
      return formatFields(['type=bind', `src=${source}`, `dst=${path}`, 'nodev', 'nosuid']);
  }
}

/** Without `notmpcopyup`, podman copies into the new folder what lies below it. With `U`, the user owns it, not root. */
function tmpfsFields(bytes: number, mode: string): string[] {
  return [`tmpfs-size=${bytes}`, `tmpfs-mode=${mode}`, 'notmpcopyup', 'exec', 'U=true'];
}

/** Podman reads the fields as a line of CSV. */
function formatFields(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');
}
