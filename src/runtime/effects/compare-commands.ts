import type { ValidationStep } from '../../kernel/plan.ts';
import {
  type ChangedCommand,
  type CommandPlace,
  changedCommand,
  type FileTexts,
  filesOfCommand,
} from '../../policy/judges/changed-command.ts';
import type { RunContext } from '../run-context.ts';
import { wordsOf } from './command-lines.ts';
import type { PreparedJudge } from './judge-checkout.ts';

/** A file that decides what a command means may lead to others; more rounds than this are not followed. */
const MAX_ROUNDS = 8;

export interface TracedCommand {
  readonly id: string;
  readonly words: readonly string[];
  /** Files that define what the command does. */
  readonly files: readonly string[];
  readonly changes: readonly ChangedCommand[];
}

export function partText({ path, part }: ChangedCommand): string {
  return part === null ? path : `${path}: ${part}`;
}

/**
 * What the change does to the commands of the validators, and to those of setup if setup ran again for it: what an
 * installation runs can replace the programs of the checks.
 */
export async function compareCommands(
  context: RunContext,
  step: ValidationStep,
  judge: PreparedJudge,
  /** Files of the base that are wanted later: the workspace remembers them, and they cost no process of their own. */
  wantedLater: readonly string[],
): Promise<readonly TracedCommand[]> {
  const { deps } = context;
  const changed = judge.changes.map(({ path }) => path);
  if (changed.length === 0) return [];
  const validators = step.validators.flatMap((planned) => {
    const words = wordsOf(context, planned);
    const folder = planned.kind === 'script' ? (planned.cwd ?? '') : '';
    return words === null ? [] : [{ id: planned.id, words, folder }];
  });
  const setup = judge.changedKeys.length === 0 ? [] : (deps.setup?.commands ?? []);
  const commands = [...validators, ...setup.map((words) => ({ id: 'setup', words, folder: '' }))];
  const traced: TracedCommand[] = [];
  for (const { id, words, folder } of commands) {
    const place = { changed, tests: deps.project.tests ?? null, folder };
    const texts = await readDefinition(context, judge, words, { place, wantedLater });
    const changes = changedCommand(words, texts.base, texts.now, place);
    traced.push({ id, words, files: [...texts.base.keys()], changes });
  }
  return traced;
}

/** The files that define a command, followed from one to the next, at the base and now. */
async function readDefinition(
  { deps, workspace }: RunContext,
  judge: PreparedJudge,
  command: readonly string[],
  { place, wantedLater }: { readonly place: CommandPlace; readonly wantedLater: readonly string[] },
): Promise<{ readonly base: FileTexts; readonly now: FileTexts }> {
  let base: FileTexts = new Map();
  let now: FileTexts = new Map();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = filesOfCommand(command, base, place);
    if (wanted.length === 0) break;
    const read = await deps.workspace.readFiles(workspace, workspace.baseSha, [...wanted, ...wantedLater]);
    const atBase = new Map(wanted.map((path) => [path, read.get(path) ?? null]));
    // Only files that the change touches can differ.
    const touched = wanted.filter((path) => judge.changes.some((change) => change.path === path));
    const changedTexts = await deps.workspace.readFiles(workspace, judge.tree, touched);
    base = new Map([...base, ...atBase]);
    now = new Map([...now, ...atBase, ...changedTexts]);
  }
  return { base, now };
}
