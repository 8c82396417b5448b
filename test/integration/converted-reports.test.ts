import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { harnessReportSchema } from '../../src/contracts/run/harness-report.ts';
import {
  configured,
  inlineScript,
  openValidatorScene,
  type ValidatorScene,
  writes,
} from './validator-fixture.ts';

const junit = (...cases: readonly string[]) =>
  `<testsuites><testsuite name="s">${cases.join('')}</testsuite></testsuites>`;
const passed = (name: string) => `<testcase classname="C" name="${name}"/>`;
const failed = (name: string) => `<testcase classname="C" name="${name}"><failure message="no"/></testcase>`;

let scene: ValidatorScene;
beforeEach(async () => {
  scene = await openValidatorScene();
});
afterEach(() => scene.remove());

const caseEnds = (value: unknown) =>
  harnessReportSchema.parse(value).cases.map(({ id, status }) => `${status} ${id}`);

describe('a report that a validator declares', () => {
  it('becomes a harness report among its evidence and in the run directory', async () => {
    const report = junit(passed('a'), failed('b'));
    const validator = inlineScript(`${writes('reports/one.xml', report)} process.exit(1)`, {
      report: 'junit:reports/*.xml',
    });
    const result = await scene.run(validator);
    expect(result).toMatchObject({
      outcome: 'error',
      exitCode: 1,
      reason: 'the validator exited with code 1',
      missingArtifacts: [],
      requiredArtifacts: ['reports/*.xml'],
      harnessReport: { proposals: 0, converted: true },
    });
    expect(result.artifacts.map(({ name }) => name)).toEqual(['reports/one.xml', 'harness_report.json']);
    const { path, value } = result.harnessReport ?? { path: '', value: {} };
    expect(path).toBe(join(scene.evidenceDir, 'check.harness_report.json'));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(value);
    expect(JSON.parse(await readFile(scene.inRun('harness_report.json'), 'utf8'))).toEqual(value);
    expect(harnessReportSchema.parse(value)).toMatchObject({ suite_id: 'check', version: '1.0.0' });
    expect(caseEnds(value)).toEqual(['passed C.a', 'failed C.b']);
  });

  it('of several files is one report', async () => {
    const code =
      writes('r/a.xml', junit(passed('a'))) + writes('r/deep/b.xml', junit(passed('b'), passed('a')));
    const result = await scene.run(inlineScript(code, { report: 'junit:r/**/*.xml' }));
    expect(result.outcome).toBe('completed');
    expect(caseEnds(result.harnessReport?.value)).toEqual(['passed C.a', 'passed C.b', 'passed C.a (2)']);
  });

  it('is removed from the checkout, unless it existed before', async () => {
    await scene.put(scene.inTree('old.xml'), 'old');
    const code = writes('old.xml', junit(passed('a'))) + writes('new.xml', junit(passed('b')));
    await scene.run(inlineScript(code, { report: 'junit:*.xml' }));
    expect(existsSync(scene.inTree('old.xml'))).toBe(true);
    expect(existsSync(scene.inTree('new.xml'))).toBe(false);
  });

  it('may be TAP on the standard output, with any bytes between its lines', async () => {
    const code =
      'process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a])); console.log("TAP version 13\\nok 1 - a\\nnot ok 2 - b\\n1..2"); process.exitCode = 1';
    const result = await scene.run(inlineScript(code, { report: 'tap:stdout' }));
    expect(result).toMatchObject({
      outcome: 'error',
      missingArtifacts: [],
      requiredArtifacts: ['tap:stdout'],
    });
    expect(caseEnds(result.harnessReport?.value)).toEqual(['passed a', 'failed b']);
  });

  it.each([
    [
      'vitest-json',
      { testResults: [{ name: 'a.test.ts', assertionResults: [{ title: 't', status: 'passed' }] }] },
      'passed a.test.ts > t',
    ],
    [
      'playwright-json',
      {
        suites: [
          { title: 'a', file: 'a', specs: [{ title: 't', tests: [{ status: 'flaky', results: [] }] }] },
        ],
      },
      'flaky a > t',
    ],
  ])('may be %s', async (form, value, end) => {
    const result = await scene.run(
      inlineScript(writes('out.json', JSON.stringify(value)), { report: `${form}:out.json` }),
    );
    expect(caseEnds(result.harnessReport?.value)).toEqual([end]);
  });

  it('of a configured command names the command where the runner is not known', async () => {
    await scene.put(
      scene.inTree('t.mjs'),
      `import fs from 'node:fs'; fs.writeFileSync('r.xml', '${junit(failed('a'))}');`,
    );
    const result = await scene.run(configured(['node', 't.mjs', 'a b'], 'junit:r.xml'));
    expect(result.harnessReport?.value.cases).toMatchObject([{ repro: "node t.mjs 'a b'" }]);
  });

  it('of a script in a folder says how to get there', async () => {
    await scene.put(
      scene.inTree('web/t.mjs'),
      `import fs from 'node:fs'; fs.writeFileSync('r.xml', '${junit(failed('a'))}');`,
    );
    const script = inlineScript('', {
      entrypoint: 'web/t.mjs',
      args: ['${run_id}'],
      cwd: 'web',
      report: 'junit:web/r.xml',
    });
    const result = await scene.run(script);
    const [item] = harnessReportSchema.parse(result.harnessReport?.value).cases;
    expect(item?.repro).toMatch(/^cd web && \S+ t\.mjs 0199ab$/);
  });
});

