import { describe, expect, it } from 'vitest';
import { checkWithAdvice } from './check.ts';

describe('a document that is no workflow', () => {
  it.each<[string, string, string | null]>([
    ['a policy', 'policy_id: policy.a', 'conductor policy'],
    ['a policy in JSON', '{ "version": 1, "policy_id": "policy.a" }', 'conductor policy'],
    ['a prompt', 'prompt_id: task.a\nrole: task', '.md'],
    ['a configuration', 'validators: {}', '.tnh/config.yaml'],
    ['a suite', 'suite_id: s\ncases: []', 'conductor harness run'],
    ['a harness report', 'suite_id: s\ncases: []\nsummary: {}', 'contract check harness-report'],
    ['a vector', 'vector_id: v\ninput: {}\nexpected: {}', 'conductor vectors'],
    ['an envelope', 'run_id: r\nallowed_next_steps: [a]\nevidence: {}', 'conductor evaluate'],
    ['a decision', 'status: success\nnext_step: null', 'contract check planner-decision'],
    ['a plan', 'role: planner\ncreate: []\nclose: []\nupdate: []', 'contract check planner-result'],
    ['an implementation', 'role: implementor\noutcome: completed', 'contract check implementor-result'],
    ['a review', 'role: reviewer\noutcome: approve', 'contract check reviewer-result'],
    ['a workflow with keys of others', 'workflow_id: a\nagents: {}\npolicy_id: x', null],
    ['steps alone, with keys of others', 'steps: []\nvalidators: {}', null],
    ['what nobody knows', 'name: CI\njobs: {}', null],
    ['a list', '- policy_id: policy.a', null],
    ['a text', 'policy_id', null],
  ])('is recognized, and its command is named: %s', (_, text, command) => {
    const { diagnostics } = checkWithAdvice(text);
    const found = diagnostics.filter(({ code }) => code === 'WF106');
    expect(found.map(({ help }) => help)).toEqual(command === null ? [] : [expect.stringContaining(command)]);
    if (command !== null) expect(diagnostics).toHaveLength(1);
  });
});
