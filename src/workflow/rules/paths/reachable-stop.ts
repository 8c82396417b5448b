import { errorCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { STOP_NODE, UNRESOLVED_NODE } from '../../workflow-graph.ts';

export const reachableStopRule = defineRule({
  codes: { WF402: errorCode('no STOP can be reached') },
  workflow: ({ view, graph, report }) => {
    if (graph.entry === null) return;
    const reached = graph.reachableFrom([graph.entry]);
    // A route with an unknown target, or an unreadable step, may lead to STOP.
    if (reached.has(STOP_NODE) || reached.has(UNRESOLVED_NODE)) return;
    const steps = [...reached].map((node) => view.steps[node]);
    if (steps.some((step) => step === undefined || step.opcode === 'STOP' || step.opcode === null)) return;
    report('WF402', {
      message: 'no STOP can be reached from the entry step',
      at: valuePlace(['entry_step']),
      help: 'route at least one outcome to `STOP`',
    });
  },
});
