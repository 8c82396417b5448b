import { createNameMatcher } from './name-matcher.ts';

/**
 * Recognises tests by the conventions of the common ecosystems. A false positive costs a second validation with
 * that file as at the base; a false negative lets a weakened test pass unnoticed. So the lists are generous, but
 * every name has to be a whole word: `contest.ts` and `latest/` are not tests.
 */

/** Folders whose whole content belongs to the tests, including fixtures, snapshots and helpers. */
const TEST_FOLDERS: ReadonlySet<string> = new Set([
  'test',
  'tests',
  '__test__',
  '__tests__',
  'spec',
  'specs',
  '__specs__',
  'e2e',
  'cypress',
  'testdata',
  'test-data',
  'test_data',
  'fixtures',
  'golden',
  'goldens',
  '__mocks__',
  '__fixtures__',
  '__goldens__',
  '__snapshots__',
  'tap-snapshots',
]);

/** Matches `unit-tests`, `integration_test`, `test-utils`, `testutil`, `test_helpers`. */
const TEST_FOLDER_NAMES: readonly RegExp[] = [
  /^(?:unit|integration|functional|acceptance|system|smoke|api|ui|e2e|regression|contract|component|browser|visual|performance)[-_]tests?$/i,
  /^tests?[-_]?(?:utils?|helpers?|support|fixtures?|lib)$/i,
  // .NET: `Shop.Tests`, `Shop.UnitTests`.
  /\.(?:[A-Z]\w*)?Tests?$/,
];

const SCRIPT = '{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte}';

/** File names, matched case-insensitively. */
const TEST_FILES: readonly string[] = [
  // JavaScript and TypeScript
  '*.{test,tests,spec,specs,e2e,cy,e2e-spec,test-d,spec-d}.*',
  `*[-_]{test,spec}.${SCRIPT}`,
  `{test,tests}.${SCRIPT}`,
  // Node's runner collects `test-*.js`. Helpers such as `src/test-utils.ts` also decide a verdict: a weakened
  // matcher makes every test pass.
  `test[-_]*.${SCRIPT}`,
  // Python
  '{test_*,*_test,tests,test}.py',
  // Go, Rust, Dart, Elixir, Lua, C and C++
  '*_test.{go,rs,dart,exs,ex,lua,c,cc,cpp,cxx,m,mm}',
  '{tests,test_*}.rs',
  '{test_*,*_unittest}.{c,cc,cpp,cxx}',
  '*_spec.{lua,rb,cr}',
  // Ruby
  '{test_*,*_test}.{rb,cr}',
  // Cucumber, shell, Perl
  '*.{feature,bats}',
  '{test,tests,*[-_.]test,*[-_.]tests,test[-_]*}.{sh,bash,zsh}',
  '*.t',
  // Snapshots
  '*.{snap,snapshot,ambr}',
];

/** Names in which a capital letter starts the word: `UserTest.java` is a test, `Contest.java` is not. */
const CAPITAL_TEST_FILES: readonly string[] = [
  '*{Test,Tests,TestCase,IT,ITCase,Spec,Suite}.{java,kt,kts,groovy,scala}',
  'Test[A-Z]*.{java,kt,groovy,scala}',
  '*{Test,Tests,Spec}.{cs,fs,vb,swift,hs,m,mm}',
  '*{Test,Cest,Spec}.php',
  '*_SUITE.erl',
];

/** Gradle source sets: `src/integrationTest/`, `src/testFixtures/`, `src/commonTest/`. */
const GRADLE_SOURCE_SET = /(?:^|\/)src\/(?:[a-z]\w*Test|test[A-Z]\w*)\//;

const isNamedAsTest = createNameMatcher(TEST_FILES, 'any case');
const isNamedWithCapital = createNameMatcher(CAPITAL_TEST_FILES, 'as written');

/** Folders in which a runner collects every code file. */
const COLLECTED_FOLDERS: ReadonlySet<string> = new Set(['test', 'tests', '__test__', '__tests__']);
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|sh)$/i;

/** Whether a runner may load the file as a test by itself; fixtures and data are only read by tests. */
export function isCollectedTest(path: string): boolean {
  const folders = path.toLowerCase().split('/');
  const name = folders.pop() ?? '';
  if (!CODE.test(name)) return false;
  return (
    isNamedAsTest(name) ||
    isNamedWithCapital(path.slice(path.lastIndexOf('/') + 1)) ||
    folders.some((each) => COLLECTED_FOLDERS.has(each))
  );
}

export function isTestFile(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  return (
    isNamedAsTest(name) ||
    isNamedWithCapital(name) ||
    GRADLE_SOURCE_SET.test(path) ||
    // Perl keeps its tests in `t/`, only at the root.
    folders[0] === 't' ||
    folders.some(
      (folder) =>
        TEST_FOLDERS.has(folder.toLowerCase()) || TEST_FOLDER_NAMES.some((pattern) => pattern.test(folder)),
    )
  );
}
