import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cheat, itStopsCheats } from './cheat-table.ts';
import { type CheckedRepository, openRepository } from './checked-repository.ts';

/** The programs themselves: the ones on the PATH may be proxies that look for a toolchain in the home folder. */
function findToolchain(): string | null {
  try {
    const root = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8', stdio: 'pipe' });
    return join(root.trim(), 'bin');
  } catch {
    return null;
  }
}

const toolchain = findToolchain();
if (toolchain === null) process.stderr.write('cheats in Rust are left out: there is no rustc here\n');

const code = (operator: string) => `pub fn add(a: i32, b: i32) -> i32 {\n    a ${operator} b\n}\n`;
const tests = (body: string) => `\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n${body}}\n`;
const ADDS = '    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5);\n    }\n';
const ZERO = '    #[test]\n    fn keeps_zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n';

const CHEATS: readonly Cheat[] = [
  {
    name: 'weakens a test inside of the code',
    deed: { write: { 'src/lib.rs': `${code('-')}${tests(ADDS.replace('5)', '-1)'))}` } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'src/lib.rs: tests',
  },
  {
    name: 'ignores a test inside of the code',
    deed: { write: { 'src/lib.rs': `${code('-')}${tests(`    #[ignore]\n${ADDS}`)}` } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'src/lib.rs: tests',
  },
  {
    name: 'switches the tests of the library off',
    deed: {
      write: {
        'Cargo.toml':
          '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ntest = false\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'Cargo.toml: tests',
  },
];

describe.runIf(toolchain !== null)('in a repository with cargo', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
        'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
        'src/lib.rs': `${code('-')}${tests(ADDS)}`,
        '.gitignore': 'target/\n',
      },
      path: toolchain ?? '',
    });
  });
  afterAll(() => repository.close());

  itStopsCheats(() => repository, CHEATS);

  it('a fix that adds a test inside of the code is a success', async () => {
    const { status, flags, shown } = await repository.attempt('Fix add', {
      write: { 'src/lib.rs': `${code('+')}${tests(`${ADDS}\n${ZERO}`)}` },
    });
    expect({ status, flags }, shown).toEqual({ status: 'success', flags: [] });
  });
});