describe('an exit code', () => {
  it('that no failed test explains becomes a failed case', async () => {
    const code = `${writes('r.xml', junit(passed('a')))} console.error('coverage is 50%'); process.exit(3)`;
    const { harnessReport, exitCode } = await scene.run(inlineScript(code, { report: 'junit:r.xml' }));
    expect(exitCode).toBe(3);
    expect(caseEnds(harnessReport?.value)).toEqual(['passed C.a', 'failed exit code 3']);
    expect(JSON.stringify(harnessReport?.value)).toContain('coverage is 50%');
  });

  it('of 0 beside a failed test leaves the test failed', async () => {
    const result = await scene.run(
      inlineScript(writes('r.xml', junit(failed('a'))), { report: 'junit:r.xml' }),
    );
    expect(result).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(caseEnds(result.harnessReport?.value)).toEqual(['failed C.a']);
  });
});

describe('a declared report is missing', () => {
  it('where nothing matches, though the validator passed', async () => {
    expect(await scene.run(inlineScript('', { report: 'junit:r/*.xml' }))).toMatchObject({
      outcome: 'error',
      exitCode: 0,
      missingArtifacts: ['r/*.xml'],
      requiredArtifacts: ['r/*.xml'],
      harnessReport: null,
      reason: 'required artifact missing: `r/*.xml`',
    });
  });

  it('only as far as the validator itself does not say that it failed', async () => {
    for (const report of ['junit:r/*.xml', 'vitest-json:r.json', 'tap:stdout'])
      expect(await scene.run(inlineScript('process.exit(2)', { report }))).toMatchObject({
        outcome: 'error',
        exitCode: 2,
        missingArtifacts: [],
        requiredArtifacts: [],
        harnessReport: null,
      });
    const harness = await scene.run(inlineScript('process.exit(2)', { report: 'harness:r.json' }));
    expect(harness).toMatchObject({ exitCode: 2, missingArtifacts: ['r.json'] });
  });

  it('if it existed before, and a new one beside it is the whole report', async () => {
    await scene.put(scene.inTree('r/old.xml'), junit(failed('old')));
    const stale = await scene.run(inlineScript('', { report: 'junit:r/*.xml' }));
    expect(stale).toMatchObject({ outcome: 'error', missingArtifacts: ['r/*.xml'], harnessReport: null });
    expect(stale.reason).toBe('report `r/*.xml` was not written by this run of the validator');
    const fresh = await scene.run(
      inlineScript(writes('r/new.xml', junit(passed('new'))), { report: 'junit:r/*.xml' }),
    );
    expect(caseEnds(fresh.harnessReport?.value)).toEqual(['passed C.new']);
  });

  it('on the next visit, whose artifact glob still catches the old file', async () => {
    const both = { report: 'vitest-json:out.json', artifacts: ['*.json'] };
    await scene.put(scene.inTree('out.json'), '{"testResults":[]}');
    const result = await scene.run(inlineScript('', both));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: ['out.json'], harnessReport: null });
    expect(result.artifacts.map(({ name }) => name)).toEqual(['out.json']);
  });

  it.each([
    ['junit', 'not XML', 'is not well-formed XML: 1:7: text data outside of root node.'],
    ['junit', '<!DOCTYPE a><testsuites/>', 'declares a document type, which is not supported'],
    ['vitest-json', '{', 'is not JSON'],
    ['playwright-json', '{}', 'is not a Playwright report at `suites`'],
  ])('where the %s in it is %j', async (form, content, why) => {
    const result = await scene.run(inlineScript(writes('r.out', content), { report: `${form}:r.out` }));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: ['r.out'], harnessReport: null });
    expect(result.reason).toBe(`report \`r.out\` ${why}`);
    expect(existsSync(scene.inRun('harness_report.json'))).toBe(false);
  });

  it.each([
    ['not UTF-8', 'fs.writeFileSync("r.xml", Buffer.from([0x3c, 0xff, 0xfe]))', '`r.xml` is not UTF-8'],
    ['50 MB', 'fs.writeFileSync("r.xml", "x".repeat(50_000_000))', '`r.xml` is larger than 16 MiB'],
    [
      'five files of 15 MB',
      'for (const n of "abcde") fs.writeFileSync(n + ".xml", "<testsuite>" + " ".repeat(15_000_000) + "</testsuite>")',
      '`*.xml` is larger than 64 MiB together',
    ],
    [
      'two files of 30,000 cases',
      'for (const n of "ab") fs.writeFileSync(n + ".xml", "<testsuite>" + "<testcase/>".repeat(30_000) + "</testsuite>")',
      '`*.xml` contains more than 50000 cases',
    ],
    [
      '51,000 cases',
      'fs.writeFileSync("r.xml", "<testsuite>" + "<testcase/>".repeat(51_000) + "</testsuite>")',
      '`r.xml` contains more than 50000 cases',
    ],
  ])('where it is %s', async (_, code, why) => {
    const result = await scene.run(inlineScript(code, { report: 'junit:*.xml' }));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: ['*.xml'], harnessReport: null });
    expect(result.reason).toBe(`report ${why}`);
  });

  it.each([
    ['no TAP', 'console.log("hello")', 'contains no TAP'],
    [
      'more than is kept',
      'console.log("1..1\\nok 1\\n" + "#".repeat(1_500_000))',
      /was cut off: \d+ bytes of it were not kept/,
    ],
  ])('where standard output has %s', async (_, code, why) => {
    const result = await scene.run(inlineScript(code, { report: 'tap:stdout' }));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: ['tap:stdout'], harnessReport: null });
    expect(result.reason).toMatch(why);
  });

  it('where the validator could not be started', async () => {
    const result = await scene.run(inlineScript('', { entrypoint: 'tools/none.mjs', report: 'junit:r.xml' }));
    expect(result).toMatchObject({ outcome: 'error', exitCode: null, missingArtifacts: ['r.xml'] });
  });

  it('where it is a link that leads out', async () => {
    await scene.put(join(scene.place.repoRoot, 'r.xml'), junit(passed('a')));
    await symlink(join(scene.place.repoRoot, 'r.xml'), scene.inTree('r.xml'));
    const result = await scene.run(inlineScript('', { report: 'junit:r.xml' }));
    expect(result).toMatchObject({ outcome: 'error', missingArtifacts: ['r.xml'], harnessReport: null });
  });

  it.each(['junit:/etc/r.xml', 'vitest-json:../r.json', 'harness:a/../../r.json'])(
    'and known to be before the run where it is %s',
    async (report) => {
      const reason = /^report refused: `.*` is outside the checkout and the run directory$/;
      expect(await scene.unavailable(inlineScript('', { report }))).toMatch(reason);
      expect(await scene.run(inlineScript('', { report }))).toMatchObject({
        outcome: 'error',
        exitCode: null,
      });
    },
  );
});

