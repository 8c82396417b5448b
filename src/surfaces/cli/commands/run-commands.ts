import { STATE_FILTERS } from '../../../app/runs/listed-state.ts';
import { ENGINE_KINDS, STATS_DIMENSIONS } from '../../../contracts/vocabulary.ts';
import type { Registrar } from '../add-command.ts';
import {
  collect,
  collectInput,
  listed,
  number,
  oneOf,
  optional,
  REPORT_FORMATS,
  TRUST_OPTION,
  text,
  wholeCount,
} from '../option-values.ts';
import type { StatsFormat } from './run/stats.ts';

const STATS_FORMATS: readonly StatsFormat[] = ['text', 'html', 'json'];

/** Registers the commands of the group "Run a workflow". */
export function addRunCommands({ add }: Registrar): void {
  add(
    'run <workflow>',
    'run a workflow: a path, an id from .tnh/workflows, or a built-in id such as implement',
    'conductor run implement --input task="Add a --quiet flag"',
    async (context, [workflow], options) => {
      const { run } = await import('./run/run.ts');
      return run(context, text(workflow), {
        baseRef: text(options.baseRef),
        inputs: (options.input ?? {}) as Record<string, string>,
        title: optional(options.title),
        issue: issueOf(options),
        baseline: options.baseline !== false,
        wait: options.wait === true,
        detach: options.detach === true,
        engine: ENGINE_KINDS.find((kind) => kind === options.engine) ?? null,
      });
    },
  )
    .option('--base-ref <ref>', 'the commit to start from', 'HEAD')
    .option('--input <name=value>', 'an input for prompts; may be repeated', collectInput)
    .option('--title <text>', 'the title of the run (default: the first line of the task)')
    .option('--issue <n>', 'take task and title from an issue on the forge', wholeCount)
    .option('--trust-issue', 'accept an issue that no person with write access wrote or labelled')
    .option('--no-baseline', "don't run the validators on the base commit first")
    .option('--wait', 'wait at gates until they are answered; on a terminal, ask for the answer')
    .option('--detach', 'continue in a background process')
    .option(
      '--engine <kind>',
      `${ENGINE_KINDS.join(' or ')} (default: the configured one)`,
      oneOf(ENGINE_KINDS),
    )
    .option(...TRUST_OPTION);

  add(
    'resume <run>',
    'resume a run after a crash, an interruption or a gate',
    'conductor resume 0199ab',
    async (context, [run], options) => {
      const { resume } = await import('./run/resume.ts');
      return resume(context, text(run), { wait: options.wait === true, detach: options.detach === true });
    },
  )
    .option('--wait', 'wait at gates until they are answered; on a terminal, ask for the answer')
    .option('--detach', 'continue in a background process')
    .option(...TRUST_OPTION);

  add(
    'cancel <run>',
    "end a run; it can't be resumed",
    'conductor cancel 0199ab --comment "wrong branch"',
    async (context, [run], options) => {
      const { cancel } = await import('./run/cancel.ts');
      return cancel(context, text(run), optional(options.comment));
    },
  )
    .option('--comment <text>', 'why; recorded with the run')
    .option(...TRUST_OPTION);

  add(
    'pr <run>',
    'publish the work of a run as a pull request with its evidence, or update it',
    'conductor pr 0199ab',
    async (context, [run], options) => {
      const { pr } = await import('./run/pr.ts');
      return pr(context, text(run), { draft: options.ready === true ? false : null });
    },
  ).option('--ready', 'open it ready for review, and not as a draft');
}

function issueOf({ issue, trustIssue }: Readonly<Record<string, unknown>>) {
  return typeof issue === 'number' ? { number: issue, isTrusted: trustIssue === true } : null;
}

