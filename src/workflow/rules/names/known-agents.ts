import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asText } from '../../../text/json.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';

const BUILTIN_AGENTS = ['claude-code', 'codex'] as const;

export const knownAgentsRule = defineRule({
  codes: { WF501: errorCode('an agent is unknown') },
  step: (step, { names, report }) => {
    const agent = asText(step.fields.agent);
    if (names === null || step.opcode !== 'RUN_AGENT' || agent === null || agent.trim() === '') return;
    if (names.agents.has(agent)) return;
    const known = [...names.agents, ...BUILTIN_AGENTS];
    if (known.includes(agent)) return;
    report('WF501', {
      message: `the agent \`${agent}\` is not configured`,
      at: valuePlace(step.path, 'agent'),
      help: () => suggest(didYouMean(agent, known)) ?? 'add it to `agents` in the configuration',
    });
  },
});
