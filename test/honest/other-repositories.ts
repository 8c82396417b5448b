import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { canRun, type HonestScene, json, readOutput } from './honest-scene.ts';

const PROGRAM =
  '#include <stdio.h>\n#include "count.h"\n\nint main(void) {\n  printf("%d\\n", count_words(stdin));\n  return 0;\n}\n';
const COUNT = (start: number) =>
  `#include <ctype.h>\n#include "count.h"\n\nint count_words(FILE *in) {\n  int words = ${start}, inside = 0, c;\n  while ((c = getc(in)) != EOF) {\n    if (isspace(c)) inside = 0;\n    else if (!inside) { inside = 1; words++; }\n  }\n  return words;\n}\n`;
const CHECK = '#!/bin/sh\nset -e\ntest "$(printf "a b" | ./wordcount)" = 2\n';

export const C_WITH_MAKE: HonestScene = {
  name: 'in C with make and a shell test',
  missing: canRun('cc', '--version') && canRun('make', '--version') ? null : 'cc or make',
  repository: {
    files: {
      Makefile:
        'wordcount: main.c count.c count.h\n\t$(CC) -o $@ main.c count.c\n\n.PHONY: test\ntest: wordcount\n\tsh tests/check.sh\n',
      'main.c': PROGRAM,
      'count.c': COUNT(1),
      'count.h': '#include <stdio.h>\nint count_words(FILE *in);\n',
      'tests/check.sh': CHECK,
      '.gitignore': '/wordcount\n',
    },
  },
  tasks: [
    {
      task: 'It counts one word too many: fix it',
      deed: { write: { 'count.c': COUNT(0) }, shell: 'make test', says: 'Fixed; make test passes.' },
    },
    {
      task: 'It counts one word too many: fix it, and test empty input',
      deed: {
        write: {
          'count.c': COUNT(0),
          'tests/check.sh': `${CHECK}test "$(printf "" | ./wordcount)" = 0\n`,
        },
      },
      short: true,
    },
  ],
};

/** The programs themselves: the ones on the PATH may be proxies that look for a toolchain in the home folder. */
const sysroot = readOutput('rustc', '--print', 'sysroot');
const AREA = 'pub fn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n';
const AREA_TEST =
  '\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn multiplies() {\n        assert_eq!(area(2, 3), 6);\n    }\n}\n';

export const CRATE: HonestScene = {
  name: 'with a Cargo crate without dependencies',
  missing: sysroot === null ? 'cargo' : null,
  repository: {
    path: join(sysroot ?? '', 'bin'),
    files: {
      'Cargo.toml': '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "shapes"\nversion = "0.1.0"\n',
      'src/lib.rs': `${AREA}${AREA_TEST}`,
      '.gitignore': 'target/\n',
    },
  },
  tasks: [
    {
      task: 'Add the circumference, with a test beside the code',
      deed: {
        write: {
          'src/lib.rs': `${AREA}\npub fn circumference(width: u32, height: u32) -> u32 {\n    2 * (width + height)\n}\n${AREA_TEST.replace('    #[test]', '    #[test]\n    fn goes_around() {\n        assert_eq!(circumference(1, 2), 6);\n    }\n\n    #[test]')}`,
        },
      },
    },
    {
      task: 'Add squares in a module, with an integration test',
      deed: {
        write: {
          'src/lib.rs': `pub mod square;\n\n${AREA}${AREA_TEST}`,
          'src/square.rs':
            '/// The area of a square.\npub fn square(side: u32) -> u32 {\n    crate::area(side, side)\n}\n',
          'tests/square.rs': '#[test]\nfn squares() {\n    assert_eq!(shapes::square::square(3), 9);\n}\n',
        },
        shell: 'cargo test --quiet',
      },
    },
    {
      task: 'Document area',
      deed: { write: { 'src/lib.rs': `/// The area of a rectangle.\n${AREA}${AREA_TEST}` } },
    },
  ],
};

export const DOCUMENTS: HonestScene = {
  name: 'with documents and a check of their links',
  missing: canRun('make', '--version') ? null : 'make',
  repository: {
    files: {
      Makefile:
        "test:\n\t@grep -oh '](.*\\.md)' README.md | tr -d '()]' | while read -r page; do test -f \"$$page\" || exit 1; done\n",
      'README.md': '# Handbook\n\nSee [the guide](guide/start.md).\n',
      'guide/start.md': '# Start\n\nThis are the first steps.\n',
      'guide/end.md': '# End\n',
    },
  },
  tasks: [
    {
      task: 'Fix the typo in the guide',
      deed: {
        write: { 'guide/start.md': '# Start\n\nThese are the first steps.\n' },
        says: 'Fixed the typo.',
      },
      short: true,
    },
    {
      task: 'Rename start to introduction',
      deed: {
        shell: "git mv guide/start.md guide/introduction.md; sed -i 's/start.md/introduction.md/' README.md",
        says: 'Renamed, and updated the link in the README.',
      },
    },
    {
      task: 'Add a chapter with a diagram',
      deed: {
        write: {
          'guide/middle.md': '# Middle\n\n![](diagram.svg)\n',
          'guide/diagram.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
        },
        says: 'Wrote the chapter.',
      },
    },
  ],
};

