import type { AddVerb } from '../add-command.ts';

/** Registers the verbs that check the record of a run, by itself or against another workflow. */
export function addRecordVerbs(verb: AddVerb): void {
  verb(
    'replay <run>',
    'decide a recorded run again; with another workflow, find the first route that differs',
    'conductor replay 0199ab --against .tnh/workflows/implement.yaml',
    async (context, [run = ''], options) => {
      const { replay } = await import('./record/replay.ts');
      return replay(context, run, typeof options.against === 'string' ? options.against : null);
    },
  ).option('--against <file>', 'a workflow to lead the recorded run through');
  verb(
    'verify <run>',
    'check the record of a run: its chain, its evidence and what is derived from it',
    'conductor verify 0199ab',
    async (context, [run = '']) => {
      const { verify } = await import('./record/verify.ts');
      return verify(context, run);
    },
  );
}
