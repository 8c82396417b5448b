import {
  findUntrustedParts,
  type OpenTrust,
  TRUST_CONFIGURATION,
  type TrustRequest,
} from '../../../app/trust.ts';
import { formatCommand } from '../../../text/shell-words.ts';
import type { ComparedPart } from '../../../trust/compare-parts.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { openTrust } from '../open.ts';
import { trustLines } from '../output/trust-lines.ts';

/**
 * Returns if the user trusts the repository with everything that the command is about to execute. Asks on a terminal;
 * throws if the user declines or can't be asked. Call it before the command executes, creates or changes anything.
 */
export async function ensureTrust(
  context: CommandContext,
  wanted: Partial<TrustRequest> = {},
): Promise<void> {
  const trust = await openTrust(context, { ...TRUST_CONFIGURATION, ...wanted });
  if (trust.grantedBy !== null) return;
  const untrusted = findUntrustedParts(trust);
  if (untrusted.length > 0) await askForTrust(context, trust, untrusted);
  await trust.approve(untrusted);
}

/** Trusts what conductor itself has just written, without asking the user. */
export async function trustOwnFiles(
  context: CommandContext,
  wanted: Partial<TrustRequest>,
  isOwn: (part: ComparedPart) => boolean,
): Promise<void> {
  const trust = await openTrust(context, { ...TRUST_CONFIGURATION, ...wanted });
  await trust.approve(trust.parts.filter(isOwn));
}

async function askForTrust(
  context: CommandContext,
  trust: OpenTrust,
  untrusted: readonly ComparedPart[],
): Promise<void> {
  const { terminal } = context;
  if (trust.isInsideRun())
    throw new CliError(
      `${trust.repository} is not trusted with what this command would execute, and a process of a run can't change that`,
      'run conductor trust in your own terminal',
    );
  const isKnown = untrusted.some(({ state }) => state === 'changed') || untrusted.length < trust.parts.length;
  const head = isKnown
    ? `${trust.repository} is trusted, but what it executes has changed:`
    : `${trust.repository} is not trusted yet. Because of its files, this command would execute:`;
  terminal.err(`${head}\n${trustLines(terminal.paint, untrusted)}`);
  if (!isKnown && (await trust.hasRunBefore()))
    terminal.err(
      'Runs have ended here before. conductor now asks once before it executes commands from a repository.\n',
    );
  if (context.isTrustGiven === true) {
    terminal.err('trusted, because --trust was given\n');
    return;
  }
  if (!terminal.interactive)
    throw new CliError(
      "the repository is not trusted with this, and conductor can't ask without a terminal; nothing was executed or changed",
      `trust it with ${commandWithTrust()}; in CI set CONDUCTOR_TRUST=1; conductor trust trusts the whole repository`,
    );
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: `Do you trust ${trust.repository} with this?`,
    initialValue: false,
    output: process.stderr,
  });
  if (isCancel(answer) || !answer)
    throw new CliError(
      'the repository is not trusted; nothing was executed or changed',
      'conductor trust shows everything that it may execute, and asks again',
    );
}

/** This command line with `--trust` added. */
function commandWithTrust(): string {
  return formatCommand(['conductor', ...process.argv.slice(2), '--trust']);
}
