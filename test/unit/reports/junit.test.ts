import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ends, FOLDER, read, refusal } from './reading.ts';

const suite = (inside: string, attributes = 'name="s"') =>
  `<?xml version="1.0"?><testsuites><testsuite ${attributes}>${inside}</testsuite></testsuites>`;
const only = (text: string, command?: readonly string[]) => read('junit', text, command).results[0];

describe('how a JUnit case ended', () => {
  it.each([
    ['nothing inside', '', 'passed'],
    ['output alone', '<system-out>ok</system-out>', 'passed'],
    ['a failure', '<failure message="no"/>', 'failed'],
    ['an error', '<error message="no"/>', 'failed'],
    ['a skip', '<skipped/>', 'skipped'],
    ['an error behind a skip', '<skipped/><error message="teardown"/>', 'failed'],
    ['a test that is still to be done', '<skipped type="todo"/><failure message="not yet"/>', 'skipped'],
    ['a failure that a rerun mended', '<flakyFailure message="no"/>', 'flaky'],
    ['an error that a rerun mended', '<flakyError message="no"/>', 'flaky'],
    ['a rerun that failed before one that passed', '<rerunFailure message="no"/>', 'flaky'],
    ['a failure that reruns did not mend', '<failure message="no"/><rerunFailure message="no"/>', 'failed'],
    ['an element nobody knows', '<custom><failure/></custom>', 'failed'],
    ["CTest's element for what is switched off", '<disabled message="Disabled"/>', 'skipped'],
  ])('with %s is recognized', (_, inside, status) => {
    expect(only(suite(`<testcase name="t" classname="C">${inside}</testcase>`))?.status).toBe(status);
  });

  it.each([
    ["that GoogleTest didn't run", 'status="notrun" result="suppressed"', '', 'skipped'],
    ['that GoogleTest ran', 'status="run" result="completed"', '', 'passed'],
    ['that CTest has switched off', 'status="disabled"', '', 'skipped'],
    ['that only an attribute calls failed', 'status="FAILED"', '', 'failed'],
    ['that an element calls failed', 'status="notrun"', '<failure/>', 'failed'],
  ])('%s is read from its attributes if no element has it', (_, attributes, inside, status) => {
    expect(only(suite(`<testcase name="t" ${attributes}>${inside}</testcase>`))?.status).toBe(status);
  });

  it.each([
    ['message and text', '<failure message="no">at a.py:3</failure>', ['no\nat a.py:3']],
    ['a text that repeats the message', '<failure message="no">Error: no</failure>', ['Error: no']],
    ['CDATA and entities', '<failure><![CDATA[1 < 2 ]]>&amp; &lt;b&gt; &#65;</failure>', ['1 < 2 & <b> A']],
    ['only a type', '<failure type="AssertionError"/>', ['AssertionError']],
    [
      'a stack trace inside',
      '<flakyFailure message="m"><stackTrace>at x</stackTrace></flakyFailure>',
      ['m\nat x'],
    ],
    [
      'what it printed before a rerun',
      '<flakyFailure message="m"><stackTrace>at x</stackTrace><system-out>hi</system-out></flakyFailure>',
      ['m\nat x'],
    ],
    ['a reason for a skip', '<skipped message="no network"/>', ['no network']],
    ["Node's word for no reason", '<skipped type="skipped" message="true"/>', []],
    [
      'control characters',
      '<failure message="a&#27;[31mb&#x1b;[0m">c\u0007\ufffd[1;31md\u001b&#8;</failure>',
      ['ab\ncd'],
    ],
  ])('with %s is observed', (_, inside, observations) => {
    expect(only(suite(`<testcase name="t">${inside}</testcase>`))?.observations).toEqual(observations);
  });
});

