import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedWorkflow, checkWorkflow } from '../../../src/workflow/check-workflow.ts';
import type { CheckContext } from '../../../src/workflow/rule.ts';

export const patternA = readFileSync(
  join(import.meta.dirname, '../../fixtures/workflows/pattern-a.yaml'),
  'utf8',
);

const context: CheckContext = {
  defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
  names: null,
  inputs: null,
};

/**
 * Advice about what is left out, by what has to be left out of the text for it. Small workflows leave out most things,
 * so it is expected there; about a text that has the thing, it is as wrong as any other diagnostic.
 */
const EXPECTED_WITHOUT: Readonly<Record<string, RegExp>> = {
  WF209: /\btimeout:/,
  WF312: /\blimits:/,
  WF407: /\bRUN_VALIDATION\b/,
};

/** All diagnostics but the advice that a text like this has to get. */
export function check(text: string, overrides: Partial<CheckContext> = {}): CheckedWorkflow {
  const checked = checkWithAdvice(text, overrides);
  const isExpected = (code: string) => EXPECTED_WITHOUT[code]?.test(text) === false;
  return { ...checked, diagnostics: checked.diagnostics.filter(({ code }) => !isExpected(code)) };
}

export function checkWithAdvice(text: string, overrides: Partial<CheckContext> = {}): CheckedWorkflow {
  return checkWorkflow(
    { name: 'workflow.yaml', bytes: new TextEncoder().encode(text) },
    { ...context, ...overrides },
  );
}

/** `CODE line:column` of every diagnostic, in order. */
export function places(checked: Pick<CheckedWorkflow, 'diagnostics'>): string[] {
  return checked.diagnostics.map(({ code, span }) => `${code} ${span.line}:${span.column}`);
}

export function codes(checked: Pick<CheckedWorkflow, 'diagnostics'>): string[] {
  return checked.diagnostics.map(({ code }) => code);
}

/** Pattern A with pieces replaced; a piece that is not there is a mistake in the test. */
export function mutate(...replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`not in pattern A: ${from}`);
    return text.replace(from, () => to);
  }, patternA);
}

/** A workflow around the given steps, which are indented by two. */
export function workflow(entry: string, steps: string, defaults = ''): string {
  return `workflow_id: demo\nversion: 1\ndescription: d\nentry_step: ${entry}\n${defaults}steps:\n${steps}`;
}

export const KILLS = 'killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

export function agent(id: string, completed: string, more = ''): string {
  return `  - id: ${id}
    opcode: RUN_AGENT
    agent: codex
    prompt: do the work
${more}    routes: { completed: ${completed}, error: STOP, ${KILLS} }
`;
}

export function validation(id: string, completed: string, run = '[tests]'): string {
  return `  - id: ${id}
    opcode: RUN_VALIDATION
    run: ${run}
    routes: { completed: ${completed}, error: STOP, ${KILLS} }
`;
}
