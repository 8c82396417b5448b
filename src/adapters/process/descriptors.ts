import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSES_ON_EXEC = 0o2_000_000;

/**
 * Descriptors above 2 that a program started from here would inherit: those that this process was given itself. Node
 * marks its own as closed on exec, but of the ones it was given only the first.
 */
function inheritedDescriptors(): readonly number[] {
  return namesIn('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

/** Before a command line starts anything: an open file of the caller's is no business of an agent. */
export function closeInheritedDescriptors(): void {
  for (const descriptor of inheritedDescriptors()) closeSync(descriptor);
}

function isInheritable(descriptor: number): boolean {
  try {
    const [, flags] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
  } catch {
    // It was the one that this folder was read with.
    return false;
  }
}

/** Empty on systems without this folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
