import type { Operation } from '../../contracts/documents/policy.ts';
import { resolveFrom } from '../../text/paths.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { isProtectedBranch } from '../refs.ts';
import { type DenyEntry, isAllowedBy, namesProgram, spellOut, startsWithPrefix } from './command-lists.ts';
import { certainFinding, type Finding, shortenSubject, unclearFinding } from './findings.ts';
import { gitEffects } from './git/git-effects.ts';
import { branchRef, classifyGitCall, isKnownSubcommand } from './git/git-rules.ts';
import { type GitCall, readGit } from './git/git-words.ts';
import {
  type Assignment,
  programOf,
  type Redirection,
  readGivenAssignment,
  type Word,
} from './grammar/shell-word.ts';
import { pathInside } from './paths.ts';
import { type FileEffect, fileEffects } from './programs/file-effects.ts';
import { changesDependencies, reachesNetwork } from './programs/outside-reach.ts';
import type { Call } from './programs/wrappers.ts';
import { explainEvaluation, explainVariable, readFilledVariables } from './walk/variables.ts';
import { type CommandPlace, checkEffect } from './write-rules.ts';

/** The rules that a command is checked against. */
export interface Rules {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
  readonly deny: readonly DenyEntry[];
}

export interface CallCheck extends Rules {
  /** The folders the command may run in; null if unknown. */
  readonly folders: readonly string[] | null;
}

export function formatWords(words: readonly Word[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const { raw } of words) {
    parts.push(raw);
    length += raw.length + 1;
    if (length > 400) break;
  }
  return shortenSubject(parts.join(' ').trim());
}

