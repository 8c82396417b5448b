import { findComponents } from '../components.ts';
import { type Rule, type RuleContext, valuePlace } from '../rule.ts';
import { LOOSE_NODE } from '../workflow-graph.ts';
import { asList, nameStep, type StepView } from '../workflow-view.ts';

/** Keys by which work goes on. A failure mostly leads to STOP, so what is wrong with it hides no step. */
const ONWARD = new Set(['completed', 'success', 'partial', 'unsafe', 'needs_human', 'gate_approved']);

export const unreachableStepsRule: Rule = {
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null) return;
    const roots = view.steps.filter((step) => isMarked(step) || !isNameable(step, context));
    const reached = graph.reach([graph.entry, ...roots.map((step) => step.index)]);
    const islands = view.steps.filter((step) => !reached.has(step.index));
    if (islands.length === 0 || countIslands(islands, context) <= bridges(context, reached, islands)) return;
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
};

/** A mark that is no boolean is told as that, and was meant all the same. */
function isMarked({ fields }: StepView): boolean {
  return fields.allow_unreachable !== undefined && fields.allow_unreachable !== false;
}

/** A step whose id is missing or taken is reported for that; nothing could lead to it as it stands. */
function isNameable(step: StepView, { view }: RuleContext): boolean {
  return step.id !== null && view.stepsById.get(step.id) === step;
}

/** An island that a loose route may lead to can be left by loose routes of its own, to the next one. */
function bridges(context: RuleContext, reached: ReadonlySet<number>, islands: readonly StepView[]): number {
  const first = looseRoutes(context, reached);
  return first === 0 ? 0 : first + looseRoutes(context, new Set(islands.map((step) => step.index)));
}

/** Routes that lead nowhere may be the very ones that were meant to lead to as many islands. */
function looseRoutes({ graph }: RuleContext, reached: ReadonlySet<number>): number {
  let count = 0;
  for (const node of reached) {
    const loose = (graph.edges[node] ?? []).filter((edge) => edge.to === LOOSE_NODE && ONWARD.has(edge.key));
    count += loose.length;
  }
  return count;
}

/** Groups of unreachable steps that no other unreachable step leads to. */
function countIslands(islands: readonly StepView[], { graph }: RuleContext): number {
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

function listedNextSteps(steps: readonly StepView[]): Set<unknown> {
  return new Set(steps.flatMap((step) => asList(step.fields.allowed_next_steps)));
}
