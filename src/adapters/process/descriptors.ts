import { closeSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2_000_000;

/**
 * Lists descriptors above 2 that a child process would inherit: those that this process has inherited itself. Node sets
 * close-on-exec on its own descriptors, but not on all that it inherited.
 */
function listInheritedDescriptors(): readonly number[] {
  return listNames('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

/** Call this before any child process starts: an agent must not get access to open files of the caller. */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listInheritedDescriptors()) closeSync(descriptor);
}

function isInheritable(descriptor: number): boolean {
  try {
    const [, flags] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // This was the descriptor that read the folder; it is closed by now.
    return false;
  }
}

/** Empty on systems without the folder. */
function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
