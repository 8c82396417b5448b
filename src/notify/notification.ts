import type { NotifyKind, NotifyTarget } from '../contracts/config/notify-config.ts';
import { formatDollars } from '../overview/spend.ts';
import { formatCount } from '../text/count-of.ts';
import { oneLine } from '../text/outside-text.ts';
import { shorten } from '../text/shorten.ts';

/** The notification that all targets get, as a value. All text is on one line, bounded and safe to print. */
export interface Notification {
  /** The id of the event: `run_id:seq`, or `work:time:seq` for an item. Receivers can drop a second one with the same id. */
  readonly id: string;
  /** The most specific kind: `failed` for an end other than success. */
  readonly kind: NotifyKind;
  /** All kinds of the event. A target gets it once, even if several match. */
  readonly kinds: readonly NotifyKind[];
  readonly repository: string;
  /** Null for a work item. */
  readonly workflow: string | null;
  readonly title: string | null;
  readonly headline: string;
  /** What is asked, or why the run ended; null if the headline says it all. */
  readonly asked: string | null;
  readonly change: ChangeCount | null;
  /** What was reported; null if nothing was. */
  readonly cost_usd: number | null;
  /** How many starts of agents didn't report their cost, so that `cost_usd` is only a part; missing if all did. */
  readonly cost_unknown_starts?: number;
  /** The page of the gate; missing if `serve.url` is not configured, and for other kinds. */
  readonly url?: string;
  /** How to answer, or to see more. */
  readonly commands: readonly string[];
}

export interface ChangeCount {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

const MAX_NAME = 80;
const MAX_TITLE = 120;
const MAX_ASKED = 300;

/** Makes text of agents, workflows and file names safe for a notification. */
export function createNotification(raw: Notification): Notification {
  const bound = (text: string | null, max: number) => (text === null ? null : shorten(oneLine(text), max));
  return {
    ...raw,
    repository: shorten(oneLine(raw.repository), MAX_NAME),
    workflow: bound(raw.workflow, MAX_NAME),
    title: bound(raw.title, MAX_TITLE),
    headline: shorten(oneLine(raw.headline), MAX_TITLE),
    asked: bound(raw.asked, MAX_ASKED),
  };
}

export function subjectOf({ repository, headline }: Notification): string {
  return `conductor: ${repository}: ${headline}`;
}

export function bodyLines(notification: Notification): readonly string[] {
  const { title, workflow, asked, change, commands } = notification;
  const about = [title, workflow === null ? null : `workflow ${workflow}`].filter((part) => part !== null);
  const numbers = [
    ...(change === null ? [] : [describeChange(change)]),
    ...(workflow === null ? [] : [`cost so far ${describeCost(notification)}`]),
  ];
  return [about.join(' · '), asked, numbers.join(' · '), ...commands].filter(
    (line): line is string => line !== null && line !== '',
  );
}

function describeCost({ cost_usd: cost, cost_unknown_starts: unknown = 0 }: Notification): string {
  if (cost === null) return 'unknown';
  return `${unknown === 0 ? '' : 'at least '}${formatDollars(cost)}`;
}

function describeChange({ files, insertions, deletions }: ChangeCount): string {
  return files === 0 ? 'no file changed' : `${formatCount(files, 'file')}, +${insertions} -${deletions}`;
}

/** A target with the name under which its notifications are recorded. It contains no secret. */
export type NamedTarget = NotifyTarget & { readonly name: string };

/**
 * Names targets by kind and host, variable or program. A topic or a webhook's path may be a secret, so it isn't part
 * of the name; targets of the same name are numbered.
 */
export function nameTargets(targets: readonly NotifyTarget[]): readonly NamedTarget[] {
  const counts = new Map<string, number>();
  return targets.map((target) => {
    const base = baseName(target);
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return { ...target, name: count === 1 ? base : `${base}#${count}` };
  });
}

function baseName(target: NotifyTarget): string {
  switch (target.kind) {
    case 'ntfy':
    case 'webhook':
      return `${target.kind}:${hostOf(target.url)}`;
    case 'slack':
      return `slack:${target.url === null ? (target.url_env ?? '') : hostOf(target.url)}`;
    case 'desktop':
      return 'desktop';
    case 'command':
      return `command:${target.command[0].split('/').at(-1) ?? ''}`;
  }
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'invalid address';
}
