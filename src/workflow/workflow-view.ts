import { OPCODES, type Opcode, STOP } from '../contracts/vocabulary.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import type { Mapping, Path } from './yaml-tree.ts';

/**
 * A workflow as far as it can be read. Rules look at this rather than at the typed document, because a
 * document with a slip in one step is still checked everywhere else.
 */
export interface WorkflowView {
  readonly fields: Mapping;
  readonly entryStep: string | null;
  readonly defaults: Mapping;
  readonly steps: readonly StepView[];
  /** The first step with each id. */
  readonly stepsById: ReadonlyMap<string, StepView>;
  /** A step has no id, which is told as that: a name that leads nowhere may be the one it was to have. */
  readonly nameless: boolean;
}

export interface StepView {
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
  const fields = asMapping(data);
  const steps = asList(fields.steps).map((item, index) => viewStep(asMapping(item), index));
  const stepsById = new Map<string, StepView>();
  for (const step of steps) {
    if (step.id !== null && !stepsById.has(step.id) && !isImpostor(step)) stepsById.set(step.id, step);
  }
  return {
    fields,
    entryStep: asWord(fields.entry_step),
    defaults: asMapping(fields.defaults),
    steps,
    stepsById,
    nameless: steps.some((step) => step.id === null),
  };
}

/** A route to STOP ends the run, whatever a step that has taken the reserved word for its id would do. */
function isImpostor(step: StepView): boolean {
  return step.id === STOP && step.opcode !== 'STOP';
}

function viewStep(fields: Mapping, index: number): StepView {
  const path: Path = ['steps', index];
  return {
    index,
    path,
    id: asWord(fields.id),
    opcode: OPCODES_BY_WORD.get(fields.opcode) ?? null,
    fields,
    routes: viewRoutes(fields.routes, index),
  };
}

const OPCODES_BY_WORD: ReadonlyMap<unknown, Opcode> = new Map(OPCODES.map((opcode) => [opcode, opcode]));

function viewRoutes(value: unknown, index: number): RouteView[] {
  const fields = asMapping(value);
  const routes: RouteView[] = [];
  for (const key of Object.keys(fields)) {
    const target = asWord(fields[key]);
    if (target !== null) routes.push({ key, target, path: ['steps', index, 'routes', key] });
  }
  return routes;
}

/** What a target resolves to: a declared step, the bare word STOP, or nothing. */
export type Resolved =
  | { readonly kind: 'step'; readonly step: StepView }
  | { readonly kind: 'stop' }
  | { readonly kind: 'unknown'; readonly suggestion: string | null };

const BARE_STOP: Resolved = { kind: 'stop' };

export function resolveTarget(view: WorkflowView, target: string): Resolved {
  const step = view.stepsById.get(target);
  if (step !== undefined) return { kind: 'step', step };
  if (target === STOP) return BARE_STOP;
  return { kind: 'unknown', suggestion: suggestTarget(view, target) };
}

/** A word is compared with every id, so only the first unknown words of a document are looked into. */
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

/** In words, for messages. */
export function nameStep(step: StepView): string {
  return step.id === null ? `step ${step.index + 1}` : `step \`${step.id}\``;
}

export function asMapping(value: unknown): Mapping {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Mapping;
  return Object.create(null);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An unquoted number is an error of its own, and is otherwise taken for the id it was meant to be. */
function asWord(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return asText(value);
}
