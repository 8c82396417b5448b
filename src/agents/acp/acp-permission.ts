import type { EffectivePolicy } from '../../policy/assemble.ts';
import { checkCommand } from '../../policy/shell/check-command.ts';
import { plainWord } from '../../policy/shell/grammar/shell-word.ts';
import { formatCommandLine } from '../../policy/shell/line-of-words.ts';
import { type CommandPlace, checkWrite } from '../../policy/shell/write-rules.ts';
import { formatViolation, type PolicyViolation } from '../../policy/violation.ts';
import { resolveFrom } from '../../text/paths.ts';
import type { AcpPermission, AcpToolCall, PermissionKind } from './acp-messages.ts';
import { commandOf, inputPathsOf, subjectOf } from './acp-tools.ts';

/** The answer to a permission request of an agent. */
export type PermissionAnswer =
  | {
      readonly kind: 'allowed';
      readonly optionId: string;
      readonly why: string;
      /** True if the policy decided; false if the request was approved automatically. */
      readonly decided: boolean;
    }
  /** `optionId` is null if the agent offers no option to reject; the request is then cancelled. */
  | {
      readonly kind: 'refused';
      readonly optionId: string | null;
      readonly why: string;
      /** True if the policy refuses it; false if the policy does not decide and no user can. */
      readonly byPolicy: boolean;
    }
  /** Only a user could answer it, and the policy does not let such a step continue. */
  | { readonly kind: 'prompted'; readonly why: string };

/** How many requests that the policy does not decide are approved automatically in one start. */
export const AUTO_APPROVALS = 50;

export interface PermissionPolicy {
  readonly policy: EffectivePolicy;
  readonly place: CommandPlace;
}

type CallCheck =
  | { readonly kind: 'allowed' | 'undecided'; readonly why: string }
  | { readonly kind: 'denied'; readonly violations: readonly PolicyViolation[] };

/**
 * Answers a permission request from the policy: forbidden calls are refused, permitted ones are allowed once.
 * For a call that the policy does not decide, no user is present to ask, so `approval` determines the answer.
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
  // A call that is always allowed is not asked about again, and its later uses would not be checked.
  const yes = option('allow_once');
  const checked = checkCall(policy, place, call);
  if (checked.kind === 'denied')
    return {
      kind: 'refused',
      optionId: no,
      why: checked.violations.map(describeViolation).join('; '),
      byPolicy: true,
    };
  if (checked.kind === 'allowed' && yes !== null)
    return { kind: 'allowed', optionId: yes, why: checked.why, decided: true };
  const why = yes === null ? 'it can only be allowed for good' : checked.why;
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

function describeViolation(violation: PolicyViolation): string {
  return `${formatViolation(violation)}: ${violation.message}`;
}

/** Kinds of tools that only read. */
const READING_KINDS: readonly string[] = ['read', 'search', 'think'];
const WRITING_KINDS: ReadonlyMap<string, 'write' | 'delete'> = new Map([
  ['edit', 'write'],
  ['delete', 'delete'],
  ['move', 'delete'],
]);

function checkCall(policy: EffectivePolicy, place: CommandPlace, call: AcpToolCall): CallCheck {
  const kind = call.kind ?? 'other';
  const command = commandOf(call);
  const written = writtenPaths(call);
  const violations = [
    ...(command === null ? [] : checkCommandCall(policy, place, command)),
    ...written.flatMap((path) => checkWriteCall(policy, place, path, WRITING_KINDS.get(kind) ?? 'write')),
    ...(kind === 'fetch' && policy.network === 'deny' ? [networkViolation(call)] : []),
  ];
  if (violations.length > 0) return { kind: 'denied', violations };
  if (command !== null) return { kind: 'allowed', why: 'the policy lets the command through' };
  if (written.length > 0) return { kind: 'allowed', why: 'the policy lets these files change' };
  if (kind === 'fetch') return { kind: 'allowed', why: 'the policy allows the network' };
  if (READING_KINDS.includes(kind)) return { kind: 'allowed', why: 'it only looks' };
  // The effect of such a call is unknown, so a read-only policy denies it.
  if (policy.execution === 'read_only' && (kind === 'execute' || WRITING_KINDS.has(kind)))
    return { kind: 'denied', violations: [readOnlyViolation(call)] };
  return { kind: 'undecided', why: `the policy does not say whether it may use "${subjectOf(call)}"` };
}

function checkCommandCall(
  policy: EffectivePolicy,
  place: CommandPlace,
  { command, cwd }: NonNullable<ReturnType<typeof commandOf>>,
): readonly PolicyViolation[] {
  const line = typeof command === 'string' ? command : formatCommandLine(command);
  const folder = cwd === null ? place.cwd : resolveFrom(place.cwd, cwd);
  return checkCommand(policy, line, { ...place, cwd: folder }).violations;
}

function checkWriteCall(
  policy: EffectivePolicy,
  place: CommandPlace,
  path: string,
  kind: 'write' | 'delete',
): readonly PolicyViolation[] {
  const effect = { kind, target: plainWord(path), into: [], recursive: false };
  return checkWrite({ policy, place, folders: [place.cwd] }, effect);
}

/** The paths that a call changes. A diff in its content counts whatever its kind. */
function writtenPaths(call: AcpToolCall): string[] {
  const { kind, content, locations } = call;
  const differences = (content ?? []).flatMap(({ type, path }) =>
    type === 'diff' && typeof path === 'string' ? [path] : [],
  );
  const named = WRITING_KINDS.has(kind ?? '')
    ? [...(locations ?? []).map(({ path }) => path), ...inputPathsOf(call)]
    : [];
  return [...new Set([...differences, ...named])];
}

function networkViolation(call: AcpToolCall): PolicyViolation {
  return { class: 'network_violation', subject: subjectOf(call), message: 'the network is denied' };
}

function readOnlyViolation(call: AcpToolCall): PolicyViolation {
  return {
    class: 'forbidden_operation',
    subject: subjectOf(call),
    message: 'it does not say what it changes, and the policy is read-only',
  };
}
