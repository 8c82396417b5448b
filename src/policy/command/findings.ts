import type { ViolationClass } from '../../contracts/vocabulary.ts';
import type { EffectivePolicy } from '../assemble.ts';
import type { Violation } from '../violation.ts';

/** Something that is wrong with a line, or that can't be ruled out. */
export interface Finding {
  readonly violation: Violation;
  /** The line itself shows it. Otherwise it can only not be told, which counts under a policy with `commands` alone. */
  readonly isShown: boolean;
}

/** How much of a command is repeated in a message. */
const MAX_SUBJECT = 200;

export function shown(kind: ViolationClass, subject: string, message: string): Finding {
  return { violation: { class: kind, subject, message }, isShown: true };
}

export function unjudged(kind: ViolationClass, subject: string, message: string): Finding {
  return { violation: { class: kind, subject, message }, isShown: false };
}

/** A line or a command that a policy with `commands` refuses because it can't be looked through. */
export function hidden(subject: string, message: string): Finding {
  return unjudged('native_policy_block', cut(subject.trim()), message);
}

export function cut(text: string): string {
  return text.length > MAX_SUBJECT ? `${text.slice(0, MAX_SUBJECT - 1)}…` : text;
}

/** Under such a policy, what can't be judged is refused. */
export function limitsCommands({ commands }: EffectivePolicy): boolean {
  return commands.allow !== null || commands.deny.length > 0;
}
