import type { EventPayload } from '../../contracts/run/event.ts';
import { acceptIssue, issueTask, peopleOf } from '../../forge/accept-issue.ts';
import { isForgeProblem } from '../../forge/forge-problem.ts';
import type { ForgeIssue } from '../../forge/forge-values.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Forge } from '../../ports/forge/forge.ts';

export type RecordedIssue = NonNullable<EventPayload<'run_started'>['issue']>;

export type IssueReading =
  | { readonly ok: true; readonly title: string; readonly task: string; readonly issue: RecordedIssue }
  /** No account with write access wrote or labelled it. */
  | { readonly ok: false; readonly reason: string };

/** Reads an issue as the task of a run. `isTrusted` accepts it from any author. */
export async function readIssue(forge: Forge, number: number, isTrusted: boolean): Promise<IssueReading> {
  const repository = await forge.repository();
  const issue = await forge.issues.get(number);
  const facts = {
    issue,
    edit: await forge.issues.lastEdit(number),
    labelChanges: await forge.issues.labelChanges(number),
  };
  const writers = new Set<number>();
  for (const user of peopleOf(facts)) if (await forge.canWrite(user)) writers.add(user.id);
  const verdict = acceptIssue({ ...facts, writers });
  if (!verdict.ok && !isTrusted) return verdict;
  return {
    ok: true,
    title: issue.title,
    task: issueTask(repository.fullName, issue),
    issue: {
      number,
      url: issue.url,
      repository_id: repository.id,
      digest: digestOf(issue),
      author_id: issue.author.id,
      trusted_by_user: !verdict.ok,
    },
  };
}

/** Whether the issue of a run still says what the run has read. False if it is gone, or in another repository. */
export async function isUnchanged(forge: Forge, recorded: RecordedIssue): Promise<boolean> {
  const { id } = await forge.repository();
  if (id !== recorded.repository_id) return false;
  try {
    return digestOf(await forge.issues.get(recorded.number)) === recorded.digest;
  } catch (error) {
    if (isForgeProblem(error, 'not_found')) return false;
    throw error;
  }
}

function digestOf({ title, body }: ForgeIssue): string {
  return sha256Hex(`${title}\n\n${body}`);
}
