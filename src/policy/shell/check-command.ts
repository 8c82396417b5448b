import type { EffectivePolicy } from '../assemble.ts';
import type { Violation } from '../violation.ts';
import { type DenyEntry, readDenyEntry } from './command-lists.ts';
import { certainFinding, type Finding, limitsCommands, shortenSubject } from './findings.ts';
import { walkLine } from './walk/walk-line.ts';
import type { CommandPlace } from './write-rules.ts';

export interface CommandVerdict {
  readonly allowed: boolean;
  readonly violations: readonly Violation[];
}

/** Longer lines are not parsed: they are not typed by hand, and a program can be run from a file instead. */
const MAX_LINE = 4 * 1024 * 1024;

/**
 * Checks a line that an agent wants to run in a shell. Without `commands` in the policy, only a line that visibly
 * violates the policy is refused; what can't be decided is left to the workspace, the sandbox and the check after
 * the step. With `commands`, a line that can't be decided is refused as well.
 */
export function checkCommand(policy: EffectivePolicy, line: string, place: CommandPlace): CommandVerdict {
  if (line.length > MAX_LINE) return verdict([tooLong(line)], true);
  const isStrict = limitsCommands(policy);
  const deny = policy.commands.deny.map(readDenyEntry);
  // Some shells end a line at a carriage return; others treat it as part of the preceding word.
  const readings = new Set([line, line.replaceAll(/\r(?=\n|$)/g, '')]);
  const findings = [...readings].flatMap((reading) => walkLine({ policy, place, deny }, isStrict, reading));
  return verdict([...deny.flatMap(reportBrokenEntry), ...findings], isStrict);
}

function tooLong(line: string): Finding {
  return certainFinding('native_policy_block', shortenSubject(line.trim()), 'the line is too long to check');
}

function verdict(findings: readonly Finding[], isStrict: boolean): CommandVerdict {
  const counted = findings.filter(({ isCertain }) => isStrict || isCertain).map(({ violation }) => violation);
  const violations = [...new Map(counted.map((each) => [`${each.class} ${each.message}`, each])).values()];
  return { allowed: violations.length === 0, violations };
}

function reportBrokenEntry(entry: DenyEntry): Finding[] {
  if (entry.kind !== 'broken') return [];
  const message = `${entry.source} in commands.deny is not a supported regular expression`;
  return [certainFinding('native_policy_block', entry.source, message)];
}
