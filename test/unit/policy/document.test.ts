import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type PolicyDocument,
  policyDocumentSchema,
  policyReference,
} from '../../../src/contracts/documents/policy.ts';
import { checkFiles, listApprovals } from '../../../src/policy/changes.ts';
import { listUnenforced } from '../../../src/policy/enforcement.ts';
import {
  AGENT_FILES,
  CI_FILES,
  HOOK_FILES,
  SECRET_FILES,
} from '../../../src/policy/files/sensitive-files.ts';
import { checkPolicy } from '../../../src/workflow/document/policy-document.ts';
import { places } from '../workflow/check.ts';
import { change, policyOf } from './policy-builder.ts';

const check = (text: string, ref: string | null = null) =>
  checkPolicy({ name: 'policy.yaml', bytes: new TextEncoder().encode(text) }, ref);

describe('a policy file', () => {
  it.each([
    ['only a name and a version', 'policy_id: policy.review\nversion: 2\n'],
    ['Windows line ends', 'policy_id: policy.review\r\nversion: 2\r\n'],
    ['a byte order mark', '\ufeffpolicy_id: policy.review\nversion: 2\n'],
    ['keys of its author', 'policy_id: policy.review\nx-team: core\nversion: 2\n'],
    ['JSON', '{ "policy_id": "policy.review", "version": 2 }'],
  ])('may have %s', (_, text) => {
    expect(check(text)).toMatchObject({
      diagnostics: [],
      policy: { policy_id: 'policy.review', version: 2 },
    });
  });

  const HEAD = 'policy_id: policy.a\nversion: 1\n';
  it.each([
    ['policy_id: review\nversion: 1', 'CF011 1:12'],
    ['policy_id: policy.a', 'CF008 1:1'],
    ['policy_id: policy.a\nversion: 0', 'CF011 2:10'],
    [`${HEAD}network: none`, 'CF010 3:10'],
    [`${HEAD}forbidden_operations: [fly]`, 'CF010 3:24'],
    [`${HEAD}forbidden_paths: src`, 'CF009 3:18'],
    [`${HEAD}forbidden_paths: ["!src/**"]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: [/etc/**]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: [../x]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: [a//b]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: [a/./b]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: ["secrets "]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: ["@(a|b)*a*a*b"]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: ["(a+)+b"]`, 'CF011 3:19'],
    [`${HEAD}forbidden_paths: ["+(a|b*)c"]`, 'CF011 3:19'],
    [`${HEAD}commands: { deny: ["/a(?=b)/"] }`, 'CF011 3:20'],
    [`${HEAD}commands: { deny: ["/(?<!a)b/"] }`, 'CF011 3:20'],
    [`${HEAD}commands: { deny: ["/(a)\\\\1/"] }`, 'CF011 3:20'],
    [`${HEAD}commands: { deny: ["  "] }`, 'CF011 3:20'],
    [`${HEAD}commands: { deny: [rm, "/(/"] }`, 'CF011 3:24'],
    [`${HEAD}commands: { deny: ["//"] }`, 'CF011 3:20'],
    [`${HEAD}commands: { deny: ["/rm -r/z"] }`, 'CF011 3:20'],
    [`${HEAD}commands: { allow: [""] }`, 'CF011 3:21'],
    [`${HEAD}forbiden_paths: []`, 'CF007 3:1'],
    ['policy_id: [', 'CF002 1:12'],
    ['policy_id: policy.a\npolicy_id: policy.b\nversion: 1', 'CF006 2:1'],
    ['', 'CF008 1:1'],
  ])('%j is refused: %s', (text, place) => {
    const checked = check(text);
    expect(places(checked)).toEqual([place]);
    expect(checked.policy).toBeNull();
    for (const { message } of checked.diagnostics) expect(message).toMatch(/^[^A-Z]/);
  });

  it.each([
    'forbidden_paths: ["**/secrets/**/*.key", "**/*test*spec*", "src/**"]',
    String.raw`commands: { deny: ["/\\(?=|\\\\1|(?<name>a)(?:b)/i", "/(a+)+$/"] }`,
  ])('may say %s', (line) => {
    expect(check(`${HEAD}${line}`).diagnostics).toEqual([]);
  });

  it('says what is wrong with a path in terms of policies', () => {
    const [first] = check(`${HEAD}forbidden_paths: [/etc/**]`).diagnostics;
    expect(first?.message).toBe('entry 1 of `forbidden_paths` is malformed: an absolute path never matches');
  });

  it.each([
    ['policy.a.v1', []],
    ['policy.a.v2', ['CF011 2:10']],
    ['policy.b.v1', ['CF011 1:12']],
  ])('is held against the name of its file: %s', (ref, expected) => {
    expect(places(check(HEAD, ref))).toEqual(expected);
  });

  it.each([
    ['forbiden_paths: []\nexecution: rw', /did you mean `forbidden_paths`/],
    ['commands: { denny: [rm] }', /did you mean `deny`/],
    ['commands: { only: [ls] }', /`?allow`?, `?deny`?/],
  ])('%j has an unknown key, which is reported first and once', (text, place) => {
    const unknown = check(`${HEAD}${text}`).diagnostics;
    expect(`${unknown[0]?.message} ${unknown[0]?.help}`).toMatch(place);
    expect(unknown.filter(({ code }) => code === 'CF007')).toEqual([unknown[0]]);
  });

  it('may deny by path, by prefix and by expression', () => {
    expect(check(`${HEAD}commands: { deny: [/bin/rm, git push, "/rm -r/i"] }`).diagnostics).toEqual([]);
  });

  it('has a JSON Schema in which every field is described', () => {
    const { properties } = z.toJSONSchema(policyDocumentSchema);
    for (const field of Object.values(properties ?? {})) expect(field).toHaveProperty('description');
    expect(Object.keys(properties ?? {})).toContain('forbidden_paths');
  });
});

