import type { Operation } from '../../contracts/policy.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { isProtectedBranch } from '../refs.ts';
import type { Violation } from '../violation.ts';
import {
  type DenyEntry,
  isAllowedBy,
  namesProgram,
  readDenyEntry,
  spellOut,
  startsWithPrefix,
} from './command-lists.ts';
import { fileEffects } from './file-effects.ts';
import { gitEffects } from './git-effects.ts';
import { branchRef, isKnownSubcommand, judgeGit } from './git-rules.ts';
import { type GitCall, readGit } from './git-words.ts';
import { inlineCode } from './interpreters.ts';
import { changesDependencies, reachesNetwork } from './outside-reach.ts';
import { readLine } from './read-line.ts';
import { scriptProblem } from './script-text.ts';
import {
  type Assignment,
  programOf,
  type Redirection,
  readGivenAssignment,
  type Segment,
  type Word,
} from './shell-word.ts';
import { evaluationProblem, filled, variableProblem } from './variables.ts';
import { createWhereabouts, type Whereabouts } from './whereabouts.ts';
import { type Call, unwrapCalls } from './wrappers.ts';
import { type CommandPlace, checkEffect } from './write-rules.ts';

export interface CommandVerdict {
  readonly allowed: boolean;
  readonly violations: readonly Violation[];
}

/** How much of a command is told as what it is about. */
const MAX_SUBJECT = 200;

/** Longer lines are not read: nobody types them, and a program can be run from a file. */
const MAX_LINE = 4 * 1024 * 1024;

interface Check {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  readonly deny: readonly DenyEntry[];
  readonly where: Whereabouts;
}

/** Judges a line that an agent wants to run in a shell. What can't be told is refused. */
export function checkCommand(policy: EffectivePolicy, line: string, place: CommandPlace): CommandVerdict {
  if (line.length > MAX_LINE) return verdict([blocked(line, 'the line is too long to be judged')]);
  // To some shells a carriage return ends a line, to others it is a part of the word before it.
  const readings = new Set([line, line.replaceAll(/\r(?=\n|$)/g, '')]);
  return verdict([...readings].flatMap((reading) => checkReading(policy, reading, place)));
}

function checkReading(policy: EffectivePolicy, line: string, place: CommandPlace): Violation[] {
  const read = readLine(line);
  const deny = policy.commands.deny.map(readDenyEntry);
  const check: Check = { policy, place, deny, where: createWhereabouts({ ...place, repeats: read.repeats }) };
  return [
    ...read.problems.map((problem) => blocked(line, `the line can't be judged: ${problem}`)),
    ...deny.flatMap((entry) => brokenEntry(entry)),
    ...matchExpressions(deny, line, read.masked),
    ...read.segments.flatMap((segment) => checkSegment(check, segment)),
  ];
}

function verdict(found: readonly Violation[]): CommandVerdict {
  const violations = [...new Map(found.map((each) => [`${each.class} ${each.message}`, each])).values()];
  return { allowed: violations.length === 0, violations };
}

function blocked(subject: string, message: string): Violation {
  return { class: 'native_policy_block', subject: cut(subject.trim()), message };
}

function cut(text: string): string {
  return text.length > MAX_SUBJECT ? `${text.slice(0, MAX_SUBJECT - 1)}…` : text;
}

function textOf(words: readonly Word[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const { raw } of words) {
    if (length > MAX_SUBJECT) break;
    parts.push(raw);
    length += raw.length + 1;
  }
  return cut(parts.join(' ').trim());
}

function brokenEntry(entry: DenyEntry): Violation[] {
  if (entry.kind !== 'broken') return [];
  return [blocked(entry.source, `${entry.source} in commands.deny is not a regular expression`)];
}

