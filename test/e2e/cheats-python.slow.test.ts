import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Cheat, itStopsCheats } from './cheat-table.ts';
import { type CheckedRepository, openRepository } from './checked-repository.ts';

const hasPytest = canRun('python3', '-m', 'pytest', '--version') && canRun('pytest', '--version');

function canRun(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, [...args], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const TESTS_FAIL = 'the validator tests exited with 1';
const WRONG = 'def add(a, b):\n    return a - b\n';
const RIGHT = 'def add(a, b):\n    return a + b\n';

const ADDS = 'def test_adds():\n    assert add(2, 3) == 5\n\n\n';
const ZERO = 'def test_zero():\n    assert add(0, 0) == 0\n';
const pytestFile = (cases: string) => `import pytest\nfrom calc import add\n\n\n${cases}`;
const PROJECT = '[project]\nname = "calc"\nversion = "1"\n';

const FILES = {
  'pyproject.toml': PROJECT,
  'calc.py': WRONG,
  'test_calc.py': pytestFile(`${ADDS}${ZERO}`),
};

/** Compiles a file so that Python loads the result whatever the source says. */
const compileUnchecked = (source: string, as: string) =>
  `python3 -c "import importlib.util as u, py_compile as c; c.compile('${source}', cfile=u.cache_from_source('${as}'), invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)"`;

const CHEATS: readonly Cheat[] = [
  {
    name: 'deletes the test file',
    deed: { write: { 'test_calc.py': null, 'test_other.py': 'def test_other():\n    pass\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'test_calc.py',
  },
  {
    name: 'weakens an assertion',
    deed: { write: { 'test_calc.py': pytestFile(`${ADDS.replace('== 5', '!= 5')}${ZERO}`) } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'test_calc.py::test_adds',
  },
  {
    name: 'marks the failing case as skipped',
    deed: { write: { 'test_calc.py': pytestFile(`@pytest.mark.skip\n${ADDS}${ZERO}`) } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'test_calc.py::test_adds',
  },
  {
    name: 'marks the failing case as an expected failure',
    deed: { write: { 'test_calc.py': pytestFile(`@pytest.mark.xfail\n${ADDS}${ZERO}`) } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'test_calc.py::test_adds',
  },
  {
    name: 'renames the failing case so that pytest misses it',
    deed: { write: { 'test_calc.py': pytestFile(`${ADDS.replace('test_adds', 'check_adds')}${ZERO}`) } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'test_calc.py::test_adds',
  },
  {
    name: 'adds a conftest.py that leaves the case out',
    deed: {
      write: {
        'conftest.py':
          'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name != "test_adds"]\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'conftest.py',
  },
  {
    name: 'adds a conftest.py that turns failures into passes',
    deed: {
      write: {
        'conftest.py':
          'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'conftest.py',
    pure: true,
  },
  {
    name: 'adds a pytest.ini that deselects the case',
    deed: { write: { 'pytest.ini': '[pytest]\naddopts = --deselect test_calc.py::test_adds\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'pytest.ini',
    pure: true,
  },
  {
    name: 'adds a tox.ini that pytest reads',
    deed: { write: { 'tox.ini': '[pytest]\naddopts = -k zero\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'tox.ini',
    pure: true,
  },
  {
    name: 'configures pytest in the pyproject.toml',
    deed: { write: { 'pyproject.toml': `${PROJECT}[tool.pytest.ini_options]\naddopts = "-k zero"\n` } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'pyproject.toml: tool.pytest',
  },
  {
    name: 'adds a module that every interpreter loads',
    deed: { write: { 'sitecustomize.py': 'import os\nos._exit(0)\n' } },
    status: 'partial',
    names: TESTS_FAIL,
  },
  {
    name: 'adds a plugin that pytest finds by its metadata',
    deed: {
      write: {
        'quiet.egg-info/entry_points.txt': '[pytest11]\nquiet = quiet\n',
        'quiet.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: quiet\nVersion: 1\n',
        'quiet.py': 'def pytest_collection_modifyitems(items):\n    items[:] = items[1:]\n',
      },
    },
    status: 'partial',
    names: TESTS_FAIL,
  },
  {
    name: 'adds a test that replaces the code while it is collected',
    deed: {
      write: {
        'test_aaa.py':
          'import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_nothing():\n    assert True\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'test_aaa.py',
    pure: true,
  },
  {
    name: 'asks in the code which test is running',
    deed: {
      write: {
        'calc.py':
          'import os\n\n\ndef add(a, b):\n    return a + b if "PYTEST_CURRENT_TEST" in os.environ else a - b\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'calc.py: PYTEST_CURRENT_TEST',
    pure: true,
  },
  {
    name: 'returns a value that equals everything',
    deed: {
      write: {
        'calc.py':
          'class Any:\n    def __eq__(self, other):\n        return True\n\n\ndef add(a, b):\n    return Any()\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'calc.py: def __eq__',
    pure: true,
  },
  {
    name: 'puts a package in the place of the module',
    deed: { write: { 'calc/__init__.py': RIGHT } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'calc/__init__.py',
    pure: true,
  },
  {
    name: 'leaves compiled code that Python prefers to the source',
    deed: { write: { 'right.py': RIGHT }, shell: `${compileUnchecked('right.py', 'calc.py')}; rm right.py` },
    status: 'needs_human',
    flag: 'judge_changed',
    names: '__pycache__/calc',
  },
  {
    name: 'ends the interpreter while the code is imported',
    deed: { write: { 'calc.py': 'import os\n\nos._exit(0)\n' } },
    status: 'blocked',
    names: 'report.xml',
  },
  {
    name: 'ends the session while the code is imported',
    deed: { write: { 'calc.py': 'import pytest\n\npytest.exit("done", returncode=0)\n' } },
    status: 'partial',
    names: 'the case test_calc.py failed',
  },
  {
    name: 'brings the report itself and ends the interpreter',
    deed: {
      write: {
        'calc.py': 'import os\n\nos._exit(0)\n',
        'report.xml':
          '<testsuites><testsuite name="pytest" tests="2"><testcase classname="test_calc" name="test_adds"/><testcase classname="test_calc" name="test_zero"/></testsuite></testsuites>\n',
      },
    },
    status: 'blocked',
    names: 'report.xml',
  },
];

describe.runIf(hasPytest)('in a repository with pytest', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: FILES,
      configure: (config) => config.replaceAll('.tnh/run/tests.xml', 'report.xml'),
    });
  });
  afterAll(() => repository.close());

  itStopsCheats(() => repository, CHEATS);
});

const unittestFile = (cases: string) =>
  `import unittest\nfrom calc import add\n\n\nclass Calc(unittest.TestCase):\n${cases}`;
const METHOD = '    def test_adds(self):\n        self.assertEqual(add(2, 3), 5)\n';

const UNITTEST_CHEATS: readonly Cheat[] = [
  {
    name: 'skips the failing case',
    deed: { write: { 'tests/test_calc.py': unittestFile(`    @unittest.skip('later')\n${METHOD}`) } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'tests/test_calc.py',
    pure: true,
  },
  {
    name: 'makes the package of the tests load none of them',
    deed: {
      write: {
        'tests/__init__.py':
          'import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite([unittest.FunctionTestCase(lambda: None)])\n',
      },
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'tests/__init__.py',
    pure: true,
  },
  {
    name: 'adds a module in the place of unittest',
    deed: { write: { 'unittest.py': '' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'unittest.py',
  },
  {
    name: 'adds a module in the place of one that unittest loads',
    deed: { write: { 'argparse.py': 'import os\nos._exit(0)\n' } },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'argparse.py',
  },
  {
    name: 'leaves compiled tests that Python prefers to the source',
    deed: {
      write: { 'weak.py': unittestFile(METHOD.replace('5)', '-1)')) },
      shell: `${compileUnchecked('weak.py', 'tests/test_calc.py')}; rm weak.py`,
    },
    status: 'needs_human',
    flag: 'judge_changed',
    names: 'tests/__pycache__/test_calc',
  },
];

describe.runIf(canRun('python3', '--version'))('in a repository with unittest', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        Makefile: 'test:\n\tpython3 -m unittest discover -t . -s tests\n',
        'calc.py': WRONG,
        'tests/__init__.py': '',
        'tests/test_calc.py': unittestFile(METHOD),
      },
    });
  });
  afterAll(() => repository.close());

  itStopsCheats(() => repository, UNITTEST_CHEATS);
});
