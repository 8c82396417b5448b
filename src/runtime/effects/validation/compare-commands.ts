import type { ValidationStep } from '../../../kernel/plan.ts';
import {
  type ChangedCommand,
  type CommandPlace,
  changedCommand,
  type FileTexts,
  filesOfCommand,
} from '../../../policy/judges/changed-command.ts';
import type { RunContext } from '../../run-context.ts';
import { commandOfValidator } from './command-lines.ts';
import type { PreparedJudge } from './judge-checkout.ts';

/** Files that define a command may refer to others; they are followed for at most this many rounds. */
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
 * How the change affects the commands of the validators, and those of setup if setup ran again: an installation can
 * replace the programs that the checks use.
 */
export async function compareCommands(
  context: RunContext,
  step: ValidationStep,
  judge: PreparedJudge,
  /** Files of the base that are needed later: reading them here fills the workspace's cache without another process. */
  wantedLater: readonly string[],
): Promise<readonly TracedCommand[]> {
  const { deps } = context;
  const changed = judge.changes.map(({ path }) => path);
  if (changed.length === 0) return [];
  const validators = step.validators.flatMap((planned) => {
    const words = commandOfValidator(context, planned);
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

/** Reads the files that define a command, following references, at the base and now. */
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
