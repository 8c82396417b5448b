import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asText } from '../../../text/json.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';
import { promptForm } from '../steps/prompt-forms.ts';

const PLANNER_SCHEMA = 'planner_decision.v1';

export const knownPromptsRule = defineRule({
  codes: {
    WF504: errorCode('a prompt is unknown'),
    WF505: errorCode('a prompt has the wrong role'),
    WF506: errorCode('a planner prompt does not answer with a planner decision'),
  },
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
        message: `the prompt \`${ref}\` ${broken ? 'cannot be used: its file has errors' : 'is unknown'}`,
        at,
        help: broken
          ? 'run `conductor validate` on that file to see them'
          : (suggest(didYouMean(ref, names.prompts.keys())) ?? `create \`.tnh/prompts/${ref}.md\``),
      });
    } else if (prompt.role !== role) {
      report('WF505', {
        message: `the prompt \`${ref}\` has role \`${prompt.role}\`, but ${nameStep(step)} needs \`${role}\``,
        at,
        notes: ['RUN_AGENT takes `task` prompts, EVALUATE takes `planner` prompts'],
      });
    } else if (role === 'planner' && prompt.schemaRef !== PLANNER_SCHEMA) {
      const declared =
        prompt.schemaRef === null ? 'no output schema' : `the output schema \`${prompt.schemaRef}\``;
      report('WF506', {
        message: `the prompt \`${ref}\` declares ${declared}, but EVALUATE needs \`${PLANNER_SCHEMA}\``,
        at,
        help: `set \`output_contract.schema_ref\` of the prompt to \`${PLANNER_SCHEMA}\``,
      });
    }
  },
});
