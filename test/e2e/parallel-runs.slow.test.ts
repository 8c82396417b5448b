import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { RunRecordOnDisk } from './run-record.ts';
import { CONFIG, fixture, type Scene, test } from './scene.ts';

const run = promisify(execFile);
const DRIVER = fileURLToPath(new URL('parallel-driver.mjs', import.meta.url));

/** `npm run parallel` sets these; without them this is the short form. */
const RUNS = Number(process.env.PARALLEL_RUNS ?? 12);
const PROCESSES = Number(process.env.PARALLEL_PROCESSES ?? 3);
const LIMIT_MS = 600_000;

/** Each of the processes gets some of every kind. */
const KINDS = ['success', 'partial', 'unsafe', 'gate'];

/** Setup, with a cache that all runs share, makes what every validation needs. */
const SETUP = `setup:
  run: [[sh, -c, 'mkdir -p deps && date +%s%N > deps/made']]
  cache: { key: [answer.txt], paths: [deps] }
validators:
  tests: { command: [sh, -c, 'test -s deps/made && node tools/check.mjs'] }
`;

/** What a run came to, as far as it must not depend on other runs. */
interface End {
  readonly kind: string;
  readonly finalState: string | null;
  readonly awaiting: unknown;
  readonly path: readonly string[];
  readonly violations: readonly string[];
  readonly notices: readonly string[];
  /** Of the one commit on the base; null without a change. */
  readonly tree: string | null;
}

async function endOf(scene: Scene, record: RunRecordOnDisk): Promise<End> {
  const { branch_name, base_sha } = record.metadata.workspace;
  const commits = await scene.repo
    .git('rev-list', '--reverse', `${base_sha}..refs/heads/${branch_name}`)
    .catch(() => '');
  const [commit, ...more] = commits.split('\n').filter((line) => line !== '');
  expect(more).toEqual([]);
  return {
    kind: record.metadata.workflow_id,
    finalState: record.finalState,
    awaiting: record.status.awaiting?.step_id ?? null,
    path: record
      .eventsOf('route_selected')
      .map(({ step_id, payload }) => `${step_id} ${payload.key} ${payload.to}`),
    violations: record.eventsOf('policy_violation').map(({ payload }) => payload.class),
    notices: record.eventsOf('notice_recorded').map(({ payload }) => payload.message),
    tree: commit === undefined ? null : (await scene.repo.git('rev-parse', `${commit}^{tree}`)).trim(),
  };
}

async function drive({ repo, home }: Scene, kinds: readonly string[]): Promise<readonly string[]> {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    CONDUCTOR_SANDBOX: 'off',
  };
  const { stdout } = await run(process.execPath, [DRIVER, repo.root, ...kinds.map(fixture)], { env });
  const results = JSON.parse(stdout) as readonly { readonly runId?: string }[];
  return results.map(({ runId }) => runId ?? JSON.stringify(results));
}

describe(`${RUNS} runs at once from one repository, in ${PROCESSES} processes`, () => {
  // The scene itself checks that refs, HEAD, index, configuration and files of the checkout are as they were, that the
  // refs of the runs are exactly the documented ones, that every record verifies, and that `git fsck` finds nothing.
  test('all end as they would alone', { timeout: LIMIT_MS }, async ({ openScene }) => {
    const config = CONFIG.replace(/validators:[\s\S]*/, SETUP);
    const scene = await openScene({ config, files: { '.gitignore': 'deps\n' } });
    const alone = new Map<string, End>();
    for (const kind of KINDS) {
      const { runId } = await scene.run(kind);
      alone.set(kind, await endOf(scene, scene.record(runId)));
    }
    expect([...alone.values()].map(({ finalState }) => finalState)).toEqual([
      'completed success success\n',
      'blocked partial partial\n',
      'failed unsafe unsafe\n',
      null,
    ]);
    const each = Math.ceil(RUNS / PROCESSES);
    const kindsOf = (first: number) =>
      Array.from({ length: each }, (_, index) => KINDS[(first + index) % KINDS.length] ?? 'success');
    const driven = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => drive(scene, kindsOf(index))),
    );
    const ids = driven.flat();
    expect(new Set(ids).size).toBe(each * PROCESSES);
    for (const id of ids) {
      const end = await endOf(scene, scene.record(id));
      expect(end, id).toEqual(alone.get(end.kind));
    }
    expect(scene.runIds()).toHaveLength(KINDS.length + ids.length);
  });
});