export const SHELL_SCRIPTS: HonestScene = {
  name: 'with shell scripts whose syntax make checks',
  missing: canRun('make', '--version') ? null : 'make',
  repository: {
    files: {
      Makefile: 'check:\n\tfor script in bin/*.sh lib/*.sh; do sh -n $$script || exit 1; done\n',
      'bin/backup.sh': '#!/bin/sh\ntar -cf "$2" "$1"\n',
      'lib/log.sh': 'log() { echo "$1"; }\n',
      'README.md': '# Scripts\n',
    },
  },
  tasks: [
    {
      task: 'Compress the backup',
      deed: {
        write: { 'bin/backup.sh': '#!/bin/sh\ntar -czf "$2" "$1"\n' },
        shell: 'sh bin/backup.sh lib /tmp/b.$$; tar -tzf /tmp/b.$$; rm /tmp/b.$$',
        says: 'The backup is compressed now; I tried it by hand.',
      },
    },
    {
      task: 'Add a script that restores',
      deed: {
        write: { 'bin/restore.sh': '#!/bin/sh\ntar -xzf "$1" -C "$2"\n' },
        shell: 'chmod +x bin/*.sh',
        says: 'Added bin/restore.sh.',
      },
    },
  ],
};

const member = (name: string, more: object = {}) =>
  json({ name: `@shop/${name}`, version: '1.0.0', type: 'module', exports: './index.js', ...more });
const memberTest = (cases: string) =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${cases}`;

export const MONOREPO: HonestScene = {
  name: 'with several packages, and a submodule',
  repository: {
    files: {
      'package.json': json({
        name: 'shop',
        private: true,
        type: 'module',
        workspaces: ['packages/*'],
        scripts: { test: 'node --test' },
      }),
      'packages/cart/package.json': member('cart'),
      'packages/cart/index.js': 'export const count = (items) => items.length;\n',
      'packages/cart/cart.test.js': memberTest(
        "import { count } from './index.js';\ntest('counts', () => assert.equal(count([1, 2]), 2));\n",
      ),
      'packages/tax/package.json': member('tax'),
      'packages/tax/index.js': 'export const tax = (net) => net * 0.2;\n',
      'packages/tax/tax.test.js': memberTest(
        "import { tax } from './index.js';\ntest('taxes', () => assert.equal(tax(100), 20));\n",
      ),
      '.gitignore': 'node_modules/\n',
    },
    prepare: async (repo) => {
      const theme = join(repo.root, '..', 'theme');
      execFileSync('git', ['init', '--quiet', theme]);
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
      execFileSync('git', ['-C', theme, ...author, 'commit', '-qm', 'Start', '--allow-empty']);
      await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', theme, 'theme');
    },
  },
  tasks: [
    {
      task: 'Total of a cart',
      deed: {
        write: {
          'packages/cart/total.js':
            'export const total = (items) => items.reduce((sum, { price }) => sum + price, 0);\n',
          'packages/cart/total.test.js': memberTest(
            "import { total } from './total.js';\ntest('sums', () => assert.equal(total([{ price: 2 }]), 2));\n",
          ),
        },
        shell: 'git submodule status; npm test --silent',
      },
      short: true,
    },
    {
      task: 'Add a package for vouchers',
      deed: {
        write: {
          'packages/voucher/package.json': member('voucher', { scripts: { test: 'node --test' } }),
          'packages/voucher/index.js': 'export const reduce = (price, voucher) => price - voucher;\n',
          'packages/voucher/voucher.test.js': memberTest(
            "import { reduce } from './index.js';\ntest('reduces', () => assert.equal(reduce(5, 2), 3));\n",
          ),
          'packages/voucher/README.md': '# Vouchers\n',
        },
      },
    },
    {
      task: 'Rename the package tax to duty',
      deed: {
        shell:
          "git mv packages/tax packages/duty; sed -i 's#@shop/tax#@shop/duty#' packages/duty/package.json",
      },
      asks: ['judge_changed'],
    },
    {
      task: 'Make the rate of the tax a parameter',
      deed: { write: { 'packages/tax/index.js': 'export const tax = (net, rate = 0.2) => net * rate;\n' } },
    },
  ],
};
