import type { ReadTemplate } from '../contracts/prompt.ts';
import type { Code } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { buildGraph, type WorkflowGraph } from './workflow-graph.ts';
import type { StepView, WorkflowView } from './workflow-view.ts';
import type { YamlSource } from './yaml-source.ts';
import type { Path } from './yaml-tree.ts';

/** What the names in a workflow can refer to. */
export interface KnownNames {
  readonly agents: ReadonlySet<string>;
  readonly validators: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
  /** What is wrong with policies that are there, but cannot be used, by reference. */
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
  /** What keeps its text from being rendered; `given` are names besides its own. Left out where nobody looked. */
  readonly problem?: (given: readonly string[]) => PromptProblem | null;
}

export interface PromptProblem {
  readonly message: string;
  readonly help: string;
  /** File, line and column. */
  readonly place: string;
}

export interface CheckContext {
  /** Limits where the workflow says nothing. */
  readonly defaults: {
    readonly timeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly maxVisits: number;
    /** Recorded with a run, which parks by it; a plan holds nothing of it. */
    readonly parkMs?: number;
  };
  /** Null where names are not resolved. */
  readonly names: KnownNames | null;
  /** Names given by `--input`. Null where no run is about to start, so that they may still come. */
  readonly inputs: readonly string[] | null;
  /** Reads inline prompts; without it their templates are not checked. */
  readonly readTemplate?: ReadTemplate;
}

export interface RuleContext {
  readonly view: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly names: KnownNames | null;
  readonly inputs: readonly string[] | null;
  readonly readTemplate: ReadTemplate | null;
  readonly report: (code: Code, finding: Finding) => void;
  /** Whether no more of this kind are kept. */
  readonly isFull: (code: Code) => boolean;
}

/** A place in the document. `text` points at a piece of a value. */
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

/** What is dear to find out can be given as a function, which is called only for what is kept. */
export type Late<T> = T | (() => T);

/** More of one kind are not kept: far fewer are shown, and a hostile file has a hundred thousand. */
const MAX_PER_CODE = 400;

/** A rule looks at every step, at the whole, or at both. */
export interface Rule {
  readonly step?: (step: StepView, context: RuleContext) => void;
  readonly workflow?: (context: RuleContext) => void;
}

/** One pass over the steps, all rules at each; then the rules about the whole. */
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
