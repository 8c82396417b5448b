import type { ForgeIssue } from '../../forge/forge-values.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { IntentJournal } from '../../ports/forge/intents.ts';
import type { ItemBranches } from '../../ports/work/item-branches.ts';
import type { ProviderItem } from '../../ports/work/work-provider.ts';
import { planLabelSteps } from '../../work/forge/issue-labels.ts';
import { type IssueContext, planIssue } from '../../work/forge/item-issue.ts';
import type { ForgeMemory } from './memory.ts';

/** What reading from the forge and writing to it have in common. */

export interface ForgeDeps {
  readonly forge: Forge;
  readonly intents: IntentJournal;
  readonly branches: ItemBranches;
  readonly clock: Clock;
}

export interface Projection extends ForgeDeps {
  readonly memory: ForgeMemory;
  readonly save: () => Promise<void>;
  /** How many more writes this call may send: the lock of the journal is held meanwhile. */
  writesLeft: number;
}

export function contextOf(memory: ForgeMemory): IssueContext {
  return { owner: memory.owner, numberOf: (id) => memory.issues[id]?.number ?? null };
}

/** Whether the forge shows the item as it is. */
export function isProjected(memory: ForgeMemory, item: ProviderItem): boolean {
  const known = memory.issues[item.item.id];
  if (known === undefined) return false;
  const plan = planIssue(item, contextOf(memory));
  const { add, remove } = planLabelSteps(plan.labels, known.labels);
  return add.length + remove.length === 0 && plan.state === known.state && textSha(plan) === known.wroteSha;
}

export function rememberIssue({ number, title, body, labels, state }: ForgeIssue) {
  return { number, title, bodySha: sha256Hex(body), labels: [...labels], state };
}

export function textSha({ title, body }: { readonly title: string; readonly body: string }): string {
  return sha256Hex(`${title}\0${body}`);
}
