import { describe, expect, it } from 'vitest';
import { listPolicyDocuments } from '../../../src/agents/policy-documents.ts';
import { type PolicyOverride, policyDocumentSchema } from '../../../src/contracts/documents/policy.ts';
import { assemblePolicy } from '../../../src/policy/assemble.ts';

const assembled = (policies: readonly PolicyOverride[]) =>
  assemblePolicy(policies.map((policy) => ({ source: 'step', policy })));

describe('the documents of a policy', () => {
  it.each<[string, readonly PolicyOverride[]]>([
    ['nothing', []],
    ['an empty list of paths', [{ allowed_paths: [] }]],
    [
      'two lists of paths and of commands',
      [
        { allowed_paths: ['src/**'], commands: { allow: ['git', 'npm'], deny: ['rm'] } },
        { allowed_paths: ['src/a/**', 'b'], commands: { allow: ['git status'] }, network: 'deny' },
      ],
    ],
    [
      'all the rest',
      [
        {
          execution: 'read_only',
          forbidden_paths: ['x'],
          approval_paths: ['ci/**'],
          protected_paths: ['test/**'],
          forbidden_operations: ['push', 'delete'],
          approval: 'deny_interactive',
        },
      ],
    ],
  ])('make the same policy of %s', (_what, policies) => {
    const effective = assembled(policies);
    const documents = listPolicyDocuments(effective);
    for (const document of documents) expect(policyDocumentSchema.safeParse(document).success).toBe(true);
    expect(assembled(documents)).toEqual(effective);
  });
});
