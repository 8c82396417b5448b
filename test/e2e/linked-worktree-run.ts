import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunEvent, runEventSchema } from '../../src/contracts/run/event.ts';
import { manifestSchema } from '../../src/contracts/run/run-files.ts';
import { metadataOf, statusOf } from '../../src/runtime/record/derived-files.ts';
import { viewRun } from '../../src/runtime/record/run-view.ts';
import type { Cli } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { recordedRun } from '../replay/recorded-runs.ts';
import { createCliInProcess } from './in-process.ts';
import { forgeLog } from './record-damage.ts';
import { type RunRecordOnDisk, readRun } from './run-record.ts';

/** A run of version 1 in a repository, as the conductor that recorded it left it. */
export interface EarlierRun {
  readonly repo: GitRepo;
  readonly cli: Cli;
  readonly runId: string;
  readonly branch: string;
  /** The linked worktree. */
  readonly worktree: string;
  readonly record: () => RunRecordOnDisk;
}

/** Where the runs were recorded. */
const RECORDED_ROOT = '/tmp/conductor-example/repo';
/** Files that exist once a run has ended. */
const FINAL_FILES = ['final-state.txt', 'diff.patch', 'transcript.md'];

/**
 * Makes a repository that has a recorded run, with its branch, its linked worktree, its snapshots and its salvage.
 * `upTo` cuts the log off after the first event of that type, as if the run had stopped there.
 */
export async function plantEarlierRun(
  name: string,
  upTo: RunEvent['event_type'] | null = null,
): Promise<EarlierRun> {
  const { path: recorded, runId } = recordedRun(name);
  const repo = await makeRepo({ files: { 'answer.txt': '?\n', '.gitignore': '.tnh/\n' } });
  onTestFinished(repo.cleanup);
  const home = join(repo.root, '../home');
  await mkdir(home);
  const path = join(repo.root, '.tnh/run', runId);
  cpSync(recorded, path, { recursive: true });
  const events = readEvents(join(path, 'events.ndjson'));
  const [first] = events;
  if (first?.event_type !== 'run_started') throw new Error(`${name} has no start`);
  const started = first.payload;
  const branch = started.branch_name;
  const worktree = join(repo.root, '.tnh/worktrees', runId);
  const id = async (revision: string) => (await repo.git('rev-parse', revision)).trim();
  const base = await id('HEAD');
  await repo.git('worktree', 'add', '--quiet', '-b', branch, worktree);
  writeFileSync(join(worktree, 'answer.txt'), '42\n');
  await repo.git('-C', worktree, 'commit', '--quiet', '--all', '--message=work of the run');
  const work = await id(branch);
  await repo.git('update-ref', `refs/conductor/${runId}/implement@1`, base);
  await repo.git('update-ref', `refs/conductor/${runId}/end`, work);
  const replaced = new Map([
    [RECORDED_ROOT, repo.root],
    [started.base_sha, base],
    [started.base_tree, await id('HEAD^{tree}')],
  ]);
  const head = events.findLast((event) => event.event_type === 'run_completed')?.payload.head_sha;
  if (upTo !== null) await repo.git('-C', worktree, 'reset', '--quiet', '--mixed', base);
  else if (typeof head === 'string' && head !== started.base_sha) replaced.set(head, work);
  else await repo.git('-C', worktree, 'reset', '--quiet', '--hard', base);
  const salvage = events.find((event) => event.event_type === 'salvage_recorded')?.payload;
  if (salvage !== undefined) {
    replaced.set(salvage.commit, work);
    await repo.git('update-ref', salvage.ref, work);
  }
  rewriteRecord(path, replaced, upTo);
  const cli = createCliInProcess({ cwd: repo.root, home, env: { CONDUCTOR_SANDBOX: 'off' } });
  return { repo, cli, runId, branch, worktree, record: () => readRun(path) };
}

function readEvents(file: string): readonly RunEvent[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => runEventSchema.parse(JSON.parse(line)) as RunEvent);
}

/** The record as if it had been made here: with the paths and commits of this repository, and a sound chain. */
function rewriteRecord(
  path: string,
  replaced: ReadonlyMap<string, string>,
  upTo: RunEvent['event_type'] | null,
): void {
  const log = join(path, 'events.ndjson');
  let text = readFileSync(log, 'utf8');
  if (upTo !== null) text = cutOff(text, upTo);
  for (const [from, to] of replaced) text = text.replaceAll(from, to);
  writeFileSync(
    log,
    forgeLog(Buffer.from(text), (event) => event),
  );
  if (upTo !== null) for (const name of FINAL_FILES) rmSync(join(path, name));
  const events = readEvents(log);
  const view = viewRun(events);
  if (view === null) throw new Error('the log has no start');
  if (upTo !== null) cutEvidence(path, events);
  const place = { repoRoot: replaced.get(RECORDED_ROOT) ?? '', artifactsRoot: path };
  writeJson(join(path, 'metadata.json'), metadataOf(view, place));
  writeJson(join(path, 'status.json'), statusOf(view, null, new Date(events.at(-1)?.timestamp ?? 0)));
}

function cutOff(text: string, upTo: RunEvent['event_type']): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.findIndex((line) => JSON.parse(line).event_type === upTo);
  return `${lines.slice(0, last + 1).join('\n')}\n`;
}

/** Removes evidence that the log does not know; a gate's manifest is without the answer while the gate is open. */
function cutEvidence(path: string, events: readonly RunEvent[]): void {
  const known = new Set(
    events.flatMap((event) => (event.event_type === 'artifact_recorded' ? [event.payload.path] : [])),
  );
  const artifacts = join(path, 'artifacts');
  for (const folder of readdirSync(artifacts)) {
    const isKnown = (name: string) => known.has(`artifacts/${folder}/${name}`);
    const names = readdirSync(join(artifacts, folder)).filter((name) => name !== 'manifest.json');
    if (!names.some(isKnown)) {
      rmSync(join(artifacts, folder), { recursive: true });
      continue;
    }
    if (names.every((name) => isKnown(name) || name === 'inputs.json')) continue;
    for (const name of names.filter((each) => !isKnown(each))) rmSync(join(artifacts, folder, name));
    const file = join(artifacts, folder, 'manifest.json');
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    writeJson(file, {
      ...manifest,
      termination: 'completed',
      ended_at: events.at(-1)?.timestamp,
      artifacts: manifest.artifacts.filter((artifact) => known.has(artifact.path)),
    });
  }
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
