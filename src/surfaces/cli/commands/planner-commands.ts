import type { AddVerb } from '../add-command.ts';
import { CliError } from '../cli-error.ts';
import { TRUST_OPTION } from '../driving/trust-option.ts';
import { optional } from '../option-values.ts';

const PLANNER = 'rules (default), or model:NAME as the configuration has it';

/** Registers the verbs that use the planner without a run. */
export function addPlannerVerbs(verb: AddVerb): void {
  verb(
    'evaluate',
    'ask the planner alone: an envelope in, the decision on stdout',
    'conductor evaluate --input envelope.json',
    async (context, _args, options) => {
      const { evaluate } = await import('./planner/evaluate.ts');
      return evaluate(context, optional(options.input), optional(options.planner));
    },
  )
    .option('--input <file>', 'the envelope, or - for standard input')
    .option('--planner <name>', PLANNER)
    .option(...TRUST_OPTION);
  verb(
    'vectors [words...]',
    'judge a folder of vectors again and show what drifts; record RUN STEP makes one of a run',
    'conductor vectors record 0199ab judge',
    async (context, words, options) => {
      const [first, run, step, ...rest] = words;
      if (first !== 'record') {
        if (run !== undefined)
          throw new CliError('vectors takes one folder', 'conductor vectors --help shows how it is used');
        const { vectors } = await import('./planner/vectors.ts');
        return vectors(context, first ?? null, optional(options.planner));
      }
      if (run === undefined || step === undefined || rest.length > 0)
        throw new CliError(
          'vectors record takes a run and a step',
          'conductor vectors record RUN STEP; conductor show RUN lists the steps',
        );
      const { recordVector } = await import('./planner/vectors-record.ts');
      return recordVector(context, run, step, optional(options.out));
    },
  )
    .option('--planner <name>', PLANNER)
    .option(...TRUST_OPTION)
    .option('--out <file>', 'for record: where to write it (default: .tnh/vectors/)');
}
