import { type PolicyDocument, policyDocumentSchema, policyReference } from '../contracts/policy.ts';
import {
  arrangeDiagnostics,
  createDiagnostic,
  type Diagnostic,
  hasErrors,
} from '../diagnostics/diagnostic.ts';
import { limitDiagnostics } from './limit-diagnostics.ts';
import { checkShape } from './shape.ts';
import { decodeSource, type Source } from './source-text.ts';
import { parseYaml, type YamlSource } from './yaml-source.ts';
import type { Path } from './yaml-tree.ts';

export interface CheckedPolicy {
  readonly diagnostics: readonly Diagnostic[];
  /** Null where there is an error: a policy is taken whole or not at all. */
  readonly policy: PolicyDocument | null;
  readonly text: string;
}

/**
 * A policy file, to a policy or to everything that is wrong with it. `ref` is what the name of the file promises; null
 * where it is not looked up by its name.
 */
export function checkPolicy(source: Source, ref: string | null = null): CheckedPolicy {
  const { text, problem } = decodeSource(source, 'CF');
  const refuse = (diagnostics: readonly Diagnostic[]): CheckedPolicy => ({
    diagnostics: limitDiagnostics(arrangeDiagnostics(diagnostics)),
    policy: null,
    text,
  });
  if (problem !== null) return refuse([problem]);
  const yaml = parseYaml(text, 'CF');
  if (yaml.empty) return refuse([emptyPolicy()]);
  if (yaml.source === null) return refuse(yaml.diagnostics);
  const shape = checkShape({
    family: 'CF',
    schema: policyDocumentSchema,
    source: yaml.source,
    nameMaps: [],
    override: () => null,
    describe,
  });
  const diagnostics = [
    ...yaml.diagnostics,
    ...shape.diagnostics,
    ...checkName(shape.value, ref, shape.source),
  ];
  if (shape.value === null || hasErrors(diagnostics)) return refuse(diagnostics);
  return { diagnostics: [], policy: shape.value, text };
}

function emptyPolicy(): Diagnostic {
  return createDiagnostic('CF008', {
    message: 'the policy is empty',
    span: { line: 1, column: 1, endLine: 1, endColumn: 1 },
    help: 'give at least `policy_id` and `version`',
  });
}

/** Two names for one policy would let a step run under another than the one that was recorded. */
function checkName(policy: PolicyDocument | null, ref: string | null, source: YamlSource): Diagnostic[] {
  if (policy === null || ref === null) return [];
  const own = policyReference(policy);
  if (own === ref) return [];
  const wrong = ref.replace(/\.v\d+$/, '') === policy.policy_id ? 'version' : 'policy_id';
  return [
    createDiagnostic('CF011', {
      message: `the file is named for \`${ref}\`, but holds \`${own}\``,
      span: source.locate([wrong], 'value'),
      help: `rename the file to \`${own}.yaml\`, or correct \`policy_id\` and \`version\``,
    }),
  ];
}

function describe(path: Path): string {
  return path.length === 0 ? 'the policy' : `\`${path.join('.')}\``;
}