/** Checks one program call with its words, wherever it appears on the line. */
export function checkCall(check: CallCheck, call: Call): Finding[] {
  const { words, assignments } = call;
  const subject = formatWords(words);
  const [first] = words;
  const set = [...assignments, ...declaredAssignments(words)].flatMap(
    (word) => readGivenAssignment(word) ?? [],
  );
  const variables = [
    ...[...set, ...readFilledVariables(words)].flatMap((assignment) => checkVariable(check, assignment)),
    ...reportProblem(subject, explainEvaluation(words)),
  ];
  if (first === undefined) return variables;
  if (first.unknown || first.pattern)
    return [...variables, unclearFinding(subject, 'the program name is an expansion')];
  // In zsh, `=name` expands to the path of the program.
  if (first.text === '' || /^[-=]/.test(first.text))
    return [...variables, unclearFinding(subject, 'the command has no name')];
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

const DECLARATION_BUILTINS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

/** The assignments among the arguments of `export` and similar builtins. */
function declaredAssignments([first, ...rest]: readonly Word[]): readonly Word[] {
  return first !== undefined && DECLARATION_BUILTINS.has(first.text) ? rest : [];
}

export function checkVariable({ policy }: Rules, assignment: Assignment): Finding[] {
  return reportProblem(assignment.name, explainVariable(assignment, policy.commands.allow !== null));
}

function reportProblem(subject: string, problem: string | null): Finding[] {
  return problem === null ? [] : [unclearFinding(subject, problem)];
}

function deniedFinding(subject: string, message: string): Finding {
  return certainFinding('native_policy_block', shortenSubject(subject.trim()), message);
}

export function matchExpressions(deny: readonly DenyEntry[], subject: string, text: string): Finding[] {
  return deny.flatMap((entry) =>
    entry.kind === 'expression' && entry.expression.test(text)
      ? [deniedFinding(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
}

function checkLists(check: CallCheck, { words, packaged }: Call, subject: string): Finding[] {
  const { policy, deny } = check;
  const found = deny.flatMap((entry) =>
    entry.kind === 'prefix' && (startsWithPrefix(words, entry.words) || namesProgram(words, entry.words))
      ? [deniedFinding(subject, `the command is denied by ${entry.source}`)]
      : [],
  );
  const { allow } = policy.commands;
  const isListed = allow === null || packaged || isActivation(check, words) || isAllowedBy(words, allow);
  return [
    ...found,
    ...matchExpressions(deny, subject, spellOut(words)),
    ...(isListed
      ? []
      : [deniedFinding(subject, `${words[0]?.text ?? ''} is not among the allowed commands`)]),
  ];
}

/** `source .venv/bin/activate` inside the workspace, which only puts the project's programs first in `PATH`. */
export function isActivation({ place, folders }: CallCheck, [first, file]: readonly Word[]): boolean {
  if (first?.text !== 'source' && first?.text !== '.') return false;
  if (file === undefined || file.unknown || !/^(?:[\w./@+-]*\/)?bin\/activate$/.test(file.text)) return false;
  const paths = folders?.map((folder) => resolveFrom(folder, file.text)) ?? [];
  return paths.length > 0 && paths.every((path) => pathInside(place.workspace, path) !== null);
}

function checkGit(check: Rules, git: GitCall, subject: string): Finding[] {
  const { policy, place, deny } = check;
  const isGuarded =
    policy.forbidden_operations.length > 0 ||
    deny.some((entry) => entry.kind !== 'prefix' || entry.words[0]?.startsWith('git') === true);
  const effect = classifyGitCall(git);
  const problems = [...git.problems, ...(effect.problem === null ? [] : [effect.problem])];
  if (git.unknown) problems.push('the git subcommand is an expansion');
  else if (isGuarded && !isKnownSubcommand(git.subcommand))
    problems.push(`git ${git.subcommand} may be an alias that runs any command`);
  const protectedNames = effect.branches.filter(({ text }) =>
    isProtectedBranch(branchRef(text), place.protectedBranches),
  );
  return [
    ...problems.map((problem) => unclearFinding(subject, problem)),
    ...(effect.movesAll
      ? [deniedFinding(subject, `git ${git.subcommand} moves every branch, including protected ones`)]
      : []),
    ...effect.operations.flatMap((operation) => checkOperation(policy, operation, subject)),
    ...protectedNames.map(({ text }) =>
      certainFinding(
        'protected_branch_violation',
        text,
        `this command would move the protected branch ${text}`,
      ),
    ),
    ...(effect.network ? checkNetwork(policy, subject) : []),
    ...(effect.rewrites ? checkReadOnly(policy, subject) : []),
  ];
}

function checkOperation(policy: EffectivePolicy, operation: Operation, subject: string): Finding[] {
  if (!policy.forbidden_operations.includes(operation)) return [];
  const message = `\`${subject}\` would ${OPERATION_TEXTS[operation]}; the policy forbids \`${operation}\``;
  return [certainFinding('forbidden_operation', subject, message)];
}

const OPERATION_TEXTS: Readonly<Record<Operation, string>> = {
  commit: 'create a commit, stash, branch or tag',
  push: 'push',
  delete: 'delete files',
  force: 'discard or rewrite history or changes in git',
  branch_switch: 'switch to another branch',
  dependency_change: 'change dependencies',
};

function checkReadOnly(policy: EffectivePolicy, subject: string): Finding[] {
  if (policy.execution !== 'read_only') return [];
  return [
    certainFinding(
      'forbidden_operation',
      subject,
      `\`${subject}\` would change files; the policy is read-only`,
    ),
  ];
}

function checkNetwork(policy: EffectivePolicy, subject: string): Finding[] {
  if (policy.network === 'allow') return [];
  return [
    certainFinding(
      'network_violation',
      subject,
      `\`${subject}\` would use the network, which the policy denies`,
    ),
  ];
}

function checkReach(policy: EffectivePolicy, words: readonly Word[], subject: string): Finding[] {
  return [
    ...(reachesNetwork(words) ? checkNetwork(policy, subject) : []),
    ...(changesDependencies(words) ? checkOperation(policy, 'dependency_change', subject) : []),
    ...(['patch', 'gpatch'].includes(programOf(words[0])) ? checkReadOnly(policy, subject) : []),
  ];
}

export function checkRedirection(check: CallCheck, { operator, target }: Redirection): Finding[] {
  if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) return checkNetwork(check.policy, target.text);
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

/** Checks a file that is written, no matter by which program. */
export function checkWrittenFile(check: CallCheck, target: Word): Finding[] {
  const effect: FileEffect = { kind: 'write', target, into: [], recursive: false };
  return checkEffect(check, effect);
}
