import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import { maskDraft } from '../../../src/runtime/drive/drive-context.ts';

const TOKEN = ['npm_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8'].join('');

describe('an event', () => {
  it.each<readonly [string, EventDraft, EventDraft['payload']]>([
    [
      'loses the secrets of its reason',
      { event_type: 'run_cancelled', step_id: null, payload: { by: 'word', reason: `word ${TOKEN}` } },
      { by: 'word', reason: '[masked] [masked]' },
    ],
    [
      'keeps what names something, whatever it is called',
      {
        event_type: 'policy_violation',
        step_id: 'word',
        payload: { class: 'forbidden_path', subject: 'word/a.txt', message: 'wrote word/a.txt' },
      },
      { class: 'forbidden_path', subject: 'word/a.txt', message: 'wrote [masked]/a.txt' },
    ],
    [
      'loses the secrets of the commands that set a checkout up',
      {
        event_type: 'setup_completed',
        step_id: null,
        payload: {
          checkout: 'work',
          digest: 'word',
          cache_hit: false,
          commands: [{ command: 'login word', exit_code: 0, duration_ms: 1 }],
          outcome: 'completed',
          reason: null,
        },
      },
      {
        checkout: 'work',
        digest: 'word',
        cache_hit: false,
        commands: [{ command: 'login [masked]', exit_code: 0, duration_ms: 1 }],
        outcome: 'completed',
        reason: null,
      },
    ],
    [
      'keeps what a person said at a gate',
      { event_type: 'human_feedback', step_id: 'g', payload: { by: 'me', comment: TOKEN } },
      { by: 'me', comment: TOKEN },
    ],
  ])('%s', (_, draft, payload) => {
    expect(maskDraft(draft, ['word'])).toEqual({ ...draft, payload });
  });

  it('masks what resembles a secret in the inputs of a run, and no word of the task', () => {
    const payload = {
      schema_version: 1,
      conductor_version: '0',
      workflow_id: 'word',
      workflow_version: 1,
      workflow_digest: '',
      entry_step: 'a',
      base_ref: 'HEAD',
      base_sha: '',
      base_tree: '',
      branch_name: 'word',
      worktree_path: '/word',
      defaults: { timeout_ms: 1, idle_timeout_ms: 1, max_visits: 1 },
      inputs: { task: `find the word, use ${TOKEN}` },
    };
    const masked = maskDraft({ event_type: 'run_started', step_id: null, payload }, ['word']);
    expect(masked.payload).toEqual({ ...payload, inputs: { task: 'find the word, use [masked]' } });
  });
});
