import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPipeline } from '../../src/adapters/work-local/pipeline.ts';
import { createItemRevisions } from '../../src/adapters/workspace/items/item-revisions.ts';
import type { Pipeline, Revision } from '../../src/contracts/work/work-item.ts';
import type { RunnableValidator, ValidatorResult } from '../../src/ports/validator.ts';
import { assembleProject } from '../../src/wiring/project.ts';
import { type LocalWork, openLocalWork } from '../../src/wiring/work-local.ts';
import { checkConfig } from '../../src/workflow/config/config-document.ts';
import type { GitRepo } from '../../testing/git-repo.ts';
import {
  AT,
  openProvider,
  patchBy,
  patchOf,
  placesBeside,
  revisionRequest,
  workRepo,
} from './work-local-fixture.ts';

const POLICIES = join(import.meta.dirname, '../../policies');
const NEVER = new AbortController().signal;

/** Everything as it is wired, with a configuration. */
const FIELDS = {
  title: 'T',
  body: '',
  type: 'implement',
  priority: 'low',
  complexity: 'low',
  otherLabels: [],
} as const;

async function open(repo: GitRepo, text: string): Promise<LocalWork> {
  const { config } = checkConfig({ name: 'config.yaml', bytes: new TextEncoder().encode(text) });
  if (config === null) throw new Error('the configuration is wrong');
  const opened = await assembleProject({
    ...placesBeside(repo),
    warnings: [],
    config,
    folders: { prompts: [], policies: [POLICIES], workflows: [] },
    env: process.env,
    version: '0',
  });
  if (!opened.ok) throw new Error(opened.obstacle.message);
  const work = openLocalWork({ ...placesBeside(repo), warnings: [], config, deps: opened.value.deps });
  onTestFinished(work.provider.close);
  return work;
}

async function revise(repo: GitRepo, { provider }: LocalWork, files: Readonly<Record<string, string>>) {
  await provider.write('item', [{ kind: 'create_item', ref: 'a', at: AT, fields: FIELDS }]);
  const patch = await patchBy(repo, async (write) => {
    for (const [path, content] of Object.entries(files)) await write(path, content);
  });
  const made = await provider.makeRevision('revision', revisionRequest('1', patch));
  if (!made.ok) throw new Error(made.reason);
  return made.revision;
}

async function pipelineOf({ provider }: LocalWork): Promise<Pipeline | undefined> {
  return (await provider.read()).revisions[0]?.pipeline;
}

function folderOf(repo: GitRepo, revision: Revision): string {
  return join(repo.root, '.tnh/work/pipelines', `r1-${revision.headSHA.slice(0, 7)}`);
}

/** The workspace that the checks of a revision run in. */
function checkoutOf(repo: GitRepo, revision: Revision): string {
  return join(placesBeside(repo).workspacesDir, `checks-r1-${revision.headSHA.slice(0, 7)}`);
}