describe('a harness report that `report` names', () => {
  const report = { suite_id: 's', version: '1.0.0', cases: [], summary: {}, proposed_goldens: ['a.png'] };

  it('is accepted under any name, and refused if it is invalid', async () => {
    const good = await scene.run(
      inlineScript(writes('out/r [1].json', JSON.stringify(report)), { report: 'harness:out/r [1].json' }),
    );
    expect(good).toMatchObject({ outcome: 'completed', harnessReport: { value: report, proposals: 1 } });
    expect(good.harnessReport?.converted).toBeUndefined();
    const bad = await scene.run(inlineScript(writes('out/r.json', '{}'), { report: 'harness:out/r.json' }));
    expect(bad).toMatchObject({ outcome: 'error', missingArtifacts: ['out/r.json'], harnessReport: null });
  });

  it('is one report where it is an artifact as well', async () => {
    const both = { report: 'harness:harness_report.json', artifacts: ['harness_report.json'] };
    const result = await scene.run(inlineScript(writes('harness_report.json', JSON.stringify(report)), both));
    expect(result).toMatchObject({ outcome: 'completed', requiredArtifacts: ['harness_report.json'] });
    expect(result.artifacts).toHaveLength(1);
  });

  it('does not hide one that is converted, nor vice versa', async () => {
    const code = writes('harness_report.json', JSON.stringify(report)) + writes('r.xml', junit(failed('a')));
    const both = { report: 'junit:r.xml', artifacts: ['harness_report.json'] };
    const { harnessReport } = await scene.run(inlineScript(code, both));
    expect(harnessReport).toMatchObject({
      proposals: 1,
      converted: false,
      value: { proposed_goldens: ['a.png'] },
    });
    expect(harnessReport?.value.cases).toMatchObject([{ id: 'C.a', status: 'failed' }]);
  });
});

