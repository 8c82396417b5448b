import { describe, expect, it } from 'vitest';
import { bubblewrapArguments } from '../../../src/adapters/sandbox/bubblewrap.ts';
import { type Mount, planMounts } from '../../../src/adapters/sandbox/mount-plan.ts';
import type { SandboxPlan } from '../../../src/adapters/sandbox/plan.ts';
import { type PodmanCommand, podmanCommandLine } from '../../../src/adapters/sandbox/podman.ts';
import {
  type PodmanMachine,
  readLimits,
  readMountPoints,
  readUmask,
} from '../../../src/adapters/sandbox/podman-machine.ts';

const COMMAND: PodmanCommand = { setpriv: '/bin/setpriv', podman: '/bin/podman', runtime: null };
const MACHINE: PodmanMachine = {
  root: '/state/root',
  folders: ['/etc', '/people', '/usr'],
  mountPoints: ['/'],
  limits: [{ name: 'nofile', soft: 1, hard: 2 }],
  umask: '0027',
  isRoot: true,
  canLimitProcesses: true,
};

function plan(mounts: readonly Mount[], change: Partial<SandboxPlan> = {}): SandboxPlan {
  return {
    argv: ['agent', '-p'],
    cwd: '/people/me/work',
    network: 'deny',
    mounts: planMounts(mounts),
    privateBytes: 500,
    ...change,
  };
}

const at = (access: Mount['access'], path: string, source = path): Mount => ({ path, source, access });

const MOUNTS = [
  at('private', '/people'),
  at('hidden', '/people/me/runs'),
  at('readable', '/people/me/runs/mine', '/data/mine'),
  at('writable', '/people/me/work'),
  at('sealed', '/etc/shadow'),
];

/** The values of a flag that can be given several times. */
function valuesOf(words: readonly string[], flag: string): string[] {
  return words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
}

const mountsOf = (mounts: readonly Mount[], machine: Partial<PodmanMachine> = {}): string[] =>
  valuesOf(podmanCommandLine(COMMAND, plan(mounts), { ...MACHINE, ...machine }), '--mount');

describe('a plan as arguments of bubblewrap', () => {
  it('has each mount after the one around it, and makes hidden folders read-only at the end', () => {
    const words = bubblewrapArguments(plan(MOUNTS));
    const start = words.indexOf('--perms');
    expect(words.slice(start).join(' ')).toBe(
      [
        '--perms 1777 --size 500 --tmpfs /people',
        '--ro-bind /dev/null /etc/shadow',
        '--perms 0555 --size 1000000 --tmpfs /people/me/runs',
        '--bind /people/me/work /people/me/work',
        '--ro-bind /data/mine /people/me/runs/mine',
        '--remount-ro /people/me/runs',
        '--chdir /people/me/work -- agent -p',
      ].join(' '),
    );
  });

  it.each([
    ['deny', true],
    ['allow', false],
  ] as const)('with the network: %s', (network, isSeparate) => {
    expect(bubblewrapArguments(plan([], { network })).includes('--unshare-net')).toBe(isSeparate);
  });
});

