import type { WorkflowDocument } from '../contracts/documents/workflow-document.ts';
import {
  arrangeDiagnostics,
  createDiagnostic,
  type Diagnostic,
  hasErrors,
  limitDiagnostics,
} from '../diagnostics/diagnostic.ts';
import type { Plan } from '../kernel/plan.ts';
import { isJsonObject } from '../text/json.ts';
import { compilePlan } from './compile.ts';
import { commandHelp, otherDocument } from './document/document-kind.ts';
import { checkWorkflowShape } from './document/workflow-shape.ts';
import { applyRules, type CheckContext } from './rule.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { viewWorkflow } from './workflow-view.ts';
import { createLineIndex } from './yaml/line-index.ts';
import { decodeSource, type Source } from './yaml/source-text.ts';
import { parseYaml, type YamlSource } from './yaml/yaml-source.ts';

export interface CheckedWorkflow {
  /** Sorted by position. */
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is an error; a workflow with warnings still runs. */
  readonly plan: Plan | null;
  readonly document: WorkflowDocument | null;
  /** The decoded text, for excerpts. */
  readonly text: string;
}

/** Parses and checks a workflow file. Returns its plan, or all its problems at once. */
export function checkWorkflow(source: Source, context: CheckContext): CheckedWorkflow {
  const { text, problem } = decodeSource(source, 'WF');
  const refuse = (diagnostics: readonly Diagnostic[]): CheckedWorkflow => ({
    diagnostics: limitDiagnostics(arrangeDiagnostics(diagnostics)),
    plan: null,
    document: null,
    text,
  });
  if (problem !== null) return refuse([problem]);
  const yaml = parseYaml(text, 'WF');
  if (yaml.empty) return refuse([reportEmpty(text)]);
  if (yaml.source === null) return refuse(yaml.diagnostics);
  const foreign = reportNoDocument(yaml.source, source.name) ?? reportOtherKind(yaml.source);
  if (foreign !== null) return refuse([foreign]);

  const shape = checkWorkflowShape(yaml.source);
  const findings = applyRules(ALL_RULES, viewWorkflow(shape.data), shape.source, context);
  const diagnostics = arrangeDiagnostics([...yaml.diagnostics, ...shape.diagnostics, ...findings]);
  const isValid = shape.value !== null && !hasErrors(diagnostics);
  return {
    diagnostics: limitDiagnostics(diagnostics),
    plan: isValid ? compilePlan(shape.value, context.defaults) : null,
    document: shape.value,
    text,
  };
}

function reportEmpty(text: string): Diagnostic {
  return createDiagnostic('WF003', {
    message: 'the file contains no workflow',
    span: createLineIndex(text).span(0, 0),
    help: 'start with `workflow_id`, `version`, `description`, `entry_step` and `steps`',
  });
}

/** Reports that the file has no keys, so that it can't be any kind of document. */
function reportNoDocument(source: YamlSource, name: string): Diagnostic | null {
  if (isJsonObject(source.data)) return null;
  return createDiagnostic('WF009', {
    message: `${name} is not a workflow, configuration, policy, suite or prompt`,
    span: source.locate([], 'value'),
    help: 'start a workflow with `workflow_id`, `version`, `description`, `entry_step` and `steps`',
  });
}

/** Reports that the file is another kind of document; shape errors about a missing workflow would bury that. */
function reportOtherKind(source: YamlSource): Diagnostic | null {
  const kind = otherDocument(source.data);
  if (kind === null) return null;
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  return createDiagnostic('WF106', {
    message: `the file is ${article} ${kind}, not a workflow`,
    span: source.locateFirstKey([]),
    help: commandHelp(kind),
  });
}
