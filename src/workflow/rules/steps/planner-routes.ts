import type { Opcode } from '../../../contracts/vocabulary.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep, resolveTarget } from '../../workflow-view.ts';

interface RequiredTarget {
  readonly key: string;
  readonly opcode: Opcode;
  readonly code: 'WF205' | 'WF206';
}

const REQUIRED_TARGETS: readonly RequiredTarget[] = [
  { key: 'unsafe', opcode: 'ROLLBACK', code: 'WF205' },
  { key: 'needs_human', opcode: 'GATE', code: 'WF206' },
];

/** `unsafe` must lead to a ROLLBACK or STOP, `needs_human` to a GATE or STOP. */
export const plannerRoutesRule = defineRule({
  codes: {
    WF205: errorCode('unsafe leads to a step that is neither ROLLBACK nor STOP'),
    WF206: errorCode('needs_human leads to a step that is neither GATE nor STOP'),
  },
  step: (step, { view, report }) => {
    if (step.opcode !== 'EVALUATE') return;
    for (const { key, opcode, code } of REQUIRED_TARGETS) {
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
});
