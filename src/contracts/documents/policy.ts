import * as z from 'zod';
import { findGlobProblem } from '../../text/glob.ts';
import { FORM_ERROR_PREFIX } from '../forms.ts';

/** What an agent step may do. Every field is optional; a missing one sets no restriction beyond its default. */

export const EXECUTIONS = ['workspace_write', 'read_only'] as const;
export type Execution = (typeof EXECUTIONS)[number];

export const OPERATIONS = [
  'commit',
  'push',
  'delete',
  'force',
  'branch_switch',
  'dependency_change',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** From loose to tight. */
export const APPROVALS = ['bounded_auto_approve', 'deny_interactive', 'fail_on_prompt'] as const;
export type Approval = (typeof APPROVALS)[number];

/** From loose to tight. */
export const NETWORKS = ['allow', 'deny'] as const;
export type Network = (typeof NETWORKS)[number];

/** Rejects globs that can never match or that negate their list: they would weaken a policy silently. */
const globSchema = z
  .string()
  .min(1)
  .refine((glob) => !/^!(?!\()/.test(glob), 'a negated glob is not allowed')
  .refine((glob) => !glob.startsWith('/'), 'an absolute path never matches')
  .refine((glob) => !glob.split('/').includes('..'), 'a path that leaves the workspace never matches')
  .refine((glob) => !/\/\.?\//.test(glob), 'a path with an empty part never matches')
  .refine((glob) => glob === glob.trim(), 'white space around a path never matches')
  .refine((glob) => findGlobProblem(glob) === null, {
    error: ({ input }) => `it would take too long to match: ${findGlobProblem(String(input)) ?? ''}`,
  })
  .describe('Glob over paths relative to the checkout.');

const globsSchema = z.array(globSchema);

const entrySchema = z.string().refine((entry) => entry.trim() !== '', 'an empty entry never matches');

/** Rejects invalid expressions, which would deny nothing or everything. */
const denySchema = entrySchema
  .refine(isWellFormed, 'expected a regular expression between the slashes')
  .refine(
    (entry) => !LOOKS_BACK_OR_AROUND.test(readExpression(entry)?.body ?? ''),
    'expressions are matched in linear time, so they have no lookahead, no lookbehind and no back-references',
  );

/** Only after an even number of backslashes: an odd one escapes the character. */
const LOOKS_BACK_OR_AROUND = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\(?:[1-9]|k<))/;

function isWellFormed(entry: string): boolean {
  const read = readExpression(entry);
  if (read === null) return entry !== '//';
  try {
    new RegExp(read.body, read.flags);
    return true;
  } catch {
    return false;
  }
}

/** Parses `/expression/flags`; null for word prefixes and for a program path such as `/bin/rm`. */
export function readExpression(entry: string): { readonly body: string; readonly flags: string } | null {
  const [, body, flags] = /^\/([\s\S]+)\/([a-z]*)$/.exec(entry) ?? [];
  if (body === undefined || flags === undefined) return null;
  const isPath = /^(?:\/[\w.+-]+){2,}$/.test(entry) && (body.includes('/') || /[^dgimsuvy]/.test(flags));
  return isPath ? null : { body, flags };
}

/** `x-` keys are removed before a document is checked; the JSON Schema declares them for editors. */
const FREE_KEYS = { patternProperties: { '^x-': {} } };

export const policyDocumentSchema = z
  .strictObject({
    policy_id: z
      .string()
      .regex(/^policy(?:\.[A-Za-z0-9_-]+)+$/, `${FORM_ERROR_PREFIX}policyId`)
      .describe('`policy.<name>`; workflows refer to it as `policy.<name>.v<N>`.'),
    version: z.int().min(1).describe('Version of the policy. Do not change a version that is in use.'),
    description: z.string().optional().describe('What the policy is for.'),
    execution: z.enum(EXECUTIONS).optional().describe('Whether files may change. Default: workspace_write.'),
    allowed_paths: globsSchema
      .optional()
      .describe('Paths that may change. If missing: all. An empty list: none.'),
    forbidden_paths: globsSchema
      .optional()
      .describe('Paths that must not change, even if `allowed_paths` includes them.'),
    approval_paths: globsSchema
      .optional()
      .describe('Paths that may change, but a reviewer must approve the change.'),
    protected_paths: globsSchema
      .optional()
      .describe('Paths that validators see in their state at the base commit.'),
    forbidden_operations: z.array(z.enum(OPERATIONS)).optional().describe('Operations that are forbidden.'),
    approval: z
      .enum(APPROVALS)
      .optional()
      .describe('What happens if an agent asks for permission. Default: fail_on_prompt.'),
    network: z.enum(NETWORKS).optional().describe('Whether the network may be used. Default: allow.'),
    commands: z
      .strictObject({
        allow: z
          .array(entrySchema)
          .optional()
          .describe('Word prefixes that a shell command must start with.'),
        deny: z
          .array(denySchema)
          .optional()
          .describe('Word prefixes or `/regular expressions/` that are forbidden.'),
      })
      .optional()
      .meta(FREE_KEYS)
      .describe('What an agent may run in a shell. If missing: everything that is not denied.'),
  })
  .meta(FREE_KEYS);
export type PolicyDocument = z.infer<typeof policyDocumentSchema>;

/** A policy document, or a runtime override, which has no id and version. */
export const policyOverrideSchema = policyDocumentSchema.partial({ policy_id: true, version: true });
export type PolicyOverride = z.infer<typeof policyOverrideSchema>;

export function policyReference(policy: Pick<PolicyDocument, 'policy_id' | 'version'>): string {
  return `${policy.policy_id}.v${policy.version}`;
}
