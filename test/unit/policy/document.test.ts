import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type PolicyDocument, policyDocumentSchema, policyReference } from '../../../src/contracts/policy.ts';
import { checkFiles } from '../../../src/policy/changes.ts';
import { parsePolicy } from '../../../src/policy/document.ts';
import { unenforceable } from '../../../src/policy/enforcement.ts';
import { change, policyOf } from './policy-builder.ts';

describe('a policy file', () => {
  it('needs nothing but its name and version', () => {
    expect(parsePolicy('policy_id: policy.review\nversion: 2\n')).toEqual({
      ok: true,
      policy: { policy_id: 'policy.review', version: 2 },
    });
  });

  it.each([
    ['policy_id: review\nversion: 1', 'policy_id'],
    ['policy_id: policy.a', 'version'],
    ['policy_id: policy.a\nversion: 0', 'version'],
    ['policy_id: policy.a\nversion: 1\nnetwork: none', 'network'],
    ['policy_id: policy.a\nversion: 1\nforbidden_operations: [fly]', 'forbidden_operations.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: ["!src/**"]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: [/etc/**]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: [../x]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: [a//b]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: [a/./b]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\nforbidden_paths: ["secrets "]', 'forbidden_paths.0'],
    ['policy_id: policy.a\nversion: 1\ncommands: { deny: ["  "] }', 'commands.deny.0'],
    ['policy_id: policy.a\nversion: 1\ncommands: { deny: [rm, "/(/"] }', 'commands.deny.1'],
    ['policy_id: policy.a\nversion: 1\ncommands: { deny: ["//"] }', 'commands.deny.0'],
    ['policy_id: policy.a\nversion: 1\ncommands: { deny: ["/rm -r/z"] }', 'commands.deny.0'],
    ['policy_id: policy.a\nversion: 1\ncommands: { allow: [""] }', 'commands.allow.0'],
    ['policy_id: policy.a\nversion: 1\nforbiden_paths: []', ''],
    ['policy_id: [', ''],
    ['policy_id: policy.a\npolicy_id: policy.b\nversion: 1', ''],
    ['', ''],
  ])('%j is refused at %j', (text, path) => {
    const parsed = parsePolicy(text);
    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems.map((problem) => problem.path)).toContain(path);
    for (const { message } of problems) expect(message).toMatch(/^[^A-Z]/);
  });

  it.each([
    ['forbiden_paths: []\nexecution: rw', 'unknown key `forbiden_paths`; did you mean `forbidden_paths`?'],
    ['commands: { denny: [rm] }', 'unknown key `denny`; did you mean `deny`?'],
    ['commands: { only: [ls] }', 'unknown key `only`; the keys here are allow, deny'],
  ])('%j has a key that nobody knows, which is told first and once', (text, message) => {
    const parsed = parsePolicy(`policy_id: policy.a\nversion: 1\n${text}`);
    const messages = parsed.ok ? [] : parsed.problems.map((problem) => problem.message);
    expect(messages[0]).toBe(message);
    expect(messages.filter((each) => /unrecognized|unknown key/.test(each))).toHaveLength(1);
  });

  it('may deny by path, by words and by expression', () => {
    const text = 'policy_id: policy.a\nversion: 1\ncommands: { deny: [/bin/rm, git push, "/rm -r/i"] }';
    expect(parsePolicy(text)).toMatchObject({ ok: true });
  });

  it('has a JSON Schema in which every field is described', () => {
    const { properties } = z.toJSONSchema(policyDocumentSchema);
    for (const field of Object.values(properties ?? {})) expect(field).toHaveProperty('description');
    expect(Object.keys(properties ?? {})).toContain('forbidden_paths');
  });
});

function builtIn(): PolicyDocument {
  const file = new URL('../../../policies/policy.workspace.v1.yaml', import.meta.url);
  const parsed = parsePolicy(readFileSync(file, 'utf8'));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

describe('policy.workspace.v1', () => {
  const policy = policyOf(builtIn());

  it('is what its file name says', () => {
    expect(policyReference(builtIn())).toBe('policy.workspace.v1');
  });

  it('forbids what it should and needs no sandbox', () => {
    expect(policy.execution).toBe('workspace_write');
    expect(policy.network).toBe('allow');
    expect(policy.forbidden_operations).toEqual(['commit', 'push', 'force', 'branch_switch']);
    expect(unenforceable(policy)).toEqual([]);
  });

  it.each([
    '.git',
    '.git/config',
    'sub/.git/config',
    '.github/workflows/ci.yml',
    '.tnh/config.yaml',
    '.env',
    'web/.env',
    '.env.local',
    'web/.env.production',
    'certs/server.pem',
    'server.key',
    'id_rsa',
    'keys/id_rsa.pub',
    'id_ed25519',
    '.npmrc',
    'web/.npmrc',
    '.netrc',
    'credentials.json',
    'gcp/credentials-prod.json',
  ])('forbids %s', (path) => {
    expect(checkFiles(policy, [change(path)]).map((violation) => violation.class)).toEqual([
      'forbidden_path',
    ]);
  });

  it.each([
    'src/a.ts',
    '.gitignore',
    '.gitattributes',
    '.env.example',
    'web/.env.sample',
    '.env.template',
    'src/environment.ts',
    'src/keys.ts',
    'docs/credentials.md',
    'package.json',
    'sub/.github/x.yml',
  ])('allows %s', (path) => {
    expect(checkFiles(policy, [change(path)])).toEqual([]);
  });
});
