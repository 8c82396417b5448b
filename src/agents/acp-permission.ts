import type { EffectivePolicy } from '../policy/assemble.ts';
import { checkCommand } from '../policy/command/check-command.ts';
import { lineOfWords } from '../policy/command/line-of-words.ts';
import { resolvePath } from '../policy/command/paths.ts';
import { plainWord } from '../policy/command/shell/shell-word.ts';
import { type CommandPlace, checkWrite } from '../policy/command/write-rules.ts';
import { formatViolation, type Violation } from '../policy/violation.ts';
import type { AcpPermission, AcpToolCall, PermissionKind } from './acp-messages.ts';
import { commandOf, inputPathsOf, subjectOf } from './acp-tools.ts';

/** How a question of an agent was answered. */
export type PermissionAnswer =
  | {
      readonly kind: 'allowed';
      readonly optionId: string;
      readonly why: string;
      /** By the policy; otherwise it only says that such questions are answered with yes. */
      readonly decided: boolean;
    }
  /** Null where the agent offers no way to say no but to call the question off. */
  | {
      readonly kind: 'refused';
      readonly optionId: string | null;
      readonly why: string;
      /** The policy itself refuses it; otherwise nobody was there to decide. */
      readonly byPolicy: boolean;
    }
  /** Only a person could answer it, and the policy wants no such step to go on. */
  | { readonly kind: 'prompted'; readonly why: string };

/** How many questions that the policy does not decide are answered with yes where it says so, in one start. */
export const AUTO_APPROVALS = 50;

export interface PermissionPolicy {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
}

type Judgement =
  | { readonly kind: 'allowed' | 'undecided'; readonly why: string }
  | { readonly kind: 'denied'; readonly violations: readonly Violation[] };

/**
 * Answers from the policy: what it forbids is refused, what it lets through is allowed, once. What it says nothing about is a
 * question to a person, who is not there: `approval` then says what becomes of it.
 */
export function answerPermission(
  { policy, place }: PermissionPolicy,
  { options }: AcpPermission,
  call: AcpToolCall,
  approvedBefore: number,
): PermissionAnswer {
  const option = (...kinds: readonly PermissionKind[]): string | null =>
    kinds.flatMap((kind) => options.find((each) => each.kind === kind)?.optionId ?? [])[0] ?? null;
  const no = option('reject_once', 'reject_always');
  // What is allowed for ever is not asked for again, and then nobody looks at what else it is used for.
  const yes = option('allow_once');
  const judged = judgeCall(policy, place, call);
  if (judged.kind === 'denied')
    return { kind: 'refused', optionId: no, why: judged.violations.map(wordsOf).join('; '), byPolicy: true };
  if (judged.kind === 'allowed' && yes !== null)
    return { kind: 'allowed', optionId: yes, why: judged.why, decided: true };
  const why = yes === null ? 'it can only be allowed for good' : judged.why;
  switch (policy.approval) {
    case 'fail_on_prompt':
      return { kind: 'prompted', why };
    case 'deny_interactive':
      return { kind: 'refused', optionId: no, why, byPolicy: false };
    case 'bounded_auto_approve':
      return yes === null || approvedBefore >= AUTO_APPROVALS
        ? { kind: 'refused', optionId: no, why, byPolicy: false }
        : { kind: 'allowed', optionId: yes, why: `${why}, and its approval is automatic`, decided: false };
  }
}

function wordsOf(violation: Violation): string {
  return `${formatViolation(violation)}: ${violation.message}`;
}

/** Kinds of tools that look and change nothing. */
const LOOKS: readonly string[] = ['read', 'search', 'think'];
const WRITES: ReadonlyMap<string, 'write' | 'delete'> = new Map([
  ['edit', 'write'],
  ['delete', 'delete'],
  ['move', 'delete'],
]);

function judgeCall(policy: EffectivePolicy, place: CommandPlace, call: AcpToolCall): Judgement {
  const kind = call.kind ?? 'other';
  const command = commandOf(call);
  const written = writtenPaths(call);
  const violations = [
    ...(command === null ? [] : judgeCommand(policy, place, command)),
    ...written.flatMap((path) => judgeWrite(policy, place, path, WRITES.get(kind) ?? 'write')),
    ...(kind === 'fetch' && policy.network === 'deny' ? [networkUse(call)] : []),
  ];
  if (violations.length > 0) return { kind: 'denied', violations };
  if (command !== null) return { kind: 'allowed', why: 'the policy lets the command through' };
  if (written.length > 0) return { kind: 'allowed', why: 'the policy lets these files change' };
  if (kind === 'fetch') return { kind: 'allowed', why: 'the policy allows the network' };
  if (LOOKS.includes(kind)) return { kind: 'allowed', why: 'it only looks' };
  // Nobody can say what it would do; under a policy that lets nothing change, that is enough.
  if (policy.execution === 'read_only' && (kind === 'execute' || WRITES.has(kind)))
    return { kind: 'denied', violations: [readOnly(call)] };
  return { kind: 'undecided', why: `the policy does not say whether it may use "${subjectOf(call)}"` };
}

function judgeCommand(
  policy: EffectivePolicy,
  place: CommandPlace,
  { command, cwd }: NonNullable<ReturnType<typeof commandOf>>,
): readonly Violation[] {
  const line = typeof command === 'string' ? command : lineOfWords(command);
  const folder = cwd === null ? place.cwd : resolvePath(place.cwd, cwd);
  return checkCommand(policy, line, { ...place, cwd: folder }).violations;
}

function judgeWrite(
  policy: EffectivePolicy,
  place: CommandPlace,
  path: string,
  kind: 'write' | 'delete',
): readonly Violation[] {
  const effect = { kind, target: plainWord(path), into: [], recursive: false };
  return checkWrite({ policy, place, folders: [place.cwd] }, effect);
}

/** Paths that a call says it changes. A difference is one whatever the call is called. */
function writtenPaths(call: AcpToolCall): string[] {
  const { kind, content, locations } = call;
  const differences = (content ?? []).flatMap(({ type, path }) =>
    type === 'diff' && typeof path === 'string' ? [path] : [],
  );
  const named = WRITES.has(kind ?? '')
    ? [...(locations ?? []).map(({ path }) => path), ...inputPathsOf(call)]
    : [];
  return [...new Set([...differences, ...named])];
}

function networkUse(call: AcpToolCall): Violation {
  return { class: 'network_violation', subject: subjectOf(call), message: 'the network is denied' };
}

function readOnly(call: AcpToolCall): Violation {
  return {
    class: 'forbidden_operation',
    subject: subjectOf(call),
    message: 'it does not say what it changes, and the policy is read-only',
  };
}
