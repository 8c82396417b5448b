import type { ItemActionDocument } from '../../contracts/http/work-page.ts';
import type { WorkStatus } from '../../contracts/work/work-item.ts';
import type { Answerer } from '../../ports/answerer.ts';
import { refuseAnswer } from '../../runtime/gates/refuse-answer.ts';
import type { WorkEngine } from '../../runtime/work/work-engine.ts';
import type { Outcome } from '../../work/engine/protocol.ts';
import { findUnmergedBlockers } from '../../work/items/stack.ts';
import type { ItemRecord } from '../../work/items/state.ts';
import type { OpenWork } from '../work/opened-work.ts';

/** What a user does with an item, as with the commands of `conductor work`. */
export type ItemAction =
  | { readonly kind: 'transition'; readonly to: WorkStatus; readonly reason: string }
  | { readonly kind: 'merge'; readonly withBlockers: boolean }
  | { readonly kind: 'scope'; readonly paths: readonly string[]; readonly reason: string };

type Command = Parameters<WorkEngine['executeCommand']>[0];

/** Who acts: the name is recorded, and where the answer came from. */
export interface Person {
  readonly name: string;
  readonly answerer: Answerer;
}

/** Executes an action of a user; null if there is no such item. A refusal says what was done before it. */
export async function actOnItem(
  { engine, answers, history }: Pick<OpenWork, 'engine' | 'answers' | 'history'>,
  itemId: string,
  action: ItemAction,
  { name, answerer }: Person,
): Promise<ItemActionDocument | null> {
  const obstacle = refuseAnswer(answerer, answers);
  if (obstacle !== null) return { ok: false, message: obstacle.message, help: obstacle.help, events: [] };
  // First complete unfinished commands and record ended runs: guards must see the current state.
  await engine.recover();
  const { state } = await engine.snapshot();
  const known = state.items.get(itemId);
  if (known === undefined) return null;
  const blockers =
    action.kind === 'merge' && action.withBlockers ? findUnmergedBlockers(state, known.item) : [];
  let refused: Exclude<Outcome, { kind: 'done' | 'done_before' }> | null = null;
  for (const command of commandsFor(itemId, action, blockers)) {
    const outcome = await engine.executeCommand(command, name, undefined, answerer.origin);
    if (outcome.kind === 'done' || outcome.kind === 'done_before') continue;
    refused = outcome;
    break;
  }
  await engine.recover();
  const events = (await history()).filter(({ seq }) => seq > state.seq);
  return {
    ok: refused === null,
    message: refused?.reason ?? null,
    help: refused === null ? null : (refused.help ?? `conductor work show ${itemId} shows its state`),
    events: events.map(({ seq, event }) => ({ seq, type: event.type })),
  };
}

function commandsFor(itemId: string, action: ItemAction, blockers: readonly ItemRecord[]): Command[] {
  switch (action.kind) {
    case 'transition': {
      const reason = action.reason.trim() === '' ? 'moved by hand, without a reason' : action.reason;
      return [{ kind: 'transition', itemId, to: action.to, reason }];
    }
    case 'merge':
      return [...blockers.map(({ item }) => item.id), itemId].map((id) => ({ kind: 'merge', itemId: id }));
    case 'scope':
      return action.paths.map((path) => ({
        kind: 'extend_scope',
        itemId,
        path,
        reason: action.reason.trim(),
      }));
  }
}
