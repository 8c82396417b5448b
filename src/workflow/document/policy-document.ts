import {
  type PolicyDocument,
  policyDocumentSchema,
  policyReference,
} from '../../contracts/documents/policy.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Source } from '../yaml/source-text.ts';
import type { YamlSource } from '../yaml/yaml-source.ts';
import type { Path } from '../yaml/yaml-tree.ts';
import { checkWholeDocument } from './whole-document.ts';

export interface CheckedPolicy {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is an error: a policy is never applied in part. */
  readonly policy: PolicyDocument | null;
  readonly text: string;
}

/**
 * Parses and checks a policy file. Returns the policy, or all its problems. `ref` is the reference in the file name;
 * null if the policy is not looked up by name.
 */
export function checkPolicy(source: Source, ref: string | null = null): CheckedPolicy {
  const { value, ...checked } = checkWholeDocument(source, {
    schema: policyDocumentSchema,
    describe,
    empty: { message: 'the policy is empty', help: 'add at least `policy_id` and `version`' },
    rules: (shape) => checkName(shape.value, ref, shape.source),
  });
  return { ...checked, policy: value };
}

/** The file name must match the content: otherwise a step could run under another policy than the recorded one. */
function checkName(policy: PolicyDocument | null, ref: string | null, source: YamlSource): Diagnostic[] {
  if (policy === null || ref === null) return [];
  const own = policyReference(policy);
  if (own === ref) return [];
  const wrong = ref.replace(/\.v\d+$/, '') === policy.policy_id ? 'version' : 'policy_id';
  return [
    createDiagnostic('CF011', {
      message: `the file is named for \`${ref}\`, but contains \`${own}\``,
      span: source.locate([wrong], 'value'),
      help: `rename the file to \`${own}.yaml\`, or fix \`policy_id\` and \`version\``,
    }),
  ];
}

function describe(path: Path): string {
  return path.length === 0 ? 'the policy' : `\`${path.join('.')}\``;
}

/** The first problem with its position, for a line that names the file. */
export function placedMessage([first]: readonly Diagnostic[]): string {
  if (first === undefined) return 'it is not a policy';
  const { line, column } = first.span;
  return `${line}:${column}: ${first.message}${first.help === null ? '' : `; ${first.help}`}`;
}
