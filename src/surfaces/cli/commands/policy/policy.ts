import { realpath } from 'node:fs/promises';
import { expectPatch } from '../../../../app/policy/check-scope.ts';
import { type ApprovalRequest, listApprovals } from '../../../../policy/changes.ts';
import { checkPatch } from '../../../../policy/patches/patch-check.ts';
import { checkCommand } from '../../../../policy/shell/check-command.ts';
import { temporaryFolders } from '../../../../policy/shell/write-rules.ts';
import type { PolicyViolation } from '../../../../policy/violation.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readText } from '../../input-text.ts';
import { openPolicy } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

interface Verdict {
  readonly violations: readonly PolicyViolation[];
  /** Changes that are allowed, but that a reviewer has to approve. */
  readonly approvals: readonly ApprovalRequest[];
}

/** Reports whether a policy allows a shell line, and why not. */
export async function checkPolicyCommand(
  context: CommandContext,
  policies: readonly string[],
  line: string | null,
): Promise<ExitCode> {
  if (line === null)
    throw new CliError(
      'policy command takes one shell line',
      "give it in quotes: conductor policy command -- 'npm test'",
    );
  const opened = await openPolicy(context, policies);
  const cwd = await realpath(context.startDir);
  const { violations } = checkCommand(opened.policy, line, {
    workspace: opened.workspace,
    cwd,
    home: process.env.HOME ?? null,
    writable: [],
    temporary: temporaryFolders(undefined),
    protectedBranches: opened.protectedBranches,
  });
  return answer(context, { violations, approvals: [] });
}

/** Reports whether a policy allows a patch, and why not. */
export async function checkPolicyPatch(
  context: CommandContext,
  policies: readonly string[],
  patch: string | null,
): Promise<ExitCode> {
  if (patch === null)
    throw new CliError('policy check takes a patch', 'name it: conductor policy check --patch change.diff');
  const opened = await openPolicy(context, policies);
  const parsed = expectPatch({ name: patch, text: await readText(patch, 'patch') });
  return answer(context, {
    violations: checkPatch(opened.policy, parsed),
    approvals: listApprovals(opened.policy, parsed.changes),
  });
}

function answer(context: CommandContext, verdict: Verdict): ExitCode {
  const { violations, approvals } = verdict;
  const allowed = violations.length === 0;
  if (!context.json) printVerdict(context, verdict);
  else {
    const asked = approvals.length === 0 ? {} : { requires_approval: approvals };
    printJson(context, { allowed, violations, ...asked });
  }
  return allowed ? EXIT.success : EXIT.unsafe;
}

function printVerdict(
  { terminal: { out, paintOut } }: CommandContext,
  { violations, approvals }: Verdict,
): void {
  const needsApproval = approvals.length > 0;
  if (violations.length > 0) out(`${paintOut.red('✗')} not allowed\n`);
  else if (needsApproval) out(`${paintOut.yellow('?')} allowed, with approval\n`);
  else out(`${paintOut.green('✓')} allowed\n`);
  for (const { class: kind, message } of violations) out(`  ${kind}: ${printable(message)}\n`);
  for (const { path, glob } of approvals)
    out(`  requires_approval: ${printable(path)} is covered by ${printable(glob)}\n`);
}
