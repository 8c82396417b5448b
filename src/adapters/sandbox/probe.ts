import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { SANDBOX_FLAGS } from './bubblewrap.ts';

const run = promisify(execFile);

/** A probe that hangs must not block a run: it counts as failed. */
const PROBE_LIMIT_MS = 10_000;

export type SandboxProbe =
  | { readonly ok: true; readonly command: readonly [string, ...string[]] }
  | { readonly ok: false; readonly reason: string; readonly help: string };

/** Root needs no user namespace if it has the rights, but needs one in some containers. */
const VARIANTS: readonly (readonly string[])[] = [[], ['--unshare-user']];

/** Checks that bubblewrap is installed and works, by starting it with the flags that a step would use. */
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
    const refusal = await tryVariant(program, variant);
    if (refusal === null) return { ok: true, command: [program, ...variant] };
    failure ??= explain(program, refusal);
  }
  return failure ?? explain(program, '');
}

/** Null if it works, otherwise its error message. */
async function tryVariant(program: string, variant: readonly string[]): Promise<string | null> {
  const flags = [...variant, ...SANDBOX_FLAGS, '--unshare-net', '--tmpfs', '/tmp', '--chdir', '/'];
  try {
    await run(program, [...flags, '--', '/bin/sh', '-c', ':'], { timeout: PROBE_LIMIT_MS, cwd: '/' });
    return null;
  } catch (error) {
    const errorText = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return errorText === ''
      ? 'it printed no message'
      : (errorText.split('\n').at(-1) ?? errorText).replace(/^bwrap: /, '');
  }
}

/** The usual cause is a kernel or a container that forbids namespaces. */
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
