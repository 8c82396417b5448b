import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { OpenProject } from '../../src/app/opened.ts';
import { CONFIG_DEFAULTS } from '../../src/contracts/config/config-defaults.ts';
import type { Revision, WorkItem } from '../../src/contracts/work/work-item.ts';
import type { ResultCheckingRunner } from '../../src/ports/work/role-runner.ts';
import type { RoleAgents } from '../../src/runtime/work/role-workflow.ts';
import { createWorkRoles } from '../../src/wiring/work-roles.ts';
import { createServices } from '../../src/wiring.ts';
import type { RoleEnd, RoleRequest } from '../../src/work/engine/role.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';

/** What each step's agent does, as the body of a program; `give` writes the result file. */
export type Acts = Readonly<Record<string, string>>;

export interface RoleScene {
  readonly repo: GitRepo;
  readonly home: string;
  readonly project: OpenProject;
  readonly roles: ResultCheckingRunner;
  /** What the agent of a step was given on its standard input. */
  readonly seen: (step: string) => string;
  /** The way of a file beside the repository, which agents may write. */
  readonly beside: (name: string) => string;
  readonly run: (request: RoleRequest, signal?: AbortSignal) => Promise<RanRole>;
}

export interface RanRole {
  readonly runId: string;
  readonly accepted: readonly string[];
  readonly state: Awaited<ReturnType<ResultCheckingRunner['run']>>;
}

const AGENT = (home: string, acts: Acts) => `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const step = process.env.CONDUCTOR_STEP_ID;
const prompt = readFileSync(0, 'utf8');
writeFileSync(${JSON.stringify(home)} + '/seen-' + step, prompt);
const give = (value) => writeFileSync(process.env.CONDUCTOR_RESULT, typeof value === 'string' ? value : JSON.stringify(value));
const inputs = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
const beside = (name) => ${JSON.stringify(home)} + '/' + name;
const acts = {
${Object.entries(acts)
  .map(([step, act]) => `  ${JSON.stringify(step)}: async () => { ${act} },`)
  .join('\n')}
};
await acts[step]?.();
`;

/** Has the agents of a scene do something else. */
export function writeAgent(home: string, acts: Acts): Promise<void> {
  return writeFile(join(home, 'agent.mjs'), AGENT(home, acts));
}

export const APPROVE = `give({ role: 'reviewer', review: { verdict: 'approve', summary: 'Fine.', comments: [] } });`;

const FILES = {
  'src/area.ts': 'export const area = (w: number) => w;\n',
  'src/other.ts': 'export const other = 1;\n',
  'check.mjs': "import { existsSync } from 'node:fs'; process.exit(existsSync('red') ? 1 : 0);\n",
};

/** A repository whose three roles are real processes. */
export async function openRoles(acts: Acts, agents: Partial<RoleAgents> = {}): Promise<RoleScene> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-roles-')));
  const repo = await makeRepo({ files: FILES });
  onTestFinished(async () => {
    await repo.cleanup();
    await rm(home, { recursive: true, force: true });
  });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, '.state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await mkdir(join(repo.root, '.tnh'), { recursive: true });
  await writeAgent(home, acts);
  const agent = `{ kind: command, command: [node, ${home}/agent.mjs], retries: 0 }`;
  await repo.write(
    '.tnh/config.yaml',
    `sandbox: off
agents:
  thinker: ${agent}
  builder: ${agent}
  critic: ${agent}
  claude-code: ${agent}
  codex: ${agent}
validators:
  tests: { command: [node, check.mjs] }
`,
  );
  const { project, roles } = await openRunner(repo.root, agents);
  return {
    repo,
    home,
    project,
    roles,
    seen: (step) =>
      existsSync(join(home, `seen-${step}`)) ? readFileSync(join(home, `seen-${step}`), 'utf8') : '',
    beside: (name) => join(home, name),
    run: async (request, signal = new AbortController().signal) => {
      const accepted: string[] = [];
      const state = await roles.run(
        request,
        async (runId) => {
          accepted.push(runId);
        },
        signal,
      );
      return { state, accepted, runId: accepted[0] ?? '' };
    },
  };
}

/** The runner as any other process would have it. */
export async function openRunner(root: string, agents: Partial<RoleAgents> = {}) {
  const opened = await createServices('0.0.0').openProject(root);
  if (!opened.ok) throw new Error(opened.obstacle.message);
  const names = { planner: 'thinker', implementor: 'builder', reviewer: 'critic', ...agents };
  const project = opened.value;
  const roles = createWorkRoles({
    project,
    work: { agents: { ...CONFIG_DEFAULTS.work.agents, ...names }, branch: null },
    classifyPatch: async () => ({
      ok: true,
      verdict: { ok: true, files: [], corrections: [], forbidden: [], notes: [] },
    }),
    checks: {
      planner: (_result, items) => (items.length > 1 ? ['P1: too many items'] : []),
      implementor: () => [],
      reviewer: () => [],
    },
  });
  return { project, roles };
}

export const ITEM: WorkItem = {
  id: '7',
  title: 'Compute areas',
  status: 'ready',
  type: 'implement',
  priority: 'high',
  complexity: 'low',
  blockedBy: ['3'],
  createdAt: '2026-01-01T00:00:00.000Z',
  linkedRevision: null,
};
export const BODY = '## Objective\n\nMultiply {{ both }} sides — größer.\n';
export const GIVEN = { item: ITEM, body: BODY };

export function implement(change: Partial<Extract<RoleRequest, { role: 'implementor' }>> = {}): RoleRequest {
  return {
    role: 'implementor',
    item: GIVEN,
    earlier: null,
    stack: [],
    staleBlocker: null,
    forbidden: [],
    ...change,
  };
}

export function revisionAt(headSHA: string, change: Partial<Revision> = {}): Revision {
  return {
    id: 'r7',
    title: 'Compute areas',
    url: null,
    headSHA,
    headRef: 'conductor/item/7',
    author: 'builder',
    body: 'Done.',
    isDraft: false,
    workItemID: '7',
    pipeline: { status: 'failure', url: null, reason: 'tests exited 1' },
    reviewID: null,
    ...change,
  };
}

/** The reason of a run that left nothing to apply. */
export function refusal(state: RanRole['state']): string {
  if (state.kind !== 'ended' || state.end.ok) throw new Error(JSON.stringify(state));
  return state.end.reason;
}

export function accepted(state: RanRole['state']): Extract<RoleEnd, { ok: true }> {
  if (state.kind !== 'ended' || !state.end.ok) throw new Error(JSON.stringify(state));
  return state.end;
}
