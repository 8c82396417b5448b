import type { Sandbox } from '../../ports/sandbox.ts';
import { HIDDEN_BYTES, type Mount } from './mount-plan.ts';
import { type PlanDeps, planSandbox, type SandboxPlan } from './plan.ts';

export interface BubblewrapDeps extends PlanDeps {
  /** The program, and what it has to be told on this machine. */
  readonly command: readonly [string, ...string[]];
}

/**
 * Namespaces of its own, no capabilities (as root it would have them all), and an end with whoever started it. It
 * begins no session: the supervisor has begun one for it, and ends it by its group.
 */
export const ENCLOSING_FLAGS = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--remount-ro',
  '/dev',
  '--proc',
  '/proc',
  // Its files can be written by whoever is root, capabilities or not, and say what the whole machine does: a program for
  // `core_pattern` would run outside.
  ...['/proc/sys', '/proc/fs'].flatMap((path) => ['--ro-bind-try', path, path]),
];

export function createBubblewrap(deps: BubblewrapDeps): Sandbox {
  return {
    name: 'bubblewrap',
    enclose: async (argv, cwd, confinement) => [
      ...deps.command,
      ...bubblewrapArguments(await planSandbox(deps, argv, cwd, confinement)),
    ],
  };
}

export function bubblewrapArguments(plan: SandboxPlan): string[] {
  return [
    ...ENCLOSING_FLAGS,
    ...(plan.network === 'deny' ? ['--unshare-net'] : []),
    ...mountFlags(plan),
    '--chdir',
    plan.cwd,
    '--',
    ...plan.argv,
  ];
}

function mountFlags({ mounts, privateBytes }: SandboxPlan): string[] {
  const hidden = mounts.filter(({ access }) => access === 'hidden');
  return [
    ...mounts.flatMap((mount) => flagsOf(mount, privateBytes)),
    // At the end: places for other mounts are made inside. Without this the owner could make the folder writable again.
    ...hidden.flatMap(({ path }) => ['--remount-ro', path]),
  ];
}

function flagsOf({ path, source, access }: Mount, privateBytes: number): string[] {
  switch (access) {
    case 'hidden':
      return ['--perms', '0555', '--size', String(HIDDEN_BYTES), '--tmpfs', path];
    case 'private':
      return ['--perms', '1777', '--size', String(privateBytes), '--tmpfs', path];
    case 'sealed':
      // The mount forbids devices, so it can't be opened, not even by its owner.
      return ['--ro-bind', '/dev/null', path];
    case 'readable':
      return ['--ro-bind', source, path];
    case 'writable':
      return ['--bind', source, path];
  }
}
