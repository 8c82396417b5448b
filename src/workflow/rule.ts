import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { Code } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { buildGraph, type WorkflowGraph } from './workflow-graph.ts';
import type { StepView, WorkflowView } from './workflow-view.ts';
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

export interface RuleContext {
  readonly view: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly names: KnownNames | null;
  readonly inputs: readonly string[] | null;
  readonly readTemplate: ReadTemplate | null;
  readonly report: (code: Code, finding: Finding) => void;
  /** Whether further findings with this code are dropped. */
  readonly isFull: (code: Code) => boolean;
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

/** A rule checks each step, the whole workflow, or both. */
export interface Rule {
  readonly step?: (step: StepView, context: RuleContext) => void;
  readonly workflow?: (context: RuleContext) => void;
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
  const isFull = (code: Code) => (counts.get(code) ?? 0) >= MAX_PER_CODE;
  const ruleContext: RuleContext = {
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
        createDiagnostic(code, {
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
