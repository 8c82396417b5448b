import type { ViolationClass } from '../../contracts/vocabulary.ts';
import type { EffectivePolicy } from '../assemble.ts';
import type { Violation } from '../violation.ts';

/** A definite or possible violation on a line. */
export interface Finding {
  readonly violation: Violation;
  /**
   * True if the line itself shows the violation. Otherwise it can't be ruled out, which counts only under a policy
   * with `commands`.
   */
  readonly isCertain: boolean;
}

/** Maximum length of a command in a message. */
const MAX_SUBJECT = 200;

export function certainFinding(kind: ViolationClass, subject: string, message: string): Finding {
  return { violation: { class: kind, subject, message }, isCertain: true };
}

export function possibleFinding(kind: ViolationClass, subject: string, message: string): Finding {
  return { violation: { class: kind, subject, message }, isCertain: false };
}

/** A line or command that a policy with `commands` refuses because it can't be analysed. */
export function unclearFinding(subject: string, message: string): Finding {
  return possibleFinding('native_policy_block', shortenSubject(subject.trim()), message);
}

export function shortenSubject(text: string): string {
  return text.length > MAX_SUBJECT ? `${text.slice(0, MAX_SUBJECT - 1)}…` : text;
}

/** Whether the policy refuses commands that can't be decided. */
export function limitsCommands({ commands }: EffectivePolicy): boolean {
  return commands.allow !== null || commands.deny.length > 0;
}
