import { errorCode } from '../../../diagnostics/codes.ts';
import { asList } from '../../../text/json.ts';
import { findComponents } from '../../components.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import { UNRESOLVED_NODE } from '../../workflow-graph.ts';
import { nameStep, type WorkflowStepView } from '../../workflow-view.ts';

/** Keys of routes that continue the work. Failure routes mostly lead to STOP, so a broken one hides no step. */
const ONWARD = new Set(['completed', 'success', 'partial', 'unsafe', 'needs_human', 'gate_approved']);

export const unreachableStepsRule = defineRule({
  codes: { WF401: errorCode('a step cannot be reached') },
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null) return;
    const roots = view.steps.filter((step) => isMarked(step) || !isNameable(step, context));
    const reached = graph.reachableFrom([graph.entry, ...roots.map((step) => step.index)]);
    const islands = view.steps.filter((step) => !reached.has(step.index));
    if (islands.length === 0 || countIslands(islands, context) <= countBridges(context, reached, islands))
      return;
    const listed = listedNextSteps(view.steps);
    for (const step of islands) {
      report('WF401', {
        message: `${nameStep(step)} cannot be reached from the entry step`,
        at: valuePlace(step.path, 'id'),
        notes:
          step.id !== null && listed.has(step.id)
            ? ['it is listed in `allowed_next_steps`, but only `routes` lead anywhere']
            : [],
        help: 'route to it, remove it, or mark it with `allow_unreachable: true`',
      });
    }
  },
});

/** Accepts a value that is not a boolean; the schema check reports it. */
function isMarked({ fields }: WorkflowStepView): boolean {
  return fields.allow_unreachable !== undefined && fields.allow_unreachable !== false;
}

/** Other checks report a missing or duplicate id; no route can lead to such a step. */
function isNameable(step: WorkflowStepView, { view }: RuleContext): boolean {
  return step.id !== null && view.stepsById.get(step.id) === step;
}

/** How many islands broken routes may explain: an island reached by one can have further broken routes itself. */
function countBridges(
  context: RuleContext,
  reached: ReadonlySet<number>,
  islands: readonly WorkflowStepView[],
): number {
  const first = countUnresolvedRoutes(context, reached);
  return first === 0 ? 0 : first + countUnresolvedRoutes(context, new Set(islands.map((step) => step.index)));
}

/** Counts routes with a missing or unknown target, each of which may have been meant for one island. */
function countUnresolvedRoutes({ graph }: RuleContext, reached: ReadonlySet<number>): number {
  let count = 0;
  for (const node of reached) {
    const loose = (graph.edges[node] ?? []).filter(
      (edge) => edge.to === UNRESOLVED_NODE && ONWARD.has(edge.key),
    );
    count += loose.length;
  }
  return count;
}

/** Groups of unreachable steps that no other unreachable step leads to. */
function countIslands(islands: readonly WorkflowStepView[], { graph }: RuleContext): number {
  const inside = new Set(islands.map((step) => step.index));
  const successors = graph.edges.map((edges, node) =>
    inside.has(node) ? edges.map((edge) => edge.to).filter((to) => inside.has(to)) : [],
  );
  const components = findComponents(successors).filter((component) => inside.has(component[0] ?? -1));
  const componentOf = new Map<number, number[]>();
  for (const component of components) for (const node of component) componentOf.set(node, component);
  const entered = new Set<number[]>();
  for (const [from, list] of successors.entries()) {
    for (const to of list) {
      const component = componentOf.get(to);
      if (component !== undefined && component !== componentOf.get(from)) entered.add(component);
    }
  }
  return components.length - entered.size;
}

function listedNextSteps(steps: readonly WorkflowStepView[]): Set<unknown> {
  return new Set(steps.flatMap((step) => asList(step.fields.allowed_next_steps)));
}
