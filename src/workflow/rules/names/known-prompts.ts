import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { type Rule, suggest, valuePlace } from '../../rule.ts';
import { asText, nameStep } from '../../workflow-view.ts';
import { promptForm } from '../steps/prompt-forms.ts';

const PLANNER_SCHEMA = 'planner_decision.v1';

export const knownPromptsRule: Rule = {
  step: (step, { names, report }) => {
    if (names === null || (step.opcode !== 'RUN_AGENT' && step.opcode !== 'EVALUATE')) return;
    const ref = asText(step.fields.prompt);
    if (ref === null || promptForm(ref) !== 'reference') return;
    const at = valuePlace(step.path, 'prompt');
    const prompt = names.prompts.get(ref);
    const role = step.opcode === 'RUN_AGENT' ? 'task' : 'planner';
    if (prompt === undefined) {
      // `keys` also lists files that are invalid, but `get` returns nothing for them.
      const broken = [...names.prompts.keys()].includes(ref);
      report('WF504', {
        message: `the prompt \`${ref}\` ${broken ? 'cannot be used: its file has errors' : 'is not known'}`,
        at,
        help: broken
          ? '`conductor validate` shows them when it is given that file'
          : (suggest(didYouMean(ref, names.prompts.keys())) ?? `write it to \`.tnh/prompts/${ref}.md\``),
      });
    } else if (prompt.role !== role) {
      report('WF505', {
        message: `the prompt \`${ref}\` has role \`${prompt.role}\`, but ${nameStep(step)} wants \`${role}\``,
        at,
        notes: ['RUN_AGENT takes `task` prompts, EVALUATE takes `planner` prompts'],
      });
    } else if (role === 'planner' && prompt.schemaRef !== PLANNER_SCHEMA) {
      const answer = prompt.schemaRef === null ? 'nothing' : `\`${prompt.schemaRef}\``;
      report('WF506', {
        message: `the prompt \`${ref}\` promises ${answer}, but EVALUATE wants \`${PLANNER_SCHEMA}\``,
        at,
        help: `set \`output_contract.schema_ref\` of the prompt to \`${PLANNER_SCHEMA}\``,
      });
    }
  },
};