describe('a JUnit report', () => {
  it('is read whatever the nesting, with the names of suites where classes have none', () => {
    const text = suite('<testsuite name="inner"><testcase name="a"/></testsuite><testcase name="b"/>');
    expect(ends(read('junit', text))).toEqual(['passed s > inner > a', 'passed s > b']);
    expect(ends(read('junit', '<testsuite><testcase name="a"/></testsuite>'))).toEqual(['passed a']);
    expect(ends(read('junit', `\n ${text}`))).toEqual(['passed s > inner > a', 'passed s > b']);
  });

  it.each([
    [
      'tells of failures and lists none',
      '',
      'failures="2"',
      'failed s',
      'the suite reports 2 failures but lists none',
    ],
    ['has an error of its own', '<error message="setup">x</error>', '', 'failed s', 'setup\nx'],
  ])('of a suite that %s has a failed case for it', (_, inside, attributes, end, observation) => {
    const results = read('junit', suite(`<testcase name="a"/>${inside}`, `name="s" ${attributes}`));
    expect(ends(results)).toEqual(['passed s > a', end]);
    expect(results.results[1]?.observations).toEqual([observation]);
  });

  it('of a suite whose failures are listed below counts each once', () => {
    const inner = '<testsuite name="i" failures="1"><testcase name="a"><failure/></testcase></testsuite>';
    expect(ends(read('junit', suite(inner, 'name="s" failures="1" errors="1"')))).toEqual([
      'failed s > i > a',
    ]);
  });

  it.each([
    ['1.5', 1500],
    ['0,25', 250],
    ['1,234.5', 1_234_500],
    ['1,234,567', 1_234_567_000],
    ['.5', 500],
    ['1e-3', 1],
    ['', null],
    ['fast', null],
    ['-1', null],
  ])('with time %j took %j milliseconds', (time, expected) => {
    const results = read('junit', suite(`<testcase name="a" time="${time}"/>`));
    expect(results.results[0]?.durationMs).toBe(expected);
  });

  it.each([
    ['the root', '<testsuites time="2"><testsuite time="1"/></testsuites>', 2000],
    [
      'its suites',
      '<testsuites><testsuite time="1"><testsuite time="9"/></testsuite><testsuite time="2"/></testsuites>',
      3000,
    ],
    ["Node's comment", '<testsuites><!-- duration_ms 12.5 --><testsuite time="1"/></testsuites>', 12.5],
    ['nobody', '<testsuites><testsuite/></testsuites>', null],
  ])('takes its duration from %s', (_, text, expected) => {
    expect(read('junit', text).durationMs).toBe(expected);
  });

  it.each([
    ["npm's banner", '\n> app@1.0.0 test\n> vitest run --reporter=junit\n\n', ''],
    ['a byte order mark', '\ufeff', ''],
    ['a byte order mark behind a banner', '> app@1.0.0 test\n\ufeff', ''],
    ['lines behind it', '', '\nJUNIT report written to r.xml\nDone in 1.5s.\n'],
    ['both', '> x\n', '\n> y\n'],
  ])('is read with %s', (_, before, behind) => {
    const text = `${before}${suite('<testcase name="a"/>')}${behind}`;
    expect(ends(read('junit', text))).toEqual(['passed s > a']);
    expect(ends(read('junit', text.replace('<?xml version="1.0"?>', '')))).toEqual(['passed s > a']);
  });

  it('names attachments in the format of Jenkins', () => {
    const out = '<system-out>x [[ATTACHMENT|shots/a.png]] [[ATTACHMENT|b.txt]]</system-out>';
    expect(only(suite(`<testcase name="a">${out}</testcase>`))?.attachments).toEqual([
      'shots/a.png',
      'b.txt',
    ]);
  });

  it('of many megabytes is read', () => {
    const noise = `<system-out>${'x'.repeat(4_000_000)}</system-out>`;
    const cases = Array.from({ length: 20_000 }, (_, index) => `<testcase classname="C" name="t${index}"/>`);
    expect(read('junit', suite(cases.join('') + noise)).results).toHaveLength(20_000);
  });
});

const bomb = `<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites>&b;</testsuites>`;

describe('a JUnit report is refused', () => {
  it.each([
    ['a document type with entities', bomb, 'declares a document type, which is not supported'],
    [
      'a file to include',
      '<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuites/>',
      'declares a document type, which is not supported',
    ],
    [
      'an entity nobody declared',
      '<testsuites>&b;</testsuites>',
      'is not well-formed XML: 1:15: undefined entity.',
    ],
    ['an open element', '<testsuites><testsuite>', 'is not well-formed XML: 1:23: unclosed tag: testsuite'],
    ['no element', '', 'is not well-formed XML: 1:0: document must contain a root element.'],
    [
      'a document type behind a banner',
      '> x\n<?xml version="1.0"?><!DOCTYPE b><testsuites/>',
      'declares a document type, which is not supported',
    ],
    ['another root', '<html/>', 'is not a JUnit report: its root element is `html`'],
    ['JSON', '{}', 'is not well-formed XML: 1:2: text data outside of root node.'],
    ['a NUL', '<testsuites>\0</testsuites>', 'contains a NUL character'],
    [
      'a million cases',
      `<testsuite>${'<testcase/>'.repeat(1_000_000)}</testsuite>`,
      'contains more than 50000 cases',
    ],
    [
      'a million suites',
      `<testsuites>${'<testsuite/>'.repeat(1_000_000)}</testsuites>`,
      'contains more than 50000 cases',
    ],
    ['a nesting without end', '<testsuite>'.repeat(100), 'is nested deeper than 64 elements'],
  ])('with %s', (_, text, why) => {
    expect(refusal('junit', text)).toBe(why);
  });
});

