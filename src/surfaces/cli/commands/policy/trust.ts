import type { OpenTrust, TrustedRepository } from '../../../../app/trust.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openTrust } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable } from '../../output/terminal.ts';
import { trustLines } from '../../output/trust-lines.ts';

interface TrustOptions {
  readonly list: boolean;
  readonly revoke: boolean;
}

/** Shows what the repository may execute, and records the user's approval of all of it. */
export async function trust(context: VerbContext, { list, revoke }: TrustOptions): Promise<ExitCode> {
  if (list && revoke) throw new CliError('--list and --revoke exclude each other', 'give one of them');
  const services = await context.services();
  if (list) return listTrusted(context, await services.listTrusted());
  const opened = await openTrust(context, {
    configuration: true,
    workflows: [],
    allWorkflows: true,
    work: true,
    suite: null,
  });
  // An agent must not be able to approve or revoke for the user.
  if (opened.isInsideRun())
    throw new CliError("a process of a run can't change what is trusted", 'run this in your own terminal');
  if (revoke) {
    const revoked = await services.revokeTrust(context.startDir);
    report(context, { ...opened, parts: [] }, { trusted: false });
    context.terminal.err(
      revoked
        ? `${opened.repository} is no longer trusted\n`
        : `${opened.repository} was not trusted; nothing was changed\n`,
    );
    return EXIT.success;
  }
  await opened.say(opened.parts);
  report(context, opened, { trusted: true });
  return EXIT.success;
}

function report(
  context: VerbContext,
  { repository, parts }: OpenTrust,
  { trusted }: { readonly trusted: boolean },
): void {
  const { terminal } = context;
  if (context.json) {
    const listed = parts.map(({ kind, name, text, digest, state, before }) => ({
      kind,
      name,
      text,
      digest,
      state,
      before,
    }));
    printJson(context, { repository, trusted, parts: listed });
    return;
  }
  if (!trusted) return;
  const added = parts.filter(({ state }) => state !== 'trusted');
  terminal.out(
    parts.length === 0
      ? `nothing in ${printable(repository)} executes by itself\n`
      : `${printable(repository)} may execute:\n${trustLines(terminal.paintOut, parts)}`,
  );
  terminal.err(
    added.length === 0
      ? 'all of this was trusted before\n'
      : 'trusted; conductor trust --revoke removes the approval\n',
  );
}

function listTrusted(context: VerbContext, repositories: readonly TrustedRepository[]): ExitCode {
  if (context.json) {
    printJson(context, {
      repositories: repositories.map(({ repository, trustedAt, parts }) => ({
        repository,
        trusted_at: trustedAt,
        parts: parts.map(({ kind, name, text, digest, trusted_at }) => ({
          kind,
          name,
          text,
          digest,
          trusted_at,
        })),
      })),
    });
    return EXIT.success;
  }
  if (repositories.length === 0) context.terminal.err('no repository is trusted yet\n');
  const rows = repositories.map(({ repository, trustedAt, parts }) => [
    printable(repository),
    trustedAt,
    `${parts.length} ${parts.length === 1 ? 'part' : 'parts'}`,
  ]);
  context.terminal.out(renderTable(rows, ''));
  return EXIT.success;
}
