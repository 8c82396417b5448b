import type { VerbGroup } from '../add-command.ts';
import { TRUST_OPTION } from '../driving/trust-option.ts';
import { optional } from '../option-values.ts';

/** Registers the verbs for suite files: harnesses that can't use the harness kit because of their language. */
export function addHarnessVerbs(group: VerbGroup): void {
  const verb = group('harness', 'run a harness suite', 'conductor harness run suite.yaml');
  verb(
    'run [suite]',
    'run the cases of a suite file and write a harness report',
    'conductor harness run suite.yaml --report harness_report.json',
    async (context, [suite], options) => {
      const { runHarness } = await import('./start/harness.ts');
      return runHarness(context, suite ?? null, {
        report: optional(options.report),
        out: optional(options.out),
        only: optional(options.case),
      });
    },
  )
    .option('--report <file>', 'where the report goes (default: harness_report.json in the out folder)')
    .option('--out <dir>', 'where screenshots, logs and proposals go')
    .option('--case <id>', 'only this case')
    .option(...TRUST_OPTION);
}
