import type { TranscriptEntry } from '../transcript.ts';
import { type AcpPermission, permissionSchema } from './acp-messages.ts';
import { answerPermission, type PermissionAnswer, type PermissionPolicy } from './acp-permission.ts';
import { mergedCall, type OpenTools, recordCall, subjectOf } from './acp-tools.ts';
import { type AgentActivity, endMessage } from './acp-updates.ts';

/** A refused call, and the policy rule it violates. */
export interface DeniedCall {
  readonly subject: string;
  readonly why: string;
}

/** How the permission requests of a session were answered. */
export interface Answers {
  readonly allowed: number;
  /** How many of these were approved automatically because the policy does not decide them. */
  readonly approved: number;
  readonly refused: number;
  /** Calls that the policy refused. */
  readonly denied: readonly DeniedCall[];
}

export const NOTHING_ASKED: Answers = { allowed: 0, approved: 0, refused: 0, denied: [] };

export interface AnsweredQuestion {
  readonly answers: Answers;
  readonly activity: AgentActivity;
  readonly entries: readonly TranscriptEntry[];
  /** The response to the agent. */
  readonly outcome: unknown;
  /** The request that only a user could have answered; null if the session continues. */
  readonly prompt: { readonly subject: string; readonly why: string } | null;
}

const DENIED_LIMIT = 50;

/** Answers a permission request; null if `params` is not one. */
export function answerQuestion(
  answers: Answers,
  activity: AgentActivity,
  policy: PermissionPolicy,
  params: unknown,
  atMs: number,
): AnsweredQuestion | null {
  const permission = permissionSchema.safeParse(params).data;
  if (permission === undefined) return null;
  const call = mergedCall(knownCall(activity.tools, permission), permission.toolCall);
  const answer = answerPermission(policy, permission, call, answers.approved);
  const quiet = endMessage(activity);
  const recorded = recordCall(quiet.activity.tools, permission.toolCall, atMs);
  const text = `${LABELS[answer.kind]}: ${subjectOf(call)}: ${answer.why}`;
  return {
    answers: countAnswer(answers, answer, { subject: subjectOf(call), why: answer.why }),
    activity: {
      ...quiet.activity,
      tools: recorded.tools,
      toolsUsed: quiet.activity.toolsUsed + recorded.entries.length,
    },
    entries: [...quiet.entries, ...recorded.entries, { kind: 'notice', text }],
    outcome: { outcome: outcomeOf(answer) },
    prompt: answer.kind === 'prompted' ? { subject: subjectOf(call), why: answer.why } : null,
  };
}

const LABELS = { allowed: 'allowed', refused: 'refused', prompted: 'stopped' } as const;

/** A permission request may omit fields that the call has reported before. */
function knownCall(tools: OpenTools, { toolCall: { toolCallId: id } }: AcpPermission) {
  return Object.hasOwn(tools, id) ? tools[id]?.call : undefined;
}

function countAnswer(answers: Answers, answer: PermissionAnswer, call: DeniedCall): Answers {
  switch (answer.kind) {
    case 'allowed':
      return {
        ...answers,
        allowed: answers.allowed + 1,
        approved: answers.approved + (answer.decided ? 0 : 1),
      };
    case 'refused':
      return {
        ...answers,
        refused: answers.refused + 1,
        denied: answer.byPolicy ? [...answers.denied, call].slice(-DENIED_LIMIT) : answers.denied,
      };
    case 'prompted':
      return answers;
  }
}

function outcomeOf(answer: PermissionAnswer) {
  const optionId = answer.kind === 'prompted' ? null : answer.optionId;
  return optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
}