describe('what a runner attaches to a test', () => {
  it('is kept and referred to from the run directory, and nothing from elsewhere is', async () => {
    const outside = await scene.put(join(scene.place.repoRoot, 'secret.txt'), 'secret');
    const picture = await scene.put(scene.inTree('shots/a.png'), 'png');
    await symlink(outside, scene.inTree('link.txt'));
    const names = [
      picture,
      outside,
      'shots/a.png',
      '../../repo/secret.txt',
      'link.txt',
      'missing.png',
      'shots',
      '.git/config',
    ];
    const attachments = names.map((path) => ({ name: 'x', path, contentType: 'image/png' }));
    const value = {
      suites: [
        {
          title: 'a',
          file: 'a',
          specs: [{ title: 't', tests: [{ status: 'unexpected', results: [{ attachments }] }] }],
        },
      ],
    };
    const result = await scene.run(
      inlineScript(writes('o.json', JSON.stringify(value)), { report: 'playwright-json:o.json' }),
    );
    const [item] = harnessReportSchema.parse(result.harnessReport?.value).cases;
    expect(item?.artifacts).toEqual([
      'artifacts/validate/check/report-files/1-a.png',
      'artifacts/validate/check/report-files/2-a.png',
    ]);
    for (const reference of item?.artifacts ?? [])
      expect(await readFile(scene.inRun(reference), 'utf8')).toBe('png');
    expect(result.artifacts.map(({ name }) => name)).toContain('report-files/1-a.png');
    expect(result.references?.problems).toEqual([]);
  });
});
