import { describe, expect } from 'vitest';
import { jsonSchemaOf } from '../../src/contracts/json-schemas.ts';
import { printTemplate } from '../../src/work/bodies/body-template.ts';
import { schemaProblems } from '../unit/json-schema-check.ts';
import {
  FINDING,
  implementorResult,
  plannedItem,
  plannerResult,
  reviewerResult,
} from '../unit/work/work-fixtures.ts';
import { runInProcess } from './in-process.ts';
import { type Scene, test } from './scene.ts';

const REPORT = {
  suite_id: 's',
  version: '1.0.0',
  generated_at: '2026-02-09T14:30:00Z',
  cases: [{ id: 'a', kind: 'cli', status: 'passed', repro: 'true', observations: [], artifacts: [] }],
  summary: { passed: 1, failed: 0, flaky: 0, duration_ms: 5 },
};
const DECISION = { status: 'success', next_step: null, fix_instructions: null, blockers: [], risk_flags: [] };
const ENVELOPE = {
  run_id: 'r',
  workflow_id: 'w',
  step_id: 's',
  evaluate_prompt: 'p.v1',
  allowed_next_steps: [],
  provenance_window: [],
  evidence: {
    transcript_summary: '',
    workspace_diff_summary: 'no changes',
    validation: { mechanical_outcome: 'completed', exit_codes: {}, timeouts: [] },
    artifacts: [],
    policy_events: [],
  },
};

function conductor(scene: Scene, ...args: readonly string[]) {
  return runInProcess(args, scene.cliOptions);
}

describe('conductor contract check', () => {
  test('says of each kind whether it keeps its contract', async ({ openScene }) => {
    const scene = await openScene();
    const { generated_at: _, ...undated } = REPORT;
    const { version: __, ...unversioned } = REPORT;
    const cases: [string, unknown, string[]][] = [
      ['planner-result', plannerResult({ create: [plannedItem('a')] }), []],
      ['planner-result', plannerResult({ create: [plannedItem('a', { blockedBy: ['b'] })] }), ['WR104']],
      ['implementor-result', implementorResult(), []],
      ['implementor-result', implementorResult({ patch: null }), ['WR203']],
      ['reviewer-result', reviewerResult('needs-changes', [FINDING]), []],
      ['reviewer-result', reviewerResult('approve', [FINDING]), ['WR303']],
      ['harness-report', REPORT, []],
      ['harness-report', undated, ['WR001']],
      ['harness-report', unversioned, ['WR001']],
      ['planner-decision', DECISION, []],
      ['planner-decision', { ...DECISION, status: 'fine' }, ['WR001']],
      ['planner-input', ENVELOPE, []],
      ['planner-input', { ...ENVELOPE, run_id: 7 }, ['WR001']],
    ];
    for (const [kind, value, codes] of cases) {
      await scene.repo.write('../given.json', JSON.stringify(value));
      const { code, stdout } = await conductor(scene, 'contract', 'check', kind, '../given.json', '--json');
      const document = JSON.parse(stdout);
      expect([kind, code, document.problems.map((problem: { code: string }) => problem.code)]).toEqual([
        kind,
        codes.length === 0 ? 0 : 2,
        codes,
      ]);
      expect(Object.keys(document)).toEqual(['schema_version', 'ok', 'kind', 'problems']);
      expect(document).toMatchObject({ schema_version: 1, ok: codes.length === 0, kind });
      for (const problem of document.problems)
        expect(Object.keys(problem)).toEqual(['path', 'code', 'message']);
      expect(schemaProblems(jsonSchemaOf('cli.contract'), document)).toEqual([]);
    }
  });

  test('knows the items of --items, in each form', async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../result.json', JSON.stringify(plannerResult({ close: ['7'] })));
    const check = (...more: string[]) =>
      conductor(scene, 'contract', 'check', 'planner-result', '../result.json', ...more);
    const without = await check();
    expect(without).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('WR107: close.0: "7" is not an existing item'),
    });
    expect(without.stderr).toContain('name the items that exist with --items FILE');
    const decision = await conductor(scene, 'contract', 'check', 'planner-decision', '../result.json');
    expect(decision.stdout).toMatch(/WR001: status: (?!status: )/);
    for (const items of [
      ['7'],
      [{ id: '7', status: 'ready' }],
      { schema_version: 1, items: [{ id: '7' }] },
    ]) {
      await scene.repo.write('../items.json', JSON.stringify(items));
      expect(await check('--items', '../items.json')).toMatchObject({
        code: 0,
        stdout: '✓ ../result.json: follows the contract of planner-result\n',
      });
    }
    await scene.repo.write('../items.json', '{"items": 7}');
    const wrong = await check('--items', '../items.json');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('../items.json is not a list of items'),
    ]);
  });

  test('says of a document that is not JSON that it breaks its contract', async ({ openScene }) => {
    const scene = await openScene();
    for (const [index, text] of ['', '{"role":', 'Done.'].entries()) {
      await scene.repo.write(`../${index}.json`, text);
      const check = ['contract', 'check', 'reviewer-result', `../${index}.json`];
      const { code, stdout } = await conductor(scene, ...check, '--json');
      expect(code).toBe(2);
      expect(JSON.parse(stdout)).toEqual({
        schema_version: 1,
        ok: false,
        kind: 'reviewer-result',
        problems: [
          {
            path: '',
            code: 'WR001',
            message: expect.stringMatching(/^the document: it is not JSON: /),
          },
        ],
      });
    }
  });

  test("refuses what it can't check, with the fix", async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../broken.json', '{"role":');
    await scene.repo.write('../fine.json', JSON.stringify(implementorResult()));
    const cases: [string[], string][] = [
      [['check', 'planer-result', '../fine.json'], 'did you mean planner-result?'],
      [['check', 'workflow', '../fine.json'], 'it is one of planner-result, implementor-result'],
      [['chekc', 'planner-result', '../fine.json'], 'did you mean check?'],
      [['check', 'planner-result', '../nowhere.json'], "../nowhere.json can't be read"],
      [
        ['check', 'planner-result', '../fine.json', '--items', '../broken.json'],
        '../broken.json is not JSON',
      ],
      [
        ['check', 'implementor-result', '../fine.json', '--items', '../fine.json'],
        '--items is only for planner-result',
      ],
      [['check', 'planner-result'], 'missing required argument'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await conductor(scene, 'contract', ...args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain(message);
    }
  });
});

