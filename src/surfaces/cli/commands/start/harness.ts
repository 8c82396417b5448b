import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Case } from '../../../../../harness/case.ts';
import { runSuite } from '../../../../../harness/harness.ts';
import type { HarnessSuite } from '../../../../contracts/documents/harness-suite.ts';
import { MARK_VARIABLE } from '../../../../contracts/run/process-mark.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { renderJson } from '../../../../diagnostics/render-json.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { commandLine } from '../../../../text/shell-words.ts';
import { type CheckedSuite, checkSuite } from '../../../../workflow/document/suite-document.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printRefusal } from '../../output/refused-document.ts';

interface HarnessOptions {
  readonly report: string | null;
  readonly out: string | null;
  readonly only: string | null;
}

/** Runs a suite file in the current folder, or the one that `--repo` names. */
export async function runHarness(
  context: VerbContext,
  path: string | null,
  options: HarnessOptions,
): Promise<ExitCode> {
  if (path === null)
    throw new CliError('harness run takes a suite file', 'name it: conductor harness run suite.yaml');
  const checked = checkSuite({ name: path, bytes: await readSuite(path) });
  if (checked.suite === null) return refuse(context, path, checked);
  const { suite } = checked;
  checkCase(suite, options.only);
  const { terminal } = context;
  // Inside a run, the caller was trusted together with the run. Agents may have written the suite since.
  if (process.env[MARK_VARIABLE] === undefined)
    await ensureTrust(context, { configuration: false, suite: { path: resolve(path), suite } });
  const { report, reportPath, exitCode } = await runSuite({
    suiteId: suite.suite_id,
    cases: suite.cases.map(caseOf),
    cwd: context.startDir,
    env: process.env,
    options: {
      goldens: suite.goldens,
      report: options.report ?? undefined,
      out: options.out ?? undefined,
      only: options.only ?? undefined,
    },
    repro: (id) =>
      commandLine(['conductor', 'harness', 'run', relativePath(context.startDir, path), '--case', id]),
    print: context.json ? terminal.err : terminal.out,
  });
  if (context.json) printJson(context, { ok: exitCode === 0, report_path: reportPath, report });
  return exitCode === 0 ? EXIT.success : EXIT.failed;
}

/** The path relative to the folder; absolute if it is outside. */
function relativePath(folder: string, path: string): string {
  const inside = relative(folder, resolve(path));
  return inside.startsWith('..') ? resolve(path) : inside;
}

async function readSuite(path: string): Promise<Uint8Array> {
  try {
    return await readFile(resolve(path));
  } catch {
    throw new CliError(`the suite ${path} can't be read`, 'name a YAML or JSON file');
  }
}

function refuse(context: VerbContext, path: string, { diagnostics, text }: CheckedSuite): ExitCode {
  const { terminal } = context;
  if (context.json) {
    const document = renderJson([{ path, diagnostics }]);
    terminal.out(`${formatJson(document)}\n`);
  } else printRefusal(terminal, { name: path, text, diagnostics });
  return EXIT.usage;
}

function checkCase({ cases }: HarnessSuite, only: string | null): void {
  const ids = cases.map(({ id }) => id);
  if (only === null || ids.includes(only)) return;
  const near = didYouMean(only, ids);
  const help = near === null ? `its cases are ${ids.join(', ')}` : `did you mean ${near}?`;
  throw new CliError(`the suite has no case "${only}"`, help);
}

function caseOf(declared: HarnessSuite['cases'][number]): Case {
  const { id } = declared;
  switch (declared.kind) {
    case 'cli':
      return { kind: 'cli', id, options: declared };
    case 'web':
      return { kind: 'web', id, options: declared };
    case 'docs':
      return { kind: 'docs', id, options: declared };
  }
}
