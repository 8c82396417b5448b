import type { ProviderRequest, RequestAnswer } from '../items/provider-values.ts';
import type { WorkState } from '../items/state.ts';
import type { RequestedCommand, WorkCommand } from './command.ts';
import type { Outcome } from './protocol.ts';

/** The prefix of commands that were asked for at the provider. A provider knows its own requests by it. */
export const ASKED = 'asked/';

/** Refusals that pass by themselves: the request stays open and is judged again. */
const PASSING: readonly string[] = ['item_active'];

/**
 * What a person asks for at a provider is a command of that person: it passes the same guards and the same status table
 * as on the command line. Null if it is about a commit that is not the current one any more.
 */
export function createAskedCommand(
  state: WorkState,
  request: ProviderRequest,
  maxRounds: number,
): RequestedCommand | null {
  const command = createCommand(state, request, maxRounds);
  if (command === null) return null;
  return { key: `${ASKED}${request.key}`, by: { kind: 'person', name: request.by }, command };
}

function createCommand(state: WorkState, request: ProviderRequest, maxRounds: number): WorkCommand | null {
  const { itemId } = request;
  switch (request.kind) {
    case 'transition':
      return { kind: 'transition', itemId, to: request.to, reason: request.reason };
    case 'extend_scope':
      return { kind: 'extend_scope', itemId, path: request.path, reason: request.reason };
    case 'merge':
      return { kind: 'merge', itemId };
    case 'review': {
      const { revisionId, headSHA, review } = request;
      if (state.revisions.get(revisionId)?.headSHA !== headSHA) return null;
      return {
        kind: 'apply_reviewer_result',
        runId: `${ASKED}${request.key}`,
        itemId,
        revisionId,
        result: { role: 'reviewer', review },
        maxRounds,
      };
    }
  }
}

export const OUTDATED: RequestAnswer = {
  ok: false,
  reason: 'the review is of an earlier commit',
  help: 'review the current one',
};

/** The answer to a request; null if it is tried again later. */
export function describeAnswer(outcome: Outcome): RequestAnswer | null {
  switch (outcome.kind) {
    case 'done':
    case 'done_before':
      return { ok: true };
    case 'refused':
      return PASSING.includes(outcome.code)
        ? null
        : { ok: false, reason: outcome.reason, help: outcome.help };
    case 'failed':
      return null;
  }
}