describe('conductor work', () => {
  test('prints templates that pass its own check', async ({ openScene }) => {
    const scene = await openScene();
    for (const kind of ['task', 'refinement'] as const) {
      const { code, stdout } = await conductor(scene, 'work', 'template', kind);
      expect([code, stdout]).toEqual([0, printTemplate(kind)]);
      await scene.repo.write('../body.md', stdout);
      expect(await conductor(scene, 'work', 'lint', '../body.md')).toMatchObject({
        code: 0,
        stdout: `✓ ../body.md: follows the ${kind} template\n`,
      });
      const json = await conductor(scene, 'work', 'template', kind, '--json');
      expect(JSON.parse(json.stdout)).toEqual({ schema_version: 1, kind, template: stdout });
      expect(schemaProblems(jsonSchemaOf('cli.work'), JSON.parse(json.stdout))).toEqual([]);
    }
  });

  test('says with line and column what is wrong with a body', async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../body.md', printTemplate('task').replace('## Context', '# Context'));
    const human = await conductor(scene, 'work', 'lint', '../body.md');
    expect(human.code).toBe(2);
    expect(human.stdout).toContain(
      'error[WR405]: the section "Context" is in the wrong place: write it as "## Context"\n',
    );
    expect(human.stdout).toMatch(/--> \.\.\/body\.md:31:1\n/);
    expect(human.stdout).toMatch(/✗ \.\.\/body\.md: 1 problem\n$/);
    const json = await conductor(scene, 'work', 'lint', '../body.md', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      schema_version: 1,
      ok: false,
      kind: 'task',
      problems: [{ path: '../body.md', code: 'WR405', message: expect.any(String), line: 31 }],
    });
    expect(schemaProblems(jsonSchemaOf('cli.work'), JSON.parse(json.stdout))).toEqual([]);
    const other = await conductor(scene, 'work', 'lint', '../body.md', '--type', 'refinement', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ kind: 'refinement', problems: [{ code: 'WR402' }] });
  });

  test('refuses what it does not know', async ({ openScene }) => {
    const scene = await openScene();
    const cases: [string[], string][] = [
      [['tempalte', 'task'], 'did you mean template?'],
      [['template', 'tsak'], 'did you mean task?'],
      [['template'], "missing required argument 'name'"],
      [['lint'], "missing required argument 'file'"],
      [['lint', '../nowhere.md'], "../nowhere.md can't be read"],
      [['lint', '../nowhere.md', '--type', 'story'], 'it is one of task, refinement'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await conductor(scene, 'work', ...args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain(message);
    }
  });
});
