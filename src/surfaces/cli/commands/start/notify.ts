import { testTargets } from '../../../../app/test-notify.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { whileWatching } from '../../driving/watching.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

const EXAMPLE = `notify:
  - { kind: ntfy, url: "https://ntfy.sh/my-topic" }       # a topic name that is hard to guess
  - { kind: slack, url_env: SLACK_WEBHOOK }
  - { kind: webhook, url: "https://example.com/hook", secret_env: HOOK_SECRET }
  - { kind: desktop, on: [gate, question] }
`;

/** Sends one notification to each target and prints a line for each. */
export async function testNotify(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  await ensureTrust(context, { configuration: 'notify' });
  const { deps, ids, repoRoot } = await openProject(context);
  const notifier = deps.project.notify;
  if (notifier === null) {
    if (context.json) printJson(context, { ok: false, targets: [] });
    terminal.err(
      'no target is configured; put those that you want into conductor/config.yaml in your configuration folder\n($XDG_CONFIG_HOME, or ~/.config):\n\n',
    );
    if (!context.json) terminal.out(EXAMPLE);
    return EXIT.failed;
  }
  const trials = await whileWatching((signal) =>
    testTargets(notifier, { repoRoot, key: ids.newRunId() }, signal),
  );
  const ok = trials.every((trial) => trial.ok);
  if (context.json) printJson(context, { ok, targets: trials });
  else
    for (const trial of trials)
      terminal.out(
        trial.ok
          ? `${terminal.paintOut.green('✓')} ${printable(trial.target)}: sent\n`
          : `${terminal.paintOut.red('✗')} ${printable(trial.target)}: ${printable(trial.message ?? '')}\n`,
      );
  return ok ? EXIT.success : EXIT.failed;
}