describe('the dialect of', () => {
  const vitest = (name: string) =>
    `<testsuites name="vitest tests"><testsuite name="test/a.test.ts"><testcase classname="test/a.test.ts" name="${name}"/></testsuite></testsuites>`;
  const jest = `<testsuites name="jest tests"><testsuite name="sum"><testcase classname="sum adds" name="sum adds" file="src/a.test.js"/></testsuite></testsuites>`;
  const pytest = (attributes: string) =>
    `<testsuites name="pytest tests"><testsuite name="pytest"><testcase ${attributes}/></testsuite></testsuites>`;
  const go = `<testsuites><testsuite name="example.test/m/p"><properties><property name="go.version" value="go1.22"/></properties><testcase classname="example.test/m/p" name="TestSum/small_(1)"/></testsuite></testsuites>`;
  const nextest = `<testsuites name="nextest-run"><testsuite name="my-crate"><testcase name="tests::adds" classname="my-crate"/></testsuite></testsuites>`;
  const surefire = `<testsuite xmlns:xsi="x" xsi:noNamespaceSchemaLocation="https://maven.example/surefire-test-report.xsd" name="org.example.SumTest"><testcase name="adds(int)[1]" classname="org.example.SumTest"/></testsuite>`;
  const goSuite = (attributes: string) =>
    `<testsuites><testsuite name="example.test/m/p"><properties><property name="go.version"/></properties><testcase ${attributes}/></testsuite></testsuites>`;
  const brokenClass = surefire.replace('adds(int)[1]', '');
  const mocha = `<testsuites name="Mocha Tests"><testsuite name="Math"><testcase name="Math adds" classname="adds"/></testsuite></testsuites>`;
  const quoted = `<testsuites><testcase name="says &amp;quot;no&amp;quot;" classname="test" file="${FOLDER}/a.mjs"/></testsuites>`;
  const java = `<testsuite name="org.example.SumTest"><testcase name="adds()" classname="org.example.SumTest"/></testsuite>`;
  const playwright = `<testsuites id="" name=""><testsuite name="a.spec.ts" hostname="chromium"><testcase name="Login › works" classname="a.spec.ts"/></testsuite></testsuites>`;
  const node = `<testsuites><testsuite name="sum"><testcase name="adds" classname="test"><failure>Error: x\n at file://${FOLDER}/test/a%20b.test.mjs:4:29) {</failure></testcase></testsuite><testcase name="${FOLDER}/test/b.test.mjs" classname="test"/></testsuites>`;
  it.each([
    [
      'Vitest',
      vitest('sum &gt; adds'),
      ['npm', 'test'],
      'test/a.test.ts > sum > adds',
      'npx vitest run test/a.test.ts -t "sum adds"',
    ],
    [
      'Vitest, a file',
      vitest('test/a.test.ts'),
      ['npm', 'test'],
      'test/a.test.ts',
      'npx vitest run test/a.test.ts',
    ],
    [
      'Vitest, a name with signs',
      vitest('costs $5 (net)'),
      ['npm', 'test'],
      'test/a.test.ts > costs $5 (net)',
      String.raw`npx vitest run test/a.test.ts -t 'costs \$5 \(net\)'`,
    ],
    [
      'Vitest with a configuration',
      vitest('a'),
      ['npx', 'vitest', 'run', '--config', 'v.ts', '--reporter=junit'],
      'test/a.test.ts > a',
      'npx vitest run --config v.ts test/a.test.ts -t "a"',
    ],
    ['Jest', jest, ['npm', 'test'], 'src/a.test.js > sum adds', 'npx jest src/a.test.js -t "sum adds"'],
    [
      'pytest',
      pytest('classname="tests.test_sum.TestSum" name="test_adds"'),
      ['make', 'test'],
      'tests/test_sum.py::TestSum::test_adds',
      'pytest tests/test_sum.py::TestSum::test_adds',
    ],
    [
      'pytest by module',
      pytest('classname="tests.test_sum" name="test_p[a b]"'),
      ['python3', '-m', 'pytest', '-q'],
      'tests/test_sum.py::test_p[a b]',
      "python3 -m pytest 'tests/test_sum.py::test_p[a b]'",
    ],
    [
      'pytest with files',
      pytest('classname="Tests.Unit.TestSum" name="test_a" file="Tests/Unit.py"'),
      ['pytest'],
      'Tests/Unit.py::TestSum::test_a',
      'pytest Tests/Unit.py::TestSum::test_a',
    ],
    [
      'pytest, a module that was not collected',
      pytest('classname="" name="tests.test_broken"'),
      ['pytest'],
      'tests/test_broken.py',
      'pytest tests/test_broken.py',
    ],
    [
      'Go',
      go,
      ['make', 'test'],
      'example.test/m/p.TestSum/small_(1)',
      String.raw`go test example.test/m/p -run '^TestSum$/^small_\(1\)$'`,
    ],
    [
      'Go, a class without its path',
      goSuite('classname="p" name="TestSum"'),
      ['make'],
      'example.test/m/p.TestSum',
      "go test example.test/m/p -run '^TestSum$'",
    ],
    [
      'Go, a package that is not built',
      goSuite('classname="" name="TestMain"'),
      ['make'],
      'example.test/m/p.TestMain',
      'go test example.test/m/p',
    ],
    [
      'nextest',
      nextest,
      ['make'],
      'my-crate tests::adds',
      'cargo nextest run -E "binary_id(my-crate) & test(=tests::adds)"',
    ],
    [
      'Surefire',
      surefire,
      ['make'],
      'org.example.SumTest.adds(int)[1]',
      "mvn test '-Dtest=org.example.SumTest#adds'",
    ],
    [
      'Surefire, a whole class',
      brokenClass,
      ['make'],
      'org.example.SumTest',
      'mvn test -Dtest=org.example.SumTest',
    ],
    [
      'Gradle',
      java,
      ['./gradlew', 'test'],
      'org.example.SumTest.adds()',
      './gradlew test --tests "org.example.SumTest.adds"',
    ],
    [
      'Playwright',
      playwright,
      ['npm', 'test'],
      'a.spec.ts > Login > works',
      'npx playwright test a.spec.ts -g "works"',
    ],
    [
      'Node',
      node,
      ['npm', 'test'],
      'sum > adds',
      'node --test --test-name-pattern="sum" --test-name-pattern="adds" \'test/a b.test.mjs\'',
    ],
    [
      'Node, a name with quotes',
      quoted,
      ['npm', 'test'],
      'says "no"',
      `node --test --test-name-pattern='says "no"' a.mjs`,
    ],
    ['Mocha, which nobody tells', mocha, ['npm', 'test'], 'Math adds', null],
    ['nobody known', java, ['ant', 'test'], 'org.example.SumTest.adds()', null],
  ])('%s is known', (_, text, command, id, repro) => {
    expect(only(text, command)).toMatchObject({ id, repro });
  });

  it('Node names a file that failed as a whole by its path', () => {
    expect(read('junit', node).results[1]).toMatchObject({
      id: 'test/b.test.mjs',
      repro: 'node --test test/b.test.mjs',
    });
  });

  it('Playwright makes cases of the web', () => {
    expect(read('junit', playwright).kind).toBe('web');
    expect(read('junit', java).kind).toBe('unit');
  });
});

it('what pytest wrote, as recorded, is read', () => {
  const recorded = readFileSync(new URL('../../fixtures/reports/pytest.xml', import.meta.url), 'utf8');
  const results = read('junit', recorded, ['pytest', '--junitxml=r.xml']);
  expect(ends(results)).toEqual([
    'failed tests/test_sum.py::TestSum::test_adds',
    'passed tests/test_sum.py::TestSum::test_stays',
    'failed tests/test_sum.py::test_param[a b]',
    'passed tests/test_sum.py::test_param[c/d]',
    'skipped tests/test_sum.py::test_later',
    'failed tests/test_sum.py::test_tear',
    'failed tests/test_sum.py::test_both',
    'failed tests/test_sum.py::test_both',
    'skipped tests/test_sum.py::test_x',
  ]);
  expect(results.durationMs).toBe(35);
});
