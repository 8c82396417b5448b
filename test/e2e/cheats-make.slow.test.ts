import { afterAll, beforeAll, describe } from 'vitest';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { type Cheat, itStopsCheats } from './cheat-table.ts';
import { type CheckedRepository, openRepository } from './checked-repository.ts';

const TESTS_FAIL = 'the validator tests exited with 2';
const recipe = (line: string, more = '') => `${more}test: build\n\t${line}\n\nbuild:\n\tmkdir -p out\n`;
const ADDS = 'expect "$(sh add.sh 2 3)" 5\n';
const ZERO = 'expect "$(sh add.sh 0 0)" 0\n';
const script = (checks: string) => `set -e\n. ./checks.sh\n${checks}echo ok\n`;

const FILES = {
  Makefile: recipe('sh run-tests.sh'),
  'run-tests.sh': script(`${ADDS}${ZERO}`),
  'checks.sh': 'expect() { test "$1" = "$2"; }\n',
  'add.sh': 'echo $(($1 - $2))\n',
  '.gitignore': 'out/\n',
};

const CHEATS: readonly Cheat[] = [
  {
    name: 'edits the recipe of the tests',
    deed: { write: { Makefile: recipe('sh run-tests.sh || true') } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'Makefile: test',
  },
  {
    name: 'edits what the recipe of the tests needs',
    deed: { write: { Makefile: FILES.Makefile.replace('mkdir -p out', 'echo "echo ok" > run-tests.sh') } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'Makefile: test',
    pure: true,
  },
  {
    name: 'sets another shell for all recipes',
    deed: { write: { Makefile: recipe('sh run-tests.sh', 'SHELL = true\n') } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'Makefile: test',
    pure: true,
  },
  {
    name: 'adds a makefile that make prefers',
    deed: { write: { GNUmakefile: 'test:\n\techo ok\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'GNUmakefile: test',
  },
  {
    name: 'adds a file that make takes for the result of the tests',
    deed: { write: { Makefile: FILES.Makefile, test: '', build: '' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'test',
  },
  {
    name: 'removes a check from the script',
    deed: { write: { 'run-tests.sh': script(ZERO) } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'run-tests.sh',
  },
  {
    name: 'edits a file that the script reads',
    deed: { write: { 'checks.sh': 'expect() { :; }\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'checks.sh',
  },
  {
    name: 'passes only thanks to an ignored file',
    deed: { write: { 'add.sh': '. out/add.sh\n', 'out/add.sh': 'echo $(($1 + $2))\n' } },
    status: 'partial',
    names: TESTS_FAIL,
  },
];

const PLACES = [
  { place: 'without a sandbox', sandbox: 'off', works: true },
  { place: 'in a sandbox', sandbox: 'required', works: sandboxHere.ok },
] as const;

for (const { place, sandbox, works } of PLACES)
  describe.runIf(works)(`in a repository with a Makefile and a shell test, ${place}`, () => {
    let repository: CheckedRepository;
    beforeAll(async () => {
      repository = await openRepository({ files: FILES, sandbox });
    });
    afterAll(() => repository.close());

    itStopsCheats(() => repository, CHEATS);
  });
