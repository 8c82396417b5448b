import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';

export const entryStepRule = defineRule({
  codes: { WF103: errorCode('the entry step is not declared') },
  workflow: ({ view, report }) => {
    const { entryStep } = view;
    if (entryStep === null || view.steps.length === 0 || view.stepsById.has(entryStep)) return;
    const suggestion = didYouMean(entryStep, view.stepsById.keys());
    if (view.nameless && suggestion === null) return;
    report('WF103', {
      message: `the entry step \`${entryStep}\` is not declared`,
      at: valuePlace(['entry_step']),
      help: suggest(suggestion),
    });
  },
});
