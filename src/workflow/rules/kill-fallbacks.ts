import { type Rule, valuePlace } from '../rule.ts';
import { asMapping, nameStep } from '../workflow-view.ts';

const KILLS = ['killed_timeout', 'killed_idle', 'killed_policy'] as const;

/** Warns, once per step, if kill routes fall back to `error`: a fallback is allowed, but not silent. */
export const killFallbacksRule: Rule = {
  step: (step, { report }) => {
    const { opcode } = step;
    if (opcode !== 'RUN_AGENT' && opcode !== 'RUN_VALIDATION' && opcode !== 'ROLLBACK') return;
    const routes = asMapping(step.fields.routes);
    // Without an error route there is no fallback; the schema check reports that.
    if (!Object.hasOwn(routes, 'error')) return;
    const missing = KILLS.filter((key) => !Object.hasOwn(routes, key)).map((key) => `\`${key}\``);
    if (missing.length === 0) return;
    const target = typeof routes.error === 'string' ? `, to \`${routes.error}\`` : '';
    report('WF203', {
      message: `${nameStep(step)} has no route for ${joinWords(missing)}`,
      at: { path: [...step.path, 'routes'], part: 'key' },
      related: [{ message: 'the fallback', at: valuePlace(step.path, 'routes', 'error') }],
      notes: [`${missing.length > 1 ? 'they fall' : 'it falls'} back to the \`error\` route${target}`],
      help: `add ${missing.length > 1 ? 'the routes' : 'the route'} to make it explicit`,
    });
  },
};

function joinWords(words: readonly string[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
