import { type DevEngine, type EngineUp, setUpEngine } from '../../../../app/engine/engine-setup.ts';
import { formatCommand } from '../../../../text/shell-words.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWith } from '../../open.ts';
import { printable, printLines, stderrOf } from '../../output/terminal.ts';

/** Sets up the configured engine, or with `--dev` a PostgreSQL server of this user on this machine. */
export async function engineUp(
  context: CommandContext,
  { dev }: { readonly dev: boolean },
): Promise<ExitCode> {
  const setup = await openWith(context, (services, startDir) => services.openEngine(startDir));
  if (setup.kind === 'embedded' && !dev) {
    if (context.json) printJson(context, { kind: 'embedded', from: null, to: null, problems: [], dev: null });
    else
      context.terminal.err(
        'the engine is embedded: runs are kept in this repository, and there is nothing to set up\n',
      );
    return EXIT.success;
  }
  const server = dev ? await setup.startDevServer() : null;
  const up = await setUpEngine(
    await setup.openAdmin(server?.url),
    // The places of a server for one machine are made with it.
    server === null ? setup.checkPlaces : async () => [],
  );
  report(context, up, server);
  return up.problems.length === 0 ? EXIT.success : EXIT.failed;
}

function report(context: CommandContext, { migration, problems }: EngineUp, server: DevEngine | null): void {
  const { from, to } = migration;
  if (context.json) {
    const dev =
      server === null
        ? null
        : {
            url: server.url,
            is_started: server.isStarted,
            stop: [...server.stop],
            environment: server.environment,
          };
    printJson(context, { kind: 'postgres', from, to, problems, dev });
    return;
  }
  const notes = stderrOf(context.terminal);
  printLines(notes, [
    from === to ? `the tables have version ${to}` : `the tables were brought from version ${from} to ${to}`,
    ...problems.flatMap(({ message, help }) => [
      `${notes.paint.red('problem:')} ${printable(message)}`,
      `  ${notes.paint.dim('help:')} ${printable(help)}`,
    ]),
    ...(problems.length === 0 ? ['the engine is ready; start workers with conductor worker'] : []),
  ]);
  if (server === null) return;
  printLines(notes, [
    `PostgreSQL ${server.isStarted ? 'was started' : 'is running'}; stop it with ${formatCommand([...server.stop])}`,
    'use it in this shell with eval "$(conductor engine up --dev)"',
  ]);
  for (const [name, value] of Object.entries(server.environment))
    context.terminal.out(`export ${formatCommand([`${name}=${value}`])}\n`);
}
