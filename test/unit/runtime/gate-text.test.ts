import { describe, expect, it } from 'vitest';
import { excerptMessage } from '../../../src/runtime/evidence/last-message.ts';
import type { GateRequest } from '../../../src/runtime/gates/gate-request.ts';
import { renderGateRequest } from '../../../src/runtime/gates/gate-text.ts';

const REQUEST: GateRequest = {
  run_id: 'r1',
  step_id: 'approve',
  gate: 'requires_approval',
  reason: 'the workflow asks for it',
  approvers: [],
  judgement: null,
  tree: 'a'.repeat(40),
  workflow_digest: 'b'.repeat(64),
  evidence: [],
};

function sectionOf(text: string, title: string): string | null {
  const found = text.split('\n## ').find((part) => part.startsWith(`${title}\n`));
  return found?.slice(title.length).trim() ?? null;
}

describe('the text of a gate', () => {
  it('says what to know about the checks, and what changed in the checkout', () => {
    const text = renderGateRequest({
      ...REQUEST,
      checks: ['2 of 14 tests already fail at the base', 'now skipped: cart > adds'],
      notices: ["changed in your checkout while `fix` ran; conductor can't tell by whom: refs/heads/x"],
    });
    expect(sectionOf(text, 'Checks')).toBe(
      '- 2 of 14 tests already fail at the base\n- now skipped: cart > adds',
    );
    expect(sectionOf(text, 'Notices')).toBe(
      "- changed in your checkout while `fix` ran; conductor can't tell by whom: refs/heads/x",
    );
  });

  it('leaves both out if there is nothing to say, as in requests of earlier versions', () => {
    for (const request of [REQUEST, { ...REQUEST, checks: [], notices: [] }]) {
      const text = renderGateRequest(request);
      expect([sectionOf(text, 'Checks'), sectionOf(text, 'Notices')]).toEqual([null, null]);
    }
  });

  it('keeps a line break in the id of a test from starting a section', () => {
    const text = renderGateRequest({ ...REQUEST, checks: ['now skipped: a\n## Answer\nb'] });
    expect(sectionOf(text, 'Checks')).not.toContain('\n');
  });
});

describe('the reason of a gate', () => {
  const judgement = { step_id: 'judge', status: 'needs_human', risk_flags: [], blocker_codes: [] };
  const whyOf = (text: string) => /^Why: (.*)$/m.exec(text)?.[1];

  it('leaves what the blockers say to the evaluation', () => {
    const text = renderGateRequest({
      ...REQUEST,
      reason: 'evaluation `judge`: needs_human: 1 case ran; 4 ran at the base',
      judgement: {
        ...judgement,
        reason: '1 case ran; 4 ran at the base',
        blocker_codes: ['fewer_checks'],
        blockers: [
          {
            code: 'fewer_checks',
            severity: 'high',
            summary: '1 case ran; 4 ran at the base',
            evidence_ref: null,
          },
        ],
      },
    });
    expect(whyOf(text)).toBe('evaluation `judge`: needs_human');
    expect(sectionOf(text, 'Evaluation')).toBe(
      '- judge: needs_human\n- blocker fewer_checks, high: 1 case ran; 4 ran at the base',
    );
  });

  it('is the only text if the evaluation has nothing to add', () => {
    const text = renderGateRequest({
      ...REQUEST,
      reason: 'evaluation `judge`: success',
      judgement: { ...judgement, status: 'success', reason: null, blockers: [] },
    });
    expect(whyOf(text)).toBe('evaluation `judge`: success');
    expect(sectionOf(text, 'Evaluation')).toBeNull();
  });

  it('names no evaluation that did not lead to the gate, which is listed by itself', () => {
    const text = renderGateRequest({
      ...REQUEST,
      judgement: { ...judgement, status: 'success', reason: null, blockers: [] },
    });
    expect(whyOf(text)).toBe('the workflow asks for it');
    expect(sectionOf(text, 'Evaluation')).toBe('- judge: success');
  });
});

const file = (path: string, status = 'M') => ({
  path,
  old_path: null,
  status,
  insertions: 3,
  deletions: 1,
});

function changed(paths: readonly string[], more: Partial<GateRequest> = {}): GateRequest {
  const files = paths.map((path) => file(path));
  const diff = {
    files,
    file_count: files.length,
    insertions: 3,
    deletions: 1,
    patch: 'artifacts/a/workspace.patch',
  };
  return { ...REQUEST, deciding: [], folders: [], diff, ...more };
}

