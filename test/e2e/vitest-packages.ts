import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Copies vitest with everything it needs into a folder, as a package manager would install it. */
export function copyVitest(target: string): void {
  const names = ['vitest'];
  for (const name of names) {
    const manifest = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as Manifest;
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    // Packages for other platforms are optional and not installed.
    names.push(...needed.filter((each) => !names.includes(each) && existsSync(join(MODULES, each))));
    cpSync(join(MODULES, name), join(target, name), { recursive: true });
  }
  mkdirSync(join(target, '.bin'));
  symlinkSync('../vitest/vitest.mjs', join(target, '.bin/vitest'));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A lock file that lists a dependency, which is what `init` looks for. */
export const VITEST_LOCK = `${JSON.stringify({
  name: 'sums',
  lockfileVersion: 3,
  packages: { '': { devDependencies: { vitest: '*' } }, 'node_modules/vitest': { version: '4.0.0' } },
})}\n`;