function matchExpressions(deny: readonly DenyEntry[], subject: string, text: string): Violation[] {
  return deny.flatMap((entry) =>
    entry.kind === 'expression' && entry.expression.test(text)
      ? [blocked(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
}

function checkSegment(check: Check, segment: Segment): Violation[] {
  check.where.enter(segment);
  const { calls, problems } = unwrapCalls(segment.words);
  const subject = textOf(segment.words);
  const found = [
    ...segment.assignments.flatMap((assignment) =>
      refuse(assignment.name, isForReadingAlone(assignment, segment) ? null : variableProblem(assignment)),
    ),
    ...problems.map((problem) => blocked(subject, problem)),
    ...calls.flatMap((call) => checkCall(check, call)),
    ...segment.redirections.flatMap((redirection) => checkRedirection(check, redirection)),
  ];
  check.where.follow(segment);
  return found;
}

/** `IFS= read` splits one line in another way, and nothing after it. */
function isForReadingAlone({ name }: Assignment, { words: [first] }: Segment): boolean {
  return name === 'IFS' && first?.text === 'read';
}

function refuse(subject: string, problem: string | null): Violation[] {
  return problem === null ? [] : [blocked(subject, problem)];
}

function checkCall(check: Check, { words, assignments, packaged }: Call): Violation[] {
  const { policy, where } = check;
  const subject = textOf(words);
  const [first] = words;
  const set = [
    ...[...assignments, ...declared(words)].flatMap((word) => readGivenAssignment(word) ?? []),
    ...filled(words),
  ];
  const variables = [
    ...set.flatMap((assignment) => refuse(assignment.name, variableProblem(assignment))),
    ...refuse(subject, evaluationProblem(words)),
  ];
  if (first === undefined) return variables;
  if (first.unknown || first.pattern)
    return [...variables, blocked(subject, 'an expansion stands where a program belongs')];
  // In zsh an equals sign before a name stands for the path of the program.
  if (first.text === '' || /^[-=]/.test(first.text))
    return [...variables, blocked(subject, 'the command has no name')];
  const git = readGit(words);
  const effects = [...fileEffects(words), ...(git === null ? [] : gitEffects(git))];
  return [
    ...variables,
    ...checkLists(check, words, subject, packaged),
    ...[inlineCode(words), scriptProblem(words)].flatMap((problem) => refuse(subject, problem)),
    ...(git === null ? [] : checkGit(check, git, subject)),
    ...effects.flatMap((effect) => checkEffect({ ...check, folders: where.folders() }, effect)),
    ...checkReach(policy, words, subject),
  ];
}

const DECLARING = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

function declared([first, ...rest]: readonly Word[]): readonly Word[] {
  return first !== undefined && DECLARING.has(first.text) ? rest : [];
}

function checkLists(
  { policy, deny }: Check,
  words: readonly Word[],
  subject: string,
  packaged: boolean,
): Violation[] {
  const found = deny.flatMap((entry) =>
    entry.kind === 'prefix' && (startsWithPrefix(words, entry.words) || namesProgram(words, entry.words))
      ? [blocked(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
  const { allow } = policy.commands;
  const unlisted = allow !== null && !packaged && !isAllowedBy(words, allow);
  return [
    ...found,
    ...matchExpressions(deny, subject, spellOut(words)),
    ...(unlisted ? [blocked(subject, `${words[0]?.text ?? ''} is not among the allowed commands`)] : []),
  ];
}

function checkGit(check: Check, git: GitCall, subject: string): Violation[] {
  const { policy, place, deny } = check;
  const guarded =
    policy.forbidden_operations.length > 0 ||
    deny.some((entry) => entry.kind !== 'prefix' || entry.words[0]?.startsWith('git') === true);
  const deed = judgeGit(git);
  const problems = [...git.problems, ...(deed.problem === null ? [] : [deed.problem])];
  if (git.unknown) problems.push('an expansion stands where a command of git belongs');
  else if (guarded && !isKnownSubcommand(git.subcommand))
    problems.push(`git ${git.subcommand} may be an alias for anything`);
  const protectedNames = deed.branches.filter(({ text }) =>
    isProtectedBranch(branchRef(text), place.protectedBranches),
  );
  return [
    ...problems.map((problem) => blocked(subject, problem)),
    ...deed.operations.flatMap((operation) => forbidden(policy, operation, subject)),
    ...protectedNames.map(
      ({ text }): Violation => ({
        class: 'protected_branch_violation',
        subject: text,
        message: `the command would move the protected branch ${text}`,
      }),
    ),
    ...(deed.network ? overNetwork(policy, subject) : []),
    ...(deed.rewrites ? againstReadOnly(policy, subject) : []),
  ];
}

function forbidden(policy: EffectivePolicy, operation: Operation, subject: string): Violation[] {
  if (!policy.forbidden_operations.includes(operation)) return [];
  return [
    {
      class: 'forbidden_operation',
      subject,
      message: `${subject} would ${WORDS[operation]}, and ${operation} is forbidden`,
    },
  ];
}

const WORDS: Readonly<Record<Operation, string>> = {
  commit: 'record something in git',
  push: 'push',
  delete: 'delete files',
  force: 'overwrite what git keeps',
  branch_switch: 'leave the branch',
  dependency_change: 'change dependencies',
};

function againstReadOnly(policy: EffectivePolicy, subject: string): Violation[] {
  if (policy.execution !== 'read_only') return [];
  const message = `${subject} would change files, and the policy is read-only`;
  return [{ class: 'forbidden_operation', subject, message }];
}

function overNetwork(policy: EffectivePolicy, subject: string): Violation[] {
  if (policy.network === 'allow') return [];
  return [
    { class: 'network_violation', subject, message: `${subject} would use the network, which is denied` },
  ];
}

function checkReach(policy: EffectivePolicy, words: readonly Word[], subject: string): Violation[] {
  return [
    ...(reachesNetwork(words) ? overNetwork(policy, subject) : []),
    ...(changesDependencies(words) ? forbidden(policy, 'dependency_change', subject) : []),
    ...(['patch', 'gpatch'].includes(programOf(words[0])) ? againstReadOnly(policy, subject) : []),
  ];
}

function checkRedirection(check: Check, { operator, target }: Redirection): Violation[] {
  if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) return overNetwork(check.policy, target.text);
  switch (operator) {
    case '<':
    case '<&':
    case '<<':
    case '<<<':
      return [];
    case '>&':
      if (/^(?:\d+-?|-)$/.test(target.text)) return [];
      break;
    default:
  }
  const effect = { kind: 'write' as const, target, into: [], recursive: false };
  return checkEffect({ ...check, folders: check.where.folders() }, effect);
}