describe('the changes that a gate shows', () => {
  it('begin with what decides, which is never cut short, with approvals and both verdicts', () => {
    const tests = Array.from({ length: 300 }, (_, at) => `test/a${at}.test.ts`);
    const text = renderGateRequest(
      changed(['.github/ci.yml', ...tests], {
        deciding: [
          ...tests.map((path) => ({ ...file(path), kind: 'test' as const })),
          { ...file('.github/ci.yml', 'A'), kind: 'ci' },
        ],
        approvals: [{ path: '.github/ci.yml', glob: '.github/**' }],
        verdicts: ['with the edits: tests passed', 'with the files of the base: tests failed (exit code 1)'],
      }),
    );
    const lines = (sectionOf(text, 'Changes to tests, checks and build files') ?? '')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(lines).toHaveLength(303);
    expect(lines.slice(0, 2)).toEqual([
      '- M test/a0.test.ts  +3 -1  test',
      '- M test/a1.test.ts  +3 -1  test',
    ]);
    expect(lines.slice(-3)).toEqual([
      '- A .github/ci.yml  +3 -1  CI, needs approval (.github/**)',
      '- with the edits: tests passed',
      '- with the files of the base: tests failed (exit code 1)',
    ]);
    expect(text.split('\n## ')[1]).toMatch(/^Changes to tests, checks and build files/);
  });

  it('say that nothing decides, so that no one has to guess', () => {
    expect(
      sectionOf(renderGateRequest(changed(['src/a.ts'])), 'Changes to tests, checks and build files'),
    ).toContain(
      '- nothing: no test, check configuration, script, lock file, CI file, hook or agent instruction',
    );
  });

  it('name the other files if they are few, and fold many by folder with counts', () => {
    const few = changed(['src/a.ts'], {
      folders: [{ folder: 'src/', files: 1, insertions: 3, deletions: 1 }],
    });
    expect(sectionOf(renderGateRequest(few), 'Other changes')).toContain('- M src/a.ts  +3 -1');
    const paths = Array.from({ length: 30 }, (_, at) => `src/a${at}.ts`);
    const many = changed(paths, {
      folders: [
        { folder: 'src/', files: 29, insertions: 5, deletions: 0 },
        { folder: '', files: 1, insertions: 1, deletions: 0 },
      ],
    });
    const lines = sectionOf(renderGateRequest(many), 'Other changes') ?? '';
    expect(lines).toContain('- src/  29 files, +5 -0\n- top folder  1 file, +1 -0');
    expect(lines).not.toContain('a1.ts');
  });

  it('name what the content says, a few of each kind for a file', () => {
    const stubs = Array.from({ length: 12 }, (_, at) => ({
      path: 'src/a.ts',
      line: at + 1,
      kind: 'stub' as const,
      text: `f${at}() only throws`,
    }));
    const text = renderGateRequest(
      changed(['src/a.ts'], {
        content: [
          { path: 'src/b.ts', line: 3, kind: 'hidden_characters', text: '\\u202e' },
          { path: 'a.test.ts', line: null, kind: 'deleted_case', text: 'adds\nup' },
          ...stubs,
        ],
        uninspected: 4,
      }),
    );
    const lines = sectionOf(text, 'Look at')?.split('\n') ?? [];
    expect(lines[0]).toBe('- src/b.ts:3  hidden characters: \\u202e');
    expect(lines[1]).toBe('- a.test.ts  deletes a test: adds up');
    expect(lines[2]).toBe('- src/a.ts:1  stub: f0() only throws');
    expect(lines.slice(-2)).toEqual([
      '- … and 4 more like these in gate_request.json',
      '- 4 more changed files were not inspected',
    ]);
  });

  it('say it once if the whole change leaves the program as it was', () => {
    const same = ['src/a.ts', 'src/b.ts'].map((path) => ({
      path,
      line: null,
      kind: 'same_program' as const,
      text: 'changes only comments, white space or types',
    }));
    const lines = (paths: readonly string[]) =>
      sectionOf(renderGateRequest(changed(paths, { content: same })), 'Look at')?.split('\n');
    expect(lines(['src/a.ts', 'src/b.ts'])).toEqual([
      '- the whole change leaves the program as it was: only comments, white space or types',
    ]);
    expect(lines(['src/a.ts', 'src/b.ts', 'src/c.ts'])).toEqual([
      '- src/a.ts  changes only comments, white space or types',
      '- src/b.ts  changes only comments, white space or types',
    ]);
  });

  it('are followed by the claims with what they were checked by, and the final response as a quotation', () => {
    const text = renderGateRequest({
      ...REQUEST,
      claims: [
        { claim: 'tests_pass', source: 'phrase', holds: true, evidence: 'tests exited 0' },
        { claim: 'implemented', source: 'phrase', holds: null, evidence: '2 paths changed' },
        { claim: 'created a.ts', source: 'phrase', holds: false, evidence: 'it is nowhere' },
      ],
      final_response: { step_id: 'implement', lines: ['Done.', '## Answer'], more: 3 },
    });
    expect(sectionOf(text, 'What the agent says')?.split('\n')).toEqual([
      '- claim "tests pass": confirmed (tests exited 0)',
      '- claim "implemented": unverified (2 paths changed)',
      '- claim "created a.ts": contradicted (it is nowhere)',
      '- > Done.',
      '- > ## Answer',
      '- > … 3 more lines',
    ]);
  });
});

describe('the final response of an agent', () => {
  it.each([
    ['', null],
    [' \n\n', null],
    ['Done.\n', { lines: ['Done.'], more: 0 }],
    [Array.from({ length: 14 }, (_, at) => `line ${at}`).join('\n'), { more: 4 }],
    ['a\u001b[2Jb\u202e\r\nc', { lines: ['a\\x1b[2Jb\\u202e', 'c'], more: 0 }],
    ['x'.repeat(1_000), { lines: [`${'x'.repeat(400)}…`], more: 0 }],
  ])('%j', (text, expected) => {
    const read = excerptMessage('implement', text);
    if (expected === null) expect(read).toBeNull();
    else expect(read).toMatchObject({ step_id: 'implement', ...expected });
    expect(read?.lines.length ?? 0).toBeLessThanOrEqual(10);
  });
});
