import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import type { Cli, CliResult } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { createCliInProcess } from './in-process.ts';
import { workspacesName } from './scene.ts';
import { listWorkspaces } from './workspace-audit.ts';

/** What an agent does about an item, by its title: the body of a program with `title`, `inputs` and `give`. */
export type Acts = Readonly<Record<string, string>>;

export interface WorkScene {
  readonly repo: GitRepo;
  readonly cli: Cli;
  readonly home: string;
  /** Contains the workspaces of all runs and checks. */
  readonly workspacesDir: string;
  readonly work: (...args: readonly string[]) => Promise<CliResult>;
  /** The document that an action prints, whatever its exit code. */
  readonly document: (...args: readonly string[]) => Promise<WorkDocument>;
  /** Leaves a file beside the repository and gives its path. */
  readonly give: (name: string, value: unknown) => Promise<string>;
  readonly statuses: () => Promise<Record<string, string>>;
}

export interface WorkDocument {
  readonly ok?: boolean;
  readonly reason?: string | null;
  readonly items: readonly { readonly id: string; readonly title: string; readonly status: string }[];
  readonly events: readonly JournalEntry[];
  readonly labels: readonly string[];
  readonly runs: readonly { readonly run_id: string; readonly role: string; readonly ok: boolean | null }[];
}

const AGENT = (acts: Acts) => `
import { readFileSync, writeFileSync } from 'node:fs';
const inputs = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
const usage = { input_tokens: 1000, output_tokens: 10 };
const give = (value) => writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify({ ...value, usage }));
const completed = (summary) => give({ role: 'implementor', outcome: 'completed', summary });
const review = (verdict, comments = []) =>
  give({ role: 'reviewer', review: { verdict, summary: 'Looked at all of it.', comments } });
const title = inputs.item === undefined ? '' : JSON.parse(inputs.item).title;
const acts = {
${Object.entries(acts)
  .map(([name, act]) => `  ${JSON.stringify(name)}: async () => { ${act} },`)
  .join('\n')}
};
if (process.env.CONDUCTOR_STEP_ID === 'plan') await acts.plan();
else if (process.env.CONDUCTOR_STEP_ID !== 'review') await acts[title]();
else if (inputs.revision === undefined || acts['review ' + title] === undefined) review('approve');
else await acts['review ' + title]();
`;

const CONFIG = `agents:
  actor: { kind: command, command: [node, tools/agent.mjs], retries: 0 }
validators:
  tests: { command: [node, tools/check.mjs] }
work:
  agents: { planner: actor, implementor: actor, reviewer: actor }
`;

/** Red while a file `red` is there; it prints where it runs. */
const CHECK =
  "import { existsSync } from 'node:fs';\nconsole.log(process.cwd());\nprocess.exit(existsSync('red') ? 1 : 0);\n";

const SPEC = '---\nstatus: approved\n---\n\n# Numbers\n\nOne and two.\n';

/**
 * A repository with an approved spec, and agents that do what the test says. After the test the repository has one
 * worktree and of conductor's refs only the documented ones, and no workspace of a check is left.
 */
export const test = base.extend<{ openWorkScene: (acts?: Acts) => Promise<WorkScene> }>({
  openWorkScene: async ({ task: _task }, use) => {
    const opened: WorkScene[] = [];
    try {
      await use(async (acts = {}) => {
        const scene = await createWorkScene(acts);
        opened.push(scene);
        return scene;
      });
      for (const scene of opened) await inspect(scene);
    } finally {
      for (const { cli, repo } of opened) {
        await cli.endAll();
        await repo.cleanup();
      }
    }
  },
});

const OWN_REFS = /^refs\/(?:heads\/conductor\/(?:item|run)|conductor\/(?:base|item|salvage))\//;

async function inspect({ repo, workspacesDir }: WorkScene): Promise<void> {
  const worktrees = await repo.git('worktree', 'list', '--porcelain');
  expect(worktrees.match(/^worktree .*$/gm)).toEqual([`worktree ${repo.root}`]);
  const refs = (await repo.git('for-each-ref', '--format=%(refname)')).trim().split('\n');
  expect(refs.filter((ref) => /(?:^refs|heads)\/conductor\//.test(ref) && !OWN_REFS.test(ref))).toEqual([]);
  const bases = refs.flatMap((ref) => /^refs\/conductor\/base\/(.+)$/.exec(ref)?.[1] ?? []);
  expect(bases.sort()).toEqual(listWorkspaces(workspacesDir));
  const names = existsSync(workspacesDir) ? readdirSync(workspacesDir) : [];
  expect(names.filter((name) => name.startsWith('checks-'))).toEqual([]);
}

async function createWorkScene(acts: Acts): Promise<WorkScene> {
  const repo = await makeRepo({
    files: {
      '.tnh/config.yaml': CONFIG,
      'tools/agent.mjs': AGENT(acts),
      'tools/check.mjs': CHECK,
      'docs/specs/numbers.md': SPEC,
      'src/one.js': 'export const one = 0;\n',
    },
  });
  const home = join(repo.root, '..', 'home');
  await mkdir(home);
  const cli = createCliInProcess({ cwd: repo.root, home, env: { CONDUCTOR_SANDBOX: 'off' } });
  const work: WorkScene['work'] = (...args) => cli.run(['work', ...args]);
  const document: WorkScene['document'] = async (...args) => {
    const { stdout, stderr } = await work(...args, '--json');
    expect(stdout, stderr).toMatch(/^\{/);
    return JSON.parse(stdout) as WorkDocument;
  };
  return {
    repo,
    cli,
    home,
    workspacesDir: join(home, '.local/state/conductor', workspacesName(repo.root)),
    work,
    document,
    give: async (name, value) => {
      const path = join(home, name);
      await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
      return path;
    },
    statuses: async () => {
      const { items } = await document('list');
      return Object.fromEntries(items.map(({ title, status }) => [title, status]));
    },
  };
}

/** A task as a planner makes it: its title is its tempID. */
export function planned(title: string, file: string, blockedBy: readonly string[] = []) {
  return {
    tempID: title,
    title,
    body: taskBody(file),
    labels: ['task:implement', 'status:pending', 'priority:medium', 'complexity:low'],
    blockedBy,
  };
}

function taskBody(file: string): string {
  return `## Objective

Write it.

## Spec Reference

- Spec: \`docs/specs/numbers.md\`
- Section(s): Numbers

## Scope

### In Scope

- ${file}

### Out of Scope

- tools/

## Acceptance Criteria

- [ ] It is written

## Context

None.

## Constraints

None.
`;
}

export function plan(create: readonly unknown[], rest: object = {}) {
  return { role: 'planner', create, close: [], update: [], ...rest };
}

/** Whether something of work items was kept at all. */
export function hasDatabase({ repo }: WorkScene): boolean {
  return existsSync(join(repo.root, '.tnh/work/items.db'));
}

export function readMain({ repo }: WorkScene, path: string): Promise<string> {
  return readFile(join(repo.root, path), 'utf8');
}
