import { resolveProgram } from '../../src/adapters/process/program.ts';
import { probeBubblewrap } from '../../src/adapters/sandbox/probe.ts';

/** Whether bubblewrap works on this machine: tests of what it does are left out, and say so, where it does not. */
export const sandboxHere = await probeBubblewrap(resolveProgram, process.env.PATH);

if (!sandboxHere.ok)
  process.stderr.write(
    `tests of the sandbox are left out: ${sandboxHere.reason}; ${sandboxHere.help} (scripts/install-system-packages.sh does it on Debian)\n`,
  );
