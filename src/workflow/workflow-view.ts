import { OPCODES, type Opcode, STOP } from '../contracts/vocabulary.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { asList, asObject, asText } from '../text/json.ts';
import type { Mapping, Path } from './yaml/yaml-tree.ts';

/**
 * The readable parts of a workflow. Rules use this view and not the typed document, because a document with an
 * error in one step is still checked everywhere else.
 */
export interface WorkflowView {
  readonly fields: Mapping;
  readonly entryStep: string | null;
  readonly defaults: Mapping;
  readonly steps: readonly WorkflowStepView[];
  /** The first step with each id. */
  readonly stepsById: ReadonlyMap<string, WorkflowStepView>;
  /** Whether a step has no id. An unknown target may then be its missing id, and the missing id is already reported. */
  readonly nameless: boolean;
}

export interface WorkflowStepView {
  readonly index: number;
  readonly path: Path;
  readonly id: string | null;
  readonly opcode: Opcode | null;
  readonly fields: Mapping;
  readonly routes: readonly RouteView[];
}

export interface RouteView {
  readonly key: string;
  readonly target: string;
  readonly path: Path;
}

export function viewWorkflow(data: unknown): WorkflowView {
  const fields = asObject(data);
  const steps = asList(fields.steps).map((item, index) => viewStep(asObject(item), index));
  const stepsById = new Map<string, WorkflowStepView>();
  for (const step of steps) {
    if (step.id !== null && !stepsById.has(step.id) && !isReservedId(step)) stepsById.set(step.id, step);
  }
  return {
    fields,
    entryStep: asId(fields.entry_step),
    defaults: asObject(fields.defaults),
    steps,
    stepsById,
    nameless: steps.some((step) => step.id === null),
  };
}

/** A step with the reserved id STOP and another opcode. It is no target: a route to STOP always ends the run. */
function isReservedId(step: WorkflowStepView): boolean {
  return step.id === STOP && step.opcode !== 'STOP';
}

function viewStep(fields: Mapping, index: number): WorkflowStepView {
  const path: Path = ['steps', index];
  return {
    index,
    path,
    id: asId(fields.id),
    opcode: OPCODES_BY_WORD.get(fields.opcode) ?? null,
    fields,
    routes: viewRoutes(fields.routes, index),
  };
}

const OPCODES_BY_WORD: ReadonlyMap<unknown, Opcode> = new Map(OPCODES.map((opcode) => [opcode, opcode]));

function viewRoutes(value: unknown, index: number): RouteView[] {
  const fields = asObject(value);
  const routes: RouteView[] = [];
  for (const key of Object.keys(fields)) {
    const target = asId(fields[key]);
    if (target !== null) routes.push({ key, target, path: ['steps', index, 'routes', key] });
  }
  return routes;
}

/** What a target resolves to: a declared step, the plain STOP, or unknown. */
export type Resolved =
  | { readonly kind: 'step'; readonly step: WorkflowStepView }
  | { readonly kind: 'stop' }
  | { readonly kind: 'unknown'; readonly suggestion: string | null };

const BARE_STOP: Resolved = { kind: 'stop' };

export function resolveTarget(view: WorkflowView, target: string): Resolved {
  const step = view.stepsById.get(target);
  if (step !== undefined) return { kind: 'step', step };
  if (target === STOP) return BARE_STOP;
  return { kind: 'unknown', suggestion: suggestTarget(view, target) };
}

/** Each unknown target is compared with every id, so only the first unknown targets get a suggestion. */
const MAX_COMPARISONS = 200_000;
const suggestionsByView = new WeakMap<WorkflowView, Map<string, string | null>>();

function suggestTarget(view: WorkflowView, target: string): string | null {
  const suggestions = suggestionsByView.get(view) ?? new Map<string, string | null>();
  suggestionsByView.set(view, suggestions);
  const known = suggestions.get(target);
  if (known !== undefined) return known;
  const enough = suggestions.size * view.stepsById.size > MAX_COMPARISONS;
  const suggestion = enough ? null : didYouMean(target, [...view.stepsById.keys(), STOP]);
  suggestions.set(target, suggestion);
  return suggestion;
}

/** The name of a step for messages. */
export function nameStep(step: WorkflowStepView): string {
  return step.id === null ? `step ${step.index + 1}` : `step \`${step.id}\``;
}

/** Accepts an unquoted number as an id: the schema already reports its type. */
function asId(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return asText(value);
}
