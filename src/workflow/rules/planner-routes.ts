import type { Opcode } from '../../contracts/vocabulary.ts';
import type { Code } from '../../diagnostics/codes.ts';
import { type Rule, valuePlace } from '../rule.ts';
import { nameStep, resolveTarget } from '../workflow-view.ts';

interface Duty {
  readonly key: string;
  readonly opcode: Opcode;
  readonly code: Code;
}

const DUTIES: readonly Duty[] = [
  { key: 'unsafe', opcode: 'ROLLBACK', code: 'WF205' },
  { key: 'needs_human', opcode: 'GATE', code: 'WF206' },
];

/** Two judgements of the planner are not free: one undoes or ends, the other asks a person or ends. */
export const plannerRoutesRule: Rule = {
  step: (step, { view, report }) => {
    if (step.opcode !== 'EVALUATE') return;
    for (const { key, opcode, code } of DUTIES) {
      const route = step.routes.find((candidate) => candidate.key === key);
      if (route === undefined) continue;
      const target = resolveTarget(view, route.target);
      if (target.kind !== 'step' || target.step.opcode === null) continue;
      if (target.step.opcode === opcode || target.step.opcode === 'STOP') continue;
      report(code, {
        message: `${nameStep(step)} routes \`${key}\` to \`${route.target}\`, a ${target.step.opcode} step`,
        at: valuePlace(route.path),
        related: [{ message: 'the target', at: valuePlace(target.step.path, 'opcode') }],
        help: `route \`${key}\` to a ${opcode} step or to STOP`,
      });
    }
  },
};
