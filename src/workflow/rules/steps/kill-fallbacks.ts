import { warningCode } from '../../../diagnostics/codes.ts';
import { asObject } from '../../../text/json.ts';
import { nameSome } from '../../../text/name-some.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep, type WorkflowStepView } from '../../workflow-view.ts';

const KILLS = ['killed_timeout', 'killed_idle', 'killed_policy'] as const;

/** Steps that one line names; the notes name them all. */
const MAX_NAMED = 20;

/** A step whose kills take its `error` route because it has no routes for them. */
interface Fallback {
  readonly step: WorkflowStepView;
  /** Such as `` `killed_timeout` and `killed_idle` ``. */
  readonly kills: string;
  /** Such as ``it falls back to the `error` route, to `STOP` ``. */
  readonly note: string;
}

/** A fallback is fine, but never silent: one warning names every step that has one. */
export const killFallbacksRule = defineRule({
  codes: { WF203: warningCode('a kill falls back to the error route') },
  workflow: ({ view, report }) => {
    const [first, ...others] = view.steps.flatMap(findFallback);
    if (first === undefined) return;
    const all = [first, ...others];
    report('WF203', {
      message: composeMessage(all),
      at: { path: [...first.step.path, 'routes'], part: 'key' },
      related: [{ message: 'the fallback', at: valuePlace(first.step.path, 'routes', 'error') }],
      notes: others.length === 0 ? [first.note] : composeNotes(all),
      help: 'add the routes to make it explicit',
    });
  },
});

function findFallback(step: WorkflowStepView): Fallback[] {
  const { opcode } = step;
  if (opcode !== 'RUN_AGENT' && opcode !== 'RUN_VALIDATION' && opcode !== 'ROLLBACK') return [];
  const routes = asObject(step.fields.routes);
  // A step without an error route has nothing to fall back to, and that is reported already.
  if (!Object.hasOwn(routes, 'error')) return [];
  const missing = KILLS.filter((key) => !Object.hasOwn(routes, key)).map((key) => `\`${key}\``);
  if (missing.length === 0) return [];
  const target = typeof routes.error === 'string' ? `, to \`${routes.error}\`` : '';
  const verb = missing.length > 1 ? 'they fall' : 'it falls';
  return [{ step, kills: joinNames(missing), note: `${verb} back to the \`error\` route${target}` }];
}

function composeMessage(fallbacks: readonly Fallback[]): string {
  const [first] = fallbacks;
  const kills = new Set(fallbacks.map((each) => each.kills));
  const what =
    kills.size === 1 ? (first?.kills ?? '') : `some of ${joinNames(KILLS.map((key) => `\`${key}\``))}`;
  if (fallbacks.length === 1 && first !== undefined)
    return `${nameStep(first.step)} has no route for ${what}`;
  return `${fallbacks.length} steps have no route for ${what}: ${nameSome(fallbacks.map(shortName), MAX_NAMED)}`;
}

/** One note for the steps that lack the same routes and fall back to the same step. */
function composeNotes(fallbacks: readonly Fallback[]): string[] {
  const groups = new Map<string, string[]>();
  for (const each of fallbacks) {
    const text = `no route for ${each.kills}; ${each.note}`;
    const names = groups.get(text);
    if (names === undefined) groups.set(text, [shortName(each)]);
    else names.push(shortName(each));
  }
  return [...groups].map(([text, names]) => `${joinNames(names)}: ${text}`);
}

function shortName({ step }: Fallback): string {
  return step.id === null ? nameStep(step) : `\`${step.id}\``;
}

function joinNames(names: readonly string[]): string {
  if (names.length <= 1) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
