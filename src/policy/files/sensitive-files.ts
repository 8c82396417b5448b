import { isCoveredBy } from '../globs.ts';

/**
 * Files that a person should review whatever the task is. The default policy lists the same globs as
 * `approval_paths`; a test compares the two lists.
 */

/** Continuous integration, which runs with the permissions of the repository. */
export const CI_FILES: readonly string[] = [
  '.github/**',
  '.gitlab-ci.yml',
  '.gitlab/**',
  '.circleci/**',
  '.buildkite/**',
  '.azure-pipelines/**',
  '**/azure-pipelines*.{yml,yaml}',
  'bitbucket-pipelines.yml',
  '**/Jenkinsfile*',
  '.travis.yml',
  '.cirrus.{yml,star}',
  '{.appveyor,appveyor}.yml',
  '.drone.{yml,star,jsonnet}',
  '.woodpecker.{yml,yaml}',
  '.woodpecker/**',
  '.forgejo/**',
  '.gitea/**',
  '.semaphore/**',
  '.teamcity/**',
  '.tekton/**',
  '.build.yml',
  '.builds/**',
  '.ci/**',
  '{cloudbuild,buildspec,codemagic}.{yml,yaml}',
];

/** Git hooks and submodules, which run on the machine of everyone who clones the repository. */
export const HOOK_FILES: readonly string[] = [
  '**/.husky/**',
  '**/{.githooks,.git-hooks}/**',
  '{.lefthook,lefthook}.{yml,yaml,toml,json}',
  '{.lefthook,lefthook}-local.{yml,yaml,toml,json}',
  '.lefthook/**',
  '**/.pre-commit-config.yaml',
  '**/.pre-commit-hooks.yaml',
  '.overcommit.yml',
  '.git-hooks.{yml,yaml}',
  '**/.gitmodules',
];

/** Instructions and settings for agents, and tasks that an editor runs. */
export const AGENT_FILES: readonly string[] = [
  '**/{AGENTS,AGENT,CLAUDE,GEMINI,QWEN,WARP}.md',
  '**/{AGENTS,CLAUDE}.*.md',
  '**/{.claude,.codex,.gemini,.cursor,.windsurf,.opencode,.agents,.agent}/**',
  '**/{.aider,.aiderignore}*',
  '**/{.roo,.kiro,.junie,.continue,.amazonq,.augment,.trae,.qwen}/**',
  '**/{.cursorrules,.windsurfrules,.clinerules,.roorules,.goosehints,.continuerules}',
  '**/.clinerules/**',
  '**/.mcp.json',
  '**/{opencode,crush}.{json,jsonc}',
  '**/.vscode/{tasks,launch,settings,mcp}.json',
  '**/*.code-workspace',
  '**/.idea/{runConfigurations,tools}/**',
  '**/.idea/{watcherTasks,workspace}.xml',
  '**/.run/*.run.xml',
  '**/.zed/{tasks,settings}.json',
  '**/.devcontainer/**',
  '**/.devcontainer.json',
  '**/.envrc',
];

/** Files that look like secrets. */
export const SECRET_FILES: readonly string[] = [
  '**/.env',
  '**/.env.!(example|sample|template)',
  '**/*.pem',
  '**/*.key',
  '**/*.p12',
  '**/*.pfx',
  '**/*.jks',
  '**/*.keystore',
  '**/*.kdbx',
  '**/id_rsa*',
  '**/id_dsa*',
  '**/id_ecdsa*',
  '**/id_ed25519*',
  '**/.npmrc',
  '**/.yarnrc',
  '**/.yarnrc.yml',
  '**/.pypirc',
  '**/.netrc',
  '**/_netrc',
  '**/.pgpass',
  '**/.git-credentials',
  '**/.htpasswd',
  '**/.ssh/**',
  '**/.aws/**',
  '**/.gnupg/**',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/credentials*.json',
  '**/service-account*.json',
  '**/service_account*.json',
];

export type SensitiveKind = 'ci' | 'git_hook' | 'agent_instructions' | 'secret';

const KINDS: readonly (readonly [SensitiveKind, readonly string[]])[] = [
  ['ci', CI_FILES],
  ['git_hook', HOOK_FILES],
  ['agent_instructions', AGENT_FILES],
  ['secret', SECRET_FILES],
];

export function sensitiveKind(path: string): SensitiveKind | null {
  return KINDS.find(([, globs]) => isCoveredBy(globs, path))?.[0] ?? null;
}
