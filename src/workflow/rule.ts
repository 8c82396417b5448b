import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { Code, CodeEntry } from '../diagnostics/codes.ts';
import { type Diagnostic, diagnosticOf } from '../diagnostics/diagnostic.ts';
import { buildGraph, type WorkflowGraph } from './workflow-graph.ts';
import type { WorkflowStepView, WorkflowView } from './workflow-view.ts';
import type { YamlSource } from './yaml/yaml-source.ts';
import type { Path } from './yaml/yaml-tree.ts';

/** The names that a workflow can refer to. */
export interface KnownNames {
  readonly agents: ReadonlySet<string>;
  readonly validators: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
  /** Problems of existing policies that are invalid, by reference. */
  readonly brokenPolicies?: ReadonlyMap<string, string>;
  /** By reference, `<prompt_id>.v<N>`. */
  readonly prompts: Pick<ReadonlyMap<string, KnownPrompt>, 'get' | 'keys'>;
  /** Bare commands that script validators may use. */
  readonly entrypoints: ReadonlySet<string>;
}

export interface KnownPrompt {
  readonly role: string;
  readonly schemaRef: string | null;
  readonly inputs: readonly { readonly name: string; readonly required: boolean }[];
  /** Finds what prevents rendering; `given`: inputs besides its own. Omitted if the template was not checked. */
  readonly problem?: (given: readonly string[]) => PromptProblem | null;
}

export interface PromptProblem {
  readonly message: string;
  readonly help: string;
  /** File, line and column. */
  readonly place: string;
}

export interface CheckContext {
  /** Limits for workflows that don't set them. */
  readonly defaults: {
    readonly timeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly maxVisits: number;
    /** How long one visit of a step may stay parked in total. Recorded with the run, not part of the plan. */
    readonly parkMs?: number;
  };
  /** Null if names are not resolved. */
  readonly names: KnownNames | null;
  /** Names given by `--input`. Null if no run is starting, so inputs may still be added. */
  readonly inputs: readonly string[] | null;
  /** Parses inline prompts; without it their templates are not checked. */
  readonly readTemplate?: ReadTemplate;
}

/** What a rule sees, and how it reports. `C`: the codes that the rule declares; it can report no others. */
export interface RuleContext<C extends Code = never> {
  readonly view: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly names: KnownNames | null;
  readonly inputs: readonly string[] | null;
  readonly readTemplate: ReadTemplate | null;
  readonly report: (code: C, finding: Finding) => void;
  /** Whether further findings with this code are dropped. */
  readonly isFull: (code: C) => boolean;
}

/** A location in the document. `text` selects a part of a value. */
export interface Place {
  readonly path: Path;
  readonly part: 'key' | 'value';
  readonly text?: string;
}

export interface Finding {
  readonly message: string;
  readonly at: Place;
  readonly label?: string | null;
  readonly related?: readonly { readonly message: string; readonly at: Place }[];
  readonly notes?: Late<readonly string[]>;
  readonly help?: Late<string | null>;
}

/** A value, or a function for an expensive one: it is called only for findings that are kept. */
export type Late<T> = T | (() => T);

/** Findings kept per code. Far fewer are shown, and a malicious file can cause a hundred thousand. */
const MAX_PER_CODE = 400;

/** A rule checks each step, the whole workflow, or both. It declares the codes that it reports. */
export interface Rule<C extends Code = Code> {
  readonly codes: Readonly<Record<C, CodeEntry>>;
  readonly step?: (step: WorkflowStepView, context: RuleContext<C>) => void;
  readonly workflow?: (context: RuleContext<C>) => void;
}

/** Infers the codes of a rule, so that it can report only codes that it declares. */
export function defineRule<C extends Code>(rule: Rule<C>): Rule<C> {
  return rule;
}

/** Applies all step rules in one pass over the steps, then the workflow rules. */
export function applyRules(
  rules: readonly Rule[],
  view: WorkflowView,
  source: YamlSource,
  context: CheckContext,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const counts = new Map<Code, number>();
  const locate = (place: Place) =>
    place.text === undefined
      ? source.locate(place.path, place.part)
      : source.locateText(place.path, place.text);
  const codes: Readonly<Record<Code, CodeEntry>> = Object.assign({}, ...rules.map((rule) => rule.codes));
  const isFull = (code: Code) => (counts.get(code) ?? 0) >= MAX_PER_CODE;
  const ruleContext: RuleContext<Code> = {
    view,
    graph: buildGraph(view),
    names: context.names,
    inputs: context.inputs,
    readTemplate: context.readTemplate ?? null,
    isFull,
    report: (code, { message, at, label = null, related = [], notes = [], help = null }) => {
      if (isFull(code)) return;
      counts.set(code, (counts.get(code) ?? 0) + 1);
      diagnostics.push(
        // Never missing: a rule can report only codes that it declares.
        diagnosticOf(code, codes[code]?.severity ?? 'error', {
          message,
          span: locate(at),
          label,
          related: related.map((item) => ({ message: item.message, span: locate(item.at) })),
          notes: typeof notes === 'function' ? notes() : notes,
          help: typeof help === 'function' ? help() : help,
        }),
      );
    },
  };
  const stepRules = rules.flatMap((rule) => rule.step ?? []);
  for (const step of view.steps) for (const check of stepRules) check(step, ruleContext);
  for (const rule of rules) rule.workflow?.(ruleContext);
  return diagnostics;
}

export function valuePlace(path: Path, ...more: (string | number)[]): Place {
  return { path: [...path, ...more], part: 'value' };
}

export function suggest(word: string | null): string | null {
  return word === null ? null : `did you mean \`${word}\`?`;
}
