import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { ENCLOSING_FLAGS } from './bubblewrap.ts';

const run = promisify(execFile);

/** A probe that hangs must not hold a run: it counts as one that fails. */
const PROBE_LIMIT_MS = 10_000;

export type SandboxProbe =
  | { readonly ok: true; readonly command: readonly [string, ...string[]] }
  | { readonly ok: false; readonly reason: string; readonly help: string };

/** Root needs no user namespace where it has the rights, and can't do without one in some containers. */
const VARIANTS: readonly (readonly string[])[] = [[], ['--unshare-user']];

/** Whether bubblewrap is here and works: it is really started, with all that a step would ask of it. */
export async function probeBubblewrap(
  resolveProgram: ResolveProgram,
  searchPath: string | undefined,
): Promise<SandboxProbe> {
  const program = await resolveProgram('bwrap', { cwd: '/', path: searchPath });
  if (program === null)
    return {
      ok: false,
      reason: 'bubblewrap is not installed',
      help: 'install it: apt-get install bubblewrap, dnf install bubblewrap or apk add bubblewrap',
    };
  let failure: SandboxProbe | null = null;
  for (const variant of VARIANTS) {
    const refusal = await refusalOf(program, variant);
    if (refusal === null) return { ok: true, command: [program, ...variant] };
    failure ??= explain(program, refusal);
  }
  return failure ?? explain(program, '');
}

/** Null when it works, otherwise what it said. */
async function refusalOf(program: string, variant: readonly string[]): Promise<string | null> {
  const flags = [...variant, ...ENCLOSING_FLAGS, '--unshare-net', '--tmpfs', '/tmp', '--chdir', '/'];
  try {
    await run(program, [...flags, '--', '/bin/sh', '-c', ':'], { timeout: PROBE_LIMIT_MS, cwd: '/' });
    return null;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return said === ''
      ? 'it ended without a word'
      : (said.split('\n').at(-1) ?? said).replace(/^bwrap: /, '');
  }
}

/** Most often the kernel or a container does not let anybody make namespaces. */
function explain(program: string, refusal: string): Extract<SandboxProbe, { ok: false }> {
  const forbidden = /namespace|uid map|permission|not permitted|unshare|clone|proc/i.test(refusal);
  return {
    ok: false,
    reason: `${program} does not work here: ${refusal}`,
    help: forbidden
      ? 'namespaces are not allowed here; start the container with --privileged or --security-opt seccomp=unconfined, or allow unprivileged user namespaces on the host'
      : 'try it by hand: bwrap --ro-bind / / true',
  };
}