/** Registers the commands of the group "Look at runs". */
export function addLookCommands({ add }: Registrar): void {
  add(
    'status [run]',
    'show the state of a run, or of all that have not ended',
    'conductor status 0199ab --watch',
    async (context, [run], options) => {
      const { status } = await import('./run/status.ts');
      return status(context, run ?? null, options.watch === true);
    },
  ).option('--watch', 'follow until the run ends or waits; without RUN, until no process drives one');
  add(
    'runs',
    'list the runs of this repository, newest first',
    'conductor runs --state waiting --limit 20',
    async (context, _args, options) => {
      const { runs } = await import('./run/runs.ts');
      return runs(context, { state: optional(options.state), limit: number(options.limit) });
    },
  )
    .option(
      '--state <state>',
      `only runs with this state or outcome: ${STATE_FILTERS.join(', ')}`,
      oneOf(STATE_FILTERS),
    )
    .option('--limit <n>', 'only the newest', wholeCount);
  add(
    'show <run>',
    'show the path of a run, its evaluations with reasons, and its evidence',
    'conductor show 0199ab',
    async (context, [run]) => {
      const { show } = await import('./run/show.ts');
      return show(context, text(run));
    },
  );
  add(
    'report [runs...]',
    'report what ran, what came of it, what needs you and what it cost',
    'conductor report --since yesterday',
    async (context, runs, options) => {
      const { report } = await import('./run/report.ts');
      return report(context, runs, {
        since: optional(options.since),
        format: optional(options.format),
        allRepos: options.allRepos === true,
      });
    },
  )
    .option(
      '--since <time>',
      'a duration such as 12h, yesterday, or a date (default: the last report, at least 12h)',
    )
    .option('--format <format>', 'text, markdown, html or json', oneOf(REPORT_FORMATS))
    .option('--all-repos', 'every repository that you have run in');
  add(
    'logs <run> [step]',
    'print the output of agents and validators',
    'conductor logs 0199ab validate --follow',
    async (context, [run, step], options) => {
      const { logs } = await import('./run/logs.ts');
      return logs(context, text(run), step ?? null, options.follow === true);
    },
  ).option('--follow', 'keep printing while the run continues');
  add(
    'diff <run>',
    'print all changes of a run as a patch',
    'conductor diff 0199ab --stat',
    async (context, [run], options) => {
      const { diff } = await import('./run/diff.ts');
      return diff(context, text(run), { statOnly: options.stat === true, raw: options.raw === true });
    },
  )
    .option('--stat', 'only the files and their counts')
    .option('--raw', 'the unescaped patch, for a file or a pipe');
  add(
    'stats',
    'compare agents, models, prompts and workflows over all recorded runs',
    'conductor stats --by agent --since 30d',
    async (context, _args, options) => {
      const { stats } = await import('./run/stats.ts');
      return stats(context, {
        by: optional(options.by),
        since: optional(options.since),
        format: context.json ? 'json' : (options.format as StatsFormat),
      });
    },
  )
    .option('--by <what>', `only this table: ${STATS_DIMENSIONS.join(', ')}`, oneOf(STATS_DIMENSIONS))
    .option('--since <time>', 'only runs that started since: 12h, 30d, yesterday, 2026-11-18')
    .option('--format <format>', STATS_FORMATS.join(', '), oneOf(STATS_FORMATS), 'text');
  add(
    'replay <run>',
    'replay the record of a run, or find where another workflow would differ',
    'conductor replay 0199ab --against .tnh/workflows/implement.yaml',
    async (context, [run = ''], options) => {
      const { replay } = await import('./record/replay.ts');
      return replay(context, run, typeof options.against === 'string' ? options.against : null);
    },
  ).option('--against <file>', 'the other workflow');
  add(
    'verify <run>',
    'check the record of a run: hash chain, evidence and derived files',
    'conductor verify 0199ab',
    async (context, [run = '']) => {
      const { verify } = await import('./record/verify.ts');
      return verify(context, run);
    },
  );
}

/** Registers the commands of the group "Answer gates". */
export function addGateCommands({ add }: Registrar): void {
  add('gates', 'list the gates that wait for an answer', 'conductor gates', async (context) => {
    const { gates } = await import('./run/gates.ts');
    return gates(context);
  });
  add(
    'goldens <run>',
    'show the goldens that a run proposes, with their differences',
    'conductor goldens 0199ab',
    async (context, [run]) => {
      const { goldens } = await import('./run/goldens.ts');
      return goldens(context, text(run));
    },
  );
  for (const [name, answer] of [
    ['approve', 'gate_approved'],
    ['reject', 'gate_rejected'],
  ] as const) {
    add(
      `${name} <run>`,
      `${name} the open gate of a run`,
      `conductor ${name} 0199ab --comment "…" --resume`,
      async (context, [run], options) => {
        const { answerGate } = await import('./run/answer.ts');
        return answerGate(context, answer, text(run), {
          comment: optional(options.comment),
          as: optional(options.as),
          resume: options.resume === true,
        });
      },
    )
      .option('--comment <text>', 'why; recorded with the answer')
      .option('--as <name>', 'who answers (default: the name git uses)')
      .option('--resume', 'resume the run at once')
      .option(...TRUST_OPTION);
  }
  add(
    'serve',
    'serve a local page to watch runs and answer gates, and continue runs that were answered',
    'conductor serve --open',
    async (context, _args, options) => {
      if (options.sessions === true || options.revoke !== undefined) {
        const { manageSessions } = await import('./page/sessions.ts');
        return manageSessions(context, optional(options.revoke));
      }
      const { serve } = await import('./page/serve.ts');
      return serve(context, {
        port: number(options.port),
        host: optional(options.host),
        lan: options.lan === true ? true : optional(options.lan),
        repos: listed(options.repo),
        open: options.open === true,
        work: options.work === true,
        tls: options.tls === true,
        cert: optional(options.cert),
        key: optional(options.key),
        printCode: options.printCode === true,
      });
    },
    'no_repository',
  )
    .option('--repo <dir>', 'a repository to show; may be repeated (default: the current folder)', collect)
    .option('--port <n>', 'the port; 0 for any free one', wholeCount)
    .option('--host <address>', 'an address of this machine (default: 127.0.0.1)')
    .option('--lan [interface]', 'let other devices of a network reach the page')
    .option('--tls', 'encrypt with a generated certificate, and print its fingerprint')
    .option('--cert <file>', 'encrypt with this certificate, in PEM')
    .option('--key <file>', 'the private key of the certificate, in PEM')
    .option('--open', 'open the page in the browser')
    .option('--work', 'also plan, implement and review work items, like `work watch`')
    .option('--sessions', 'list the paired browsers')
    .option('--revoke <id>', 'end the session of a browser; `all` ends all of them')
    .option(...TRUST_OPTION)
    .option('--print-code', 'print the pairing code although standard error is no terminal');
}
