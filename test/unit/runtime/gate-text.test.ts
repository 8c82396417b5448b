import { describe, expect, it } from 'vitest';
import type { GateRequest } from '../../../src/runtime/gate-request.ts';
import { renderGateRequest } from '../../../src/runtime/gate-text.ts';

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