describe('the checks of a revision', () => {
  it('are the validators of the configuration, on a clean checkout of its head', async () => {
    const repo = await workRepo();
    const work = await open(
      repo,
      `validators:
  content: { command: [grep, -qx, changed, file.txt] }
  clean: { command: [sh, -c, 'test -z "$(git status --porcelain)" && test ! -e mine.txt'] }
`,
    );
    const revision = await revise(repo, work, { 'file.txt': 'changed\n' });
    await repo.write('file.txt', 'being written\n');
    await repo.write('mine.txt', 'mine\n');
    await work.provider.settle(NEVER);
    const url = `.tnh/work/pipelines/r1-${revision.headSHA.slice(0, 7)}`;
    expect(await pipelineOf(work)).toEqual({ status: 'success', url, reason: null });
    expect(JSON.parse(await readFile(join(repo.root, url, 'pipeline.json'), 'utf8'))).toMatchObject({
      revision: 'r1',
      headSHA: revision.headSHA,
      status: 'success',
    });
    await expect(access(checkoutOf(repo, revision))).rejects.toThrow('ENOENT');
    expect((await repo.git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
  });

  it('fail with the name of each that failed, and with the end of what it said', async () => {
    const repo = await workRepo();
    const work = await open(
      repo,
      `validators:
  good: { command: ["true"] }
  bad: { command: [sh, -c, 'echo it is broken; echo badly >&2; exit 3'] }
  missing: { command: [no-such-program-here] }
`,
    );
    const revision = await revise(repo, work, { 'file.txt': 'changed\n' });
    await work.provider.settle(NEVER);
    const { status, reason } = (await pipelineOf(work)) ?? {};
    expect(status).toBe('failure');
    expect(reason).toContain('bad: the validator exited with code 3\nit is broken\nbadly');
    expect(reason).toContain('missing: ');
    expect(reason).not.toContain('good');
    expect(await readdir(join(folderOf(repo, revision), 'artifacts'))).toContain('bad.stdout.txt');
  });

  it('are found in the checkout where the configuration names none', async () => {
    const repo = await workRepo();
    const work = await open(repo, '');
    const script = 'node -e "process.exit(process.cwd().endsWith(\'/work\') ? 4 : 5)"';
    await revise(repo, work, { 'package.json': JSON.stringify({ scripts: { test: script } }) });
    await work.provider.settle(NEVER);
    expect((await pipelineOf(work))?.reason).toContain('tests: the validator exited with code 4');
  });

  it('fail if there are none, because nothing has checked the work', async () => {
    const repo = await workRepo();
    const work = await open(repo, '');
    await revise(repo, work, { 'file.txt': 'changed\n' });
    await work.provider.settle(NEVER);
    expect(await pipelineOf(work)).toMatchObject({
      status: 'failure',
      reason: 'the repository has no checks: configure `validators` in .tnh/config.yaml',
    });
  });

  it('are still to be run when they were stopped, and then are', async () => {
    const repo = await workRepo();
    const work = await open(
      repo,
      `sandbox: off
validators:
  slow: { command: [sh, -c, 'touch started; test -e ${join(repo.root, 'go')} || sleep 300'] }
`,
    );
    const revision = await revise(repo, work, { 'file.txt': 'changed\n' });
    const stop = new AbortController();
    const settled = work.provider.settle(stop.signal);
    await vi.waitFor(() => access(join(checkoutOf(repo, revision), 'work/started')), { timeout: 20_000 });
    stop.abort();
    await settled;
    expect((await pipelineOf(work))?.status).toBe('pending');
    await expect(access(checkoutOf(repo, revision))).rejects.toThrow('ENOENT');
    await writeFile(join(repo.root, 'go'), '');
    await work.provider.settle(NEVER);
    expect((await pipelineOf(work))?.status).toBe('success');
  });

  it('say nothing about a head that came while they ran', async () => {
    const repo = await workRepo();
    const other = openProvider(repo);
    await other.write('item', [{ kind: 'create_item', ref: 'a', at: AT, fields: FIELDS }]);
    await other.makeRevision('one', revisionRequest('1', await patchOf(repo, 'one\n')));
    const ends: Pipeline[] = [{ status: 'failure', url: null, reason: 'old' }];
    const provider = openProvider(repo, async () => {
      if (ends.length > 0)
        await other.makeRevision('two', revisionRequest('1', await patchOf(repo, 'two\n')));
      return ends.pop() ?? null;
    });
    await provider.settle(NEVER);
    expect((await provider.read()).revisions[0]?.pipeline.status).toBe('pending');
  });

  it("of one revision that can't be run at all stop no other", async () => {
    const repo = await workRepo();
    let calls = 0;
    const provider = openProvider(repo, async () => {
      calls += 1;
      if (calls === 1) throw new Error('no space');
      return { status: 'success', url: null, reason: null };
    });
    for (const itemId of ['1', '2']) {
      await provider.write(itemId, [{ kind: 'create_item', ref: 'a', at: AT, fields: FIELDS }]);
      await provider.makeRevision(`r${itemId}`, revisionRequest(itemId, await patchOf(repo, 'one\n')));
    }
    await expect(provider.settle(NEVER)).rejects.toThrow('no space');
    const { revisions } = await provider.read();
    expect(revisions.map(({ pipeline }) => pipeline.status)).toEqual(['pending', 'success']);
  });
});

const PASSED: ValidatorResult = {
  id: 'tests',
  outcome: 'completed',
  exitCode: 0,
  durationMs: 1,
  stdoutPath: '/none',
  stderrPath: null,
  artifacts: [],
  missingArtifacts: [],
  requiredArtifacts: [],
  harnessReport: null,
  reason: null,
};
const FAILED: ValidatorResult = { ...PASSED, outcome: 'error', exitCode: 1, reason: 'it failed' };

describe('a check', () => {
  const cases: Readonly<
    Record<
      string,
      {
        readonly results: readonly ValidatorResult[];
        readonly retries?: number;
        readonly reason: string | null;
      }
    >
  > = {
    'passes with its validator': { results: [PASSED], reason: null },
    'fails where something is missing that it should have left': {
      results: [{ ...PASSED, missingArtifacts: ['report.xml'] }],
      reason: 'tests: artifact report.xml is missing',
    },
    'fails where its own report has a failure': {
      results: [
        {
          ...PASSED,
          harnessReport: {
            path: '/r',
            value: {
              cases: [
                { id: 'a', status: 'passed' },
                { id: 'b', status: 'failed' },
              ],
            },
            proposals: 0,
          },
        },
      ],
      reason: 'tests: its report says that b failed',
    },
    'is tried again as often as its validator may be': {
      results: [FAILED, FAILED, PASSED],
      retries: 2,
      reason: null,
    },
    'is not tried more often': { results: [FAILED, FAILED, PASSED], retries: 1, reason: 'tests: it failed' },
    'is not tried again where it could not be started': {
      results: [{ ...FAILED, stdoutPath: null }, PASSED],
      retries: 1,
      reason: 'tests: it failed',
    },
    'that timed out is not tried again': {
      results: [{ ...FAILED, outcome: 'killed_timeout' }, PASSED],
      retries: 1,
      reason: 'tests: it failed',
    },
  };

  it.each(Object.entries(cases))('%s', async (_, { results, retries = 0, reason }) => {
    const repo = await workRepo();
    const left = [...results];
    const validator: RunnableValidator = {
      kind: 'command',
      id: 'tests',
      command: ['x'],
      artifacts: [],
      timeoutMs: null,
      report: null,
      retries,
    };
    const check = createPipeline({
      repoRoot: repo.root,
      workDir: join(repo.root, '.tnh/work'),
      revisions: createItemRevisions(placesBeside(repo)),
      prepare: async () => null,
      runner: { explainUnavailable: async () => null, run: async () => left.shift() ?? FAILED },
      validators: async () => [validator],
      confine: async () => ({ confinement: null, refusal: null }),
      env: {},
      entrypoints: [],
      timeoutMs: 1000,
      idleTimeoutMs: 1000,
      sweep: async () => undefined,
    });
    const headSHA = (await repo.git('rev-parse', 'HEAD')).trim();
    const revision: Revision = {
      id: 'r1',
      title: '',
      url: null,
      headSHA,
      headRef: '',
      author: '',
      body: '',
      isDraft: false,
      workItemID: '1',
      pipeline: { status: 'pending', url: null, reason: null },
      reviewID: null,
    };
    const status = reason === null ? 'success' : 'failure';
    expect(await check(revision, NEVER)).toMatchObject({ status, reason });
  });
});
