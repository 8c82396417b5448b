import type { AddVerb } from './add-verb.ts';
import { optional, text } from './option-values.ts';
import { TRUST_OPTION } from './trust-option.ts';

/** Verbs for those who write harnesses in another language than the kit's. */
export function addHarnessVerbs(verb: AddVerb): void {
  verb(
    'harness <action> [suite]',
    'run the cases of a suite file (run) and write a harness report',
    'conductor harness run suite.yaml --report harness_report.json',
    async (context, [action, suite], options) => {
      const { harness } = await import('./verbs/harness.ts');
      return harness(context, text(action), suite ?? null, {
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
