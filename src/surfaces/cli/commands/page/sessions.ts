import { createSessions } from '../../../http/sessions.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { formatAge, printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

/** Lists the paired browsers, or ends the session of one. A server that runs closes its streams at once. */
export async function manageSessions(context: CommandContext, revoke: string | null): Promise<ExitCode> {
  const { sessions: store } = await (await context.services()).pageTools();
  const sessions = createSessions(store, () => new Date());
  if (revoke !== null) {
    const wanted = (await sessions.list()).filter(({ id }) => revoke === 'all' || id === revoke);
    if (wanted.length === 0 && revoke !== 'all')
      throw new CliError(
        `no session has the id "${revoke}"`,
        'conductor serve --sessions lists them; --revoke all ends all of them',
      );
    for (const { id } of wanted) await sessions.revoke(id);
  }
  const left = await sessions.list();
  if (context.json) {
    printJson(context, {
      sessions: left.map(({ id, name, rights, created_at, from }) => ({
        id,
        name,
        rights,
        created_at,
        from,
      })),
    });
    return EXIT.success;
  }
  const output = stdoutOf(context.terminal);
  if (left.length === 0) printLines(stderrOf(context.terminal), ['no browser is paired']);
  const now = Date.now();
  output.write(
    renderTable(
      left.map(({ id, name, rights, created_at, from }) => [
        id,
        printable(name),
        rights === 'answer' ? 'looks and answers' : 'looks',
        `paired ${formatAge(now - Date.parse(created_at))} ago from ${from}`,
      ]),
      '',
      { width: output.width, drop: [], shorten: 1 },
    ),
  );
  return EXIT.success;
}