describe('a plan as a command line of podman', () => {
  it('mounts the folders of the machine read-only, and the plan over them', () => {
    expect(mountsOf(MOUNTS)).toEqual([
      'type=tmpfs,dst=/dev,tmpfs-size=65536,tmpfs-mode=0755,dev,ro',
      'type=devpts,dst=/dev/pts',
      'type=bind,src=/etc,dst=/etc,ro,nodev,nosuid,bind-nonrecursive',
      'type=bind,src=/usr,dst=/usr,ro,nodev,nosuid,bind-nonrecursive',
      'type=tmpfs,dst=/people,tmpfs-size=500,tmpfs-mode=1777,notmpcopyup,exec,U=true',
      'type=bind,src=/dev/null,dst=/etc/shadow,ro,nodev,nosuid',
      'type=tmpfs,dst=/people/me/runs,tmpfs-size=1000000,tmpfs-mode=0555,notmpcopyup,exec,U=true,ro',
      'type=bind,src=/people/me/work,dst=/people/me/work,nodev,nosuid',
      'type=bind,src=/data/mine,dst=/people/me/runs/mine,ro,nodev,nosuid,bind-nonrecursive',
    ]);
  });

  it.each<[string, string, readonly Mount[], readonly string[]]>([
    ['below a folder of the machine', '/usr/local', [], ['src=/usr/local,dst=/usr/local']],
    ['inside a private folder', '/people/net', [at('private', '/people')], []],
    ['inside a hidden folder', '/usr/x/y', [at('hidden', '/usr/x')], []],
    [
      'below what is shown elsewhere',
      '/data/a/b',
      [at('readable', '/people/a', '/data/a')],
      ['src=/data/a/b,dst=/people/a/b'],
    ],
    ['below what can be written', '/usr/w/x', [at('writable', '/usr/w')], []],
    ['that is itself in the plan', '/usr/w', [at('writable', '/usr/w')], []],
  ])('mounts a file system %s read-only where it is shown: %s', (_, point, mounts, expected) => {
    const before = new Set(mountsOf(mounts));
    const added = mountsOf(mounts, { mountPoints: ['/', '/proc', point] }).filter((one) => !before.has(one));
    expect(added).toEqual(expected.map((fields) => `type=bind,${fields},ro,nodev,nosuid,bind-nonrecursive`));
  });

  it('quotes what has a meaning in a mount', () => {
    expect(mountsOf([at('writable', '/w/a,b "c"')]).at(-1)).toBe(
      'type=bind,"src=/w/a,b ""c""","dst=/w/a,b ""c""",nodev,nosuid',
    );
  });

  it('maps the user to itself where conductor does not run as root', () => {
    const words = podmanCommandLine(COMMAND, plan(MOUNTS), { ...MACHINE, isRoot: false });
    expect(valuesOf(words, '--userns')).toEqual(['keep-id']);
    expect(words.join(' ')).not.toContain('bind-nonrecursive');
  });

  it.each([
    ['deny', ['none'], []],
    ['allow', ['host'], ['none']],
  ] as const)('with the network: %s', (network, networks, dns) => {
    const words = podmanCommandLine(COMMAND, plan([], { network }), MACHINE);
    expect(valuesOf(words, '--network')).toEqual(networks);
    expect(valuesOf(words, '--dns')).toEqual(dns);
  });

  it('names a runtime only where the default does not work, and ends with the program', () => {
    const words = podmanCommandLine({ ...COMMAND, runtime: 'runc' }, plan([]), MACHINE);
    expect(words.slice(0, 6)).toEqual([
      '/bin/setpriv',
      '--pdeathsig',
      'USR1',
      '/bin/podman',
      '--runtime',
      'runc',
    ]);
    expect(words.slice(-3)).toEqual(['sandbox', 'agent', '-p']);
    expect(podmanCommandLine(COMMAND, plan([]), MACHINE)).not.toContain('--runtime');
  });
});

describe('what a container needs to know about the machine', () => {
  it('reads mount points with spaces, each once', () => {
    const lines = [
      '22 1 254:0 / / rw - ext4 /dev/vda rw',
      '40 22 0:30 / /mnt/my\\040disk\\134x rw - tmpfs t rw',
      '41 40 0:31 / /mnt/my\\040disk\\134x rw - tmpfs t rw',
      '',
    ];
    expect(readMountPoints(lines.join('\n'))).toEqual(['/', '/mnt/my disk\\x']);
  });

  it.each([
    ['Max processes 100 200 processes\nMax open files 30 40 files\n', [30, 40], [100, 200]],
    [
      'Max processes unlimited unlimited processes\nMax open files 1024 9999999 files\n',
      [1024, 1_048_576],
      [32_768, 32_768],
    ],
    ['', [1_048_576, 1_048_576], [32_768, 32_768]],
  ] as const)('reads limits, and asks for no more than podman has: %j', (text, files, processes) => {
    expect(readLimits(text)).toEqual([
      { name: 'nofile', soft: files[0], hard: files[1] },
      { name: 'nproc', soft: processes[0], hard: processes[1] },
    ]);
  });

  it.each([
    ['Name:\tnode\nUmask:\t0027\n', '0027'],
    ['', '0022'],
  ])('reads the umask: %j', (text, umask) => {
    expect(readUmask(text)).toBe(umask);
  });
});
