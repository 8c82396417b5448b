import type { AgentTrial } from '../../../../app/try-agent.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { whileWatching } from '../../driving/watching.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWith } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { formatDuration, printable } from '../../output/terminal.ts';

/** Lets a configured agent write one file, and reports the result. */
export async function testAgent(context: VerbContext, name: string): Promise<ExitCode> {
  const { terminal } = context;
  await ensureTrust(context);
  const trial = await whileWatching((signal) =>
    openWith(context, (services, startDir) =>
      services.tryAgent(startDir, {
        name,
        signal,
        onLine: (line) => terminal.err(`${terminal.paint.dim(printable(line))}\n`),
      }),
    ),
  );
  if (context.json) printJson(context, { ...trial });
  else terminal.out(textOf(context, trial));
  if (trial.termination === 'cancelled') return EXIT.interrupted;
  return trial.ok ? EXIT.success : EXIT.failed;
}

function textOf({ terminal: { paintOut: paint } }: VerbContext, trial: AgentTrial): string {
  const head = trial.ok
    ? `${paint.green('✓')} ${trial.agent} works`
    : `${paint.red('✗')} ${trial.agent} failed`;
  const { usage, failure } = trial;
  const tokens = (count: number | undefined) => (count === undefined ? 'unknown' : String(count));
  const rows: (readonly [string, string | null])[] = [
    ['kind', trial.kind],
    ['version', trial.version],
    ['ended', trial.termination],
    [
      'file',
      trial.wrote_file === null
        ? null
        : trial.wrote_file
          ? 'written as requested'
          : 'not written as requested',
    ],
    ['session', sessionText(trial)],
    ['time', trial.duration_ms === null ? null : formatDuration(trial.duration_ms)],
    ['tokens', `${tokens(usage?.input_tokens)} in, ${tokens(usage?.output_tokens)} out`],
    ['cost', usage?.cost_usd === undefined ? 'unknown' : `${usage.cost_usd} USD`],
    ['sandbox', trial.sandboxed ? 'the agent ran in one' : 'none'],
    ['last message', trial.final === '' ? null : trial.final],
    ['reason', trial.reason],
    ['failure', failure === null ? null : failure.class],
    ['help', failure?.help ?? startHelp(trial)],
  ];
  const shown = rows.flatMap(([label, value]) =>
    value === null ? [] : [[paint.dim(label), printable(value.split('\n')[0] ?? '')]],
  );
  return `${head}\n${renderTable(shown, '  ')}`;
}

function sessionText({ continues_session, session_reason }: AgentTrial): string | null {
  if (continues_session === null) return null;
  if (continues_session) return 'a second visit continued it';
  return `a second visit did not continue it${session_reason === null ? '' : `: ${session_reason}`}`;
}

function startHelp({ ok, termination }: AgentTrial): string | null {
  return ok || termination !== null
    ? null
    : 'conductor doctor reports what is installed, and how to get what is missing';
}
