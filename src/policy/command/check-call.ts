import type { Operation } from '../../contracts/policy.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { isProtectedBranch } from '../refs.ts';
import { type DenyEntry, isAllowedBy, namesProgram, spellOut, startsWithPrefix } from './command-lists.ts';
import { cut, type Finding, hidden, shown } from './findings.ts';
import { gitEffects } from './git/git-effects.ts';
import { branchRef, isKnownSubcommand, judgeGit } from './git/git-rules.ts';
import { type GitCall, readGit } from './git/git-words.ts';
import { pathInside, resolvePath } from './paths.ts';
import { type FileEffect, fileEffects } from './programs/file-effects.ts';
import { changesDependencies, reachesNetwork } from './programs/outside-reach.ts';
import type { Call } from './programs/wrappers.ts';
import {
  type Assignment,
  programOf,
  type Redirection,
  readGivenAssignment,
  type Word,
} from './shell/shell-word.ts';
import { evaluationProblem, filledVariables, variableProblem } from './walk/variables.ts';
import { type CommandPlace, checkEffect } from './write-rules.ts';

/** What a command is judged by. */
export interface Rules {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  readonly deny: readonly DenyEntry[];
}

export interface CallCheck extends Rules {
  /** Where the command may run; null where that can't be told. */
  readonly folders: readonly string[] | null;
}

export function textOf(words: readonly Word[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const { raw } of words) {
    parts.push(raw);
    length += raw.length + 1;
    if (length > 400) break;
  }
  return cut(parts.join(' ').trim());
}

/** Judges a program with its words, wherever on the line it was found. */
export function checkCall(check: CallCheck, call: Call): Finding[] {
  const { words, assignments } = call;
  const subject = textOf(words);
  const [first] = words;
  const set = [...assignments, ...declared(words)].flatMap((word) => readGivenAssignment(word) ?? []);
  const variables = [
    ...[...set, ...filledVariables(words)].flatMap((assignment) => checkVariable(check, assignment)),
    ...hide(subject, evaluationProblem(words)),
  ];
  if (first === undefined) return variables;
  if (first.unknown || first.pattern)
    return [...variables, hidden(subject, 'an expansion stands where a program belongs')];
  // In zsh an equals sign before a name stands for the path of the program.
  if (first.text === '' || /^[-=]/.test(first.text))
    return [...variables, hidden(subject, 'the command has no name')];
  const git = readGit(words);
  const effects = [...fileEffects(words), ...(git === null ? [] : gitEffects(git))];
  return [
    ...variables,
    ...checkLists(check, call, subject),
    ...(git === null ? [] : checkGit(check, git, subject)),
    ...effects.flatMap((effect) => checkEffect(check, effect)),
    ...checkReach(check.policy, words, subject),
  ];
}

const DECLARING = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

/** The assignments among the words of `export` and its like. */
function declared([first, ...rest]: readonly Word[]): readonly Word[] {
  return first !== undefined && DECLARING.has(first.text) ? rest : [];
}

export function checkVariable({ policy }: Rules, assignment: Assignment): Finding[] {
  return hide(assignment.name, variableProblem(assignment, policy.commands.allow !== null));
}

function hide(subject: string, problem: string | null): Finding[] {
  return problem === null ? [] : [hidden(subject, problem)];
}

function block(subject: string, message: string): Finding {
  return shown('native_policy_block', cut(subject.trim()), message);
}

export function matchExpressions(deny: readonly DenyEntry[], subject: string, text: string): Finding[] {
  return deny.flatMap((entry) =>
    entry.kind === 'expression' && entry.expression.test(text)
      ? [block(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
}

function checkLists(check: CallCheck, { words, packaged }: Call, subject: string): Finding[] {
  const { policy, deny } = check;
  const found = deny.flatMap((entry) =>
    entry.kind === 'prefix' && (startsWithPrefix(words, entry.words) || namesProgram(words, entry.words))
      ? [block(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
  const { allow } = policy.commands;
  const isListed = allow === null || packaged || isActivation(check, words) || isAllowedBy(words, allow);
  return [
    ...found,
    ...matchExpressions(deny, subject, spellOut(words)),
    ...(isListed ? [] : [block(subject, `${words[0]?.text ?? ''} is not among the allowed commands`)]),
  ];
}

/** `source .venv/bin/activate` inside the workspace, which only puts the programs of the project first. */
export function isActivation({ place, folders }: CallCheck, [first, file]: readonly Word[]): boolean {
  if (first?.text !== 'source' && first?.text !== '.') return false;
  if (file === undefined || file.unknown || !/^(?:[\w./@+-]*\/)?bin\/activate$/.test(file.text)) return false;
  const paths = folders?.map((folder) => resolvePath(folder, file.text)) ?? [];
  return paths.length > 0 && paths.every((path) => pathInside(place.workspace, path) !== null);
}

function checkGit(check: Rules, git: GitCall, subject: string): Finding[] {
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
    ...problems.map((problem) => hidden(subject, problem)),
    ...(deed.movesAll
      ? [block(subject, `git ${git.subcommand} moves every branch, protected ones too`)]
      : []),
    ...deed.operations.flatMap((operation) => forbidden(policy, operation, subject)),
    ...protectedNames.map(({ text }) =>
      shown('protected_branch_violation', text, `this command would move the protected branch ${text}`),
    ),
    ...(deed.network ? overNetwork(policy, subject) : []),
    ...(deed.rewrites ? againstReadOnly(policy, subject) : []),
  ];
}

function forbidden(policy: EffectivePolicy, operation: Operation, subject: string): Finding[] {
  if (!policy.forbidden_operations.includes(operation)) return [];
  const message = `\`${subject}\` would ${DEEDS[operation]}; the policy forbids \`${operation}\``;
  return [shown('forbidden_operation', subject, message)];
}

const DEEDS: Readonly<Record<Operation, string>> = {
  commit: 'record something in git',
  push: 'push',
  delete: 'delete files',
  force: 'overwrite what git keeps',
  branch_switch: 'leave the branch',
  dependency_change: 'change dependencies',
};

function againstReadOnly(policy: EffectivePolicy, subject: string): Finding[] {
  if (policy.execution !== 'read_only') return [];
  return [
    shown('forbidden_operation', subject, `\`${subject}\` would change files; the policy is read-only`),
  ];
}

function overNetwork(policy: EffectivePolicy, subject: string): Finding[] {
  if (policy.network === 'allow') return [];
  return [
    shown('network_violation', subject, `\`${subject}\` would use the network, which the policy denies`),
  ];
}

function checkReach(policy: EffectivePolicy, words: readonly Word[], subject: string): Finding[] {
  return [
    ...(reachesNetwork(words) ? overNetwork(policy, subject) : []),
    ...(changesDependencies(words) ? forbidden(policy, 'dependency_change', subject) : []),
    ...(['patch', 'gpatch'].includes(programOf(words[0])) ? againstReadOnly(policy, subject) : []),
  ];
}

export function checkRedirection(check: CallCheck, { operator, target }: Redirection): Finding[] {
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
  return checkWrittenFile(check, target);
}

/** A file that is written, by whatever writes it. */
export function checkWrittenFile(check: CallCheck, target: Word): Finding[] {
  const effect: FileEffect = { kind: 'write', target, into: [], recursive: false };
  return checkEffect(check, effect);
}