function builtIn(): PolicyDocument {
  const file = new URL('../../../policies/policy.workspace.v1.yaml', import.meta.url);
  const { policy, diagnostics } = checkPolicy({
    name: 'policy.workspace.v1.yaml',
    bytes: readFileSync(file),
  });
  if (policy === null) throw new Error(JSON.stringify(diagnostics));
  return policy;
}

describe('policy.workspace.v1', () => {
  it('asks about exactly the files that a gate lists as CI, hooks, agent instructions and secrets', () => {
    expect(builtIn().approval_paths).toEqual([...CI_FILES, ...HOOK_FILES, ...AGENT_FILES, ...SECRET_FILES]);
  });

  const policy = policyOf(builtIn());

  it('is what its file name says', () => {
    expect(policyReference(builtIn())).toBe('policy.workspace.v1');
  });

  it('forbids what it should and needs no sandbox', () => {
    expect(policy.execution).toBe('workspace_write');
    expect(policy.network).toBe('allow');
    expect(policy.forbidden_operations).toEqual(['commit', 'push', 'force', 'branch_switch']);
    expect(listUnenforced(policy)).toEqual([]);
  });

  it.each(['.git', '.git/config', 'sub/.git/config', '.tnh/config.yaml', '.tnh/run/01/metadata.json'])(
    'forbids %s',
    (path) => {
      expect(checkFiles(policy, [change(path)]).map((violation) => violation.class)).toEqual([
        'forbidden_path',
      ]);
      expect(listApprovals(policy, [change(path)])).toEqual([]);
    },
  );

  it.each([
    // Continuous integration.
    '.github/workflows/ci.yml',
    '.github/dependabot.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    'deploy/Jenkinsfile.release',
    'azure-pipelines.yml',
    'ci/azure-pipelines-nightly.yaml',
    'bitbucket-pipelines.yml',
    '.buildkite/pipeline.yml',
    '.travis.yml',
    '.drone.yml',
    '.woodpecker/test.yaml',
    '.forgejo/workflows/test.yaml',
    'appveyor.yml',
    '.cirrus.yml',
    'cloudbuild.yaml',
    // Git hooks.
    '.husky/pre-commit',
    'web/.husky/pre-push',
    '.githooks/pre-commit',
    'lefthook.yml',
    '.pre-commit-config.yaml',
    '.gitmodules',
    // Agent instructions and editor tasks.
    'AGENTS.md',
    'packages/web/AGENTS.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.claude/settings.json',
    '.claude/commands/fix.md',
    '.codex/config.toml',
    '.cursor/rules/a.mdc',
    '.cursorrules',
    '.clinerules',
    '.aider.conf.yml',
    '.mcp.json',
    '.vscode/tasks.json',
    '.vscode/settings.json',
    '.idea/runConfigurations/all.xml',
    '.devcontainer/devcontainer.json',
    '.envrc',
    // Files that look like secrets.
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
    'fixtures/test.pem',
    'src/credentials-form.json',
    '.env.test',
  ])('requires approval for %s', (path) => {
    expect(checkFiles(policy, [change(path)])).toEqual([]);
    expect(listApprovals(policy, [change(path)]).map((asked) => asked.path)).toEqual([path]);
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
    'src/hooks/use-env.ts',
    '.vscode/extensions.json',
    'docs/agents.md',
  ])('allows %s and asks no one', (path) => {
    expect(checkFiles(policy, [change(path)])).toEqual([]);
    expect(listApprovals(policy, [change(path)])).toEqual([]);
  });
});
