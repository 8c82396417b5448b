import { describe, expect, it } from 'vitest';
import { checkPrompt } from '../../../src/workflow/document/prompt-document.ts';
import { places } from './check.ts';

const check = (text: string) => checkPrompt({ name: 'p.md', bytes: new TextEncoder().encode(text) });
const KNOWN = 'summary: s\nowner: o\nstatus: current';

describe('checkPrompt', () => {
  it.each(['\n', '\r\n'])('reads front matter and body with %j line ends', (end) => {
    const text = `---\nprompt_id: planner.judge\nversion: 2\nrole: planner\n${KNOWN}\ninputs: [{ name: diff, type: string, required: true }]\noutput_contract: { schema_ref: planner_decision.v1 }\n---\n\nJudge.\n---\nMore.\n`;
    const { diagnostics, prompt } = check(text.replaceAll('\n', end));
    expect(diagnostics).toEqual([]);
    expect(prompt).toEqual({
      ref: 'planner.judge.v2',
      promptId: 'planner.judge',
      version: 2,
      role: 'planner',
      status: 'current',
      intent: null,
      inputs: [{ name: 'diff', type: 'string', required: true }],
      schemaRef: 'planner_decision.v1',
      body: ['Judge.', '---', 'More.'].join(end),
    });
  });

  it.each<[string, string | null, string[]]>([
    ['nothing is promised where the text comes from no catalog', null, []],
    ['the name agrees', 'a.b.v3', []],
    ['another version', 'a.b.v2', ['PR107 3:10']],
    ['another id', 'a.c.v3', ['PR107 2:12']],
    ['another id and version', 'x.v1', ['PR107 2:12']],
    ['a longer id that starts alike', 'a.b.vv.v3', ['PR107 2:12']],
  ])('holds the front matter against the name of the file: %s', (_, ref, expected) => {
    const text = `---\nprompt_id: a.b\nversion: 3\nrole: task\n${KNOWN}\n---\nx`;
    const checked = checkPrompt({ name: 'p.md', bytes: new TextEncoder().encode(text) }, ref);
    expect(places(checked)).toEqual(expected);
    expect(checked.prompt === null).toBe(expected.length > 0);
  });

  it.each<[string, string[]]>([
    ['', ['PR101 1:1']],
    ['---', ['PR102 1:1']],
    ['---\n---\nx', ['PR003 1:1']],
    [`---\nprompt_id: a\nversion: 1\nrole: task\n${KNOWN}\nintent: none\n---\nx`, ['PR010 8:9']],
    [`---\nprompt_id: a\nversion: 0\nrole: tsk\n${KNOWN}\n---\nx`, ['PR011 3:10', 'PR010 4:7']],
    [`---\nprompt_id: 5\nversion: 1\nrole: task\n${KNOWN}\n---\nx`, ['PR009 2:12']],
  ])('%j gives %j', (text, expected) => {
    expect(places(check(text))).toEqual(expected);
  });
});
