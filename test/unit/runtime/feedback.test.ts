import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import { feedbackFor } from '../../../src/runtime/effects/agent/step-inputs.ts';

function started(step_id: string, attempt: number, visit: number): EventDraft {
  return {
    event_type: 'step_started',
    step_id,
    payload: { opcode: 'RUN_AGENT', attempt, visit, recovery: attempt > visit },
  };
}

const SAID = { by: 'ann', comment: 'shorter, please' };
const said: EventDraft = { event_type: 'human_feedback', step_id: 'ask', payload: SAID };
const entry = { stepId: 'write', opcode: 'RUN_AGENT', attempt: 2, visit: 2 } as const;

const CASES = [
  { what: 'nobody said anything', drafts: [started('write', 1, 1), started('write', 2, 2)], heard: null },
  { what: 'it was said before', drafts: [started('write', 1, 1), said, started('write', 2, 2)], heard: SAID },
  {
    what: 'a recovery attempt comes between',
    drafts: [started('write', 1, 1), said, started('write', 2, 2), started('write', 3, 2)],
    heard: SAID,
  },
  {
    what: 'another agent has heard it since',
    drafts: [said, started('other', 1, 1), started('write', 2, 2)],
    heard: null,
  },
  {
    what: 'an earlier visit has heard it',
    drafts: [said, started('write', 1, 1), started('write', 2, 2)],
    heard: null,
  },
];

describe('what the reviewer said at a gate', () => {
  it.each(CASES)('reaches the next agent step alone: $what', ({ drafts, heard }) => {
    expect(feedbackFor(drafts, entry)).toEqual(heard);
  });
});
