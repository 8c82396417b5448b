import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInbox } from '../../../src/adapters/run-store/inbox.ts';
import { createRunDirectory } from '../../../src/adapters/run-store/run-directory.ts';
import type { Inbox } from '../../../src/ports/run-store.ts';
import {
  type GateAnswer,
  outcomePath,
  settleGate,
  submitAnswer,
} from '../../../src/runtime/gates/open-gates.ts';
import { toJson } from '../../../src/runtime/json.ts';
import type { AwaitingView } from '../../../src/runtime/record/run-view.ts';

const GATE: AwaitingView = {
  stepId: 'ask',
  gate: 'requires_approval',
  attempt: 1,
  reason: 'because',
  approvers: ['ann'],
  timeout_ms: 60_000,
  tree: 't'.repeat(40),
  request_sha256: 'a'.repeat(64),
  requestedAt: '2026-01-01T12:00:00.000Z',
  expiresAt: '2026-01-01T12:01:00.000Z',
};
const IN_TIME = new Date('2026-01-01T12:00:59.999Z');
const TOO_LATE = new Date('2026-01-01T12:01:00.000Z');
const PUT_BACK = new Date('2020-01-01T00:00:00.000Z');

const APPROVAL: GateAnswer = {
  answer: 'gate_approved',
  by: 'ann',
  comment: null,
  answered_at: IN_TIME.toISOString(),
  request_sha256: GATE.request_sha256,
  tree: GATE.tree,
  workflow_digest: 'w'.repeat(64),
  evidence: [{ path: 'artifacts/write/final.md', sha256: 'f'.repeat(64) }],
};

let folder: string;
let time: Date;
let inbox: Inbox;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-gates-'));
  time = IN_TIME;
  const clock = { now: () => time, sleep: () => Promise.resolve() };
  const queue = { noteMessage: () => Promise.resolve() };
  inbox = createInbox(createRunDirectory('run', folder), { clock, queue });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function settleAt(now: Date, gate: AwaitingView = GATE): Promise<GateAnswer | null> {
  time = now;
  return settleGate(inbox, gate);
}

describe('a gate', () => {
  it('stays open until its time has passed, and when the clock is put back', async () => {
    expect(await settleAt(IN_TIME)).toBeNull();
    expect(await settleAt(PUT_BACK)).toBeNull();
    expect(await settleAt(TOO_LATE, { ...GATE, expiresAt: null })).toBeNull();
  });

  it('runs out of time once and for all', async () => {
    expect(await settleAt(TOO_LATE)).toMatchObject({ answer: 'gate_timed_out', by: null });
    expect(await submitAnswer(inbox, GATE, APPROVAL)).toBe('too_late');
    time = PUT_BACK;
    expect(await submitAnswer(inbox, GATE, APPROVAL)).toBe('taken');
    expect(await settleAt(PUT_BACK)).toMatchObject({ answer: 'gate_timed_out' });
  });

  it('takes an answer that came in time, however late it is looked at', async () => {
    expect(await submitAnswer(inbox, GATE, APPROVAL)).toBe('posted');
    expect(await settleAt(new Date('2030-01-01T00:00:00Z'))).toEqual(APPROVAL);
  });

  it('takes one of many answers that come at once', async () => {
    const answers = Array.from({ length: 8 }, (_, index) => ({ ...APPROVAL, comment: String(index) }));
    const taken = await Promise.all(answers.map((answer) => submitAnswer(inbox, GATE, answer)));
    expect(taken.filter((result) => result === 'posted')).toHaveLength(1);
    expect(await settleAt(IN_TIME)).toEqual(answers[taken.indexOf('posted')]);
  });

  it('reads the answer of an earlier version, which carried less', async () => {
    const { workflow_digest: _digest, evidence: _evidence, ...earlier } = APPROVAL;
    await inbox.post(outcomePath(GATE), toJson(earlier));
    expect(await settleAt(IN_TIME)).toEqual({
      ...APPROVAL,
      workflow_digest: null,
      evidence: null,
    });
  });

  it.each([
    ['of another request', { request_sha256: 'b'.repeat(64) }],
    ['for another tree', { tree: 'x'.repeat(40) }],
    ['by somebody who may not', { by: 'eve' }],
    ['by nobody', { by: null }],
    ['that says more than an answer can', { more: 1 }],
  ])('does not take an answer %s', async (_what, change) => {
    await inbox.post(outcomePath(GATE), toJson({ ...APPROVAL, ...change }));
    expect(await settleAt(IN_TIME)).toBeNull();
  });
});
