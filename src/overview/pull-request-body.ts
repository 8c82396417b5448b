import type { RunSummary } from '../contracts/run/run-summary.ts';
import { formatMarker, withoutMarkers } from '../forge/markers.ts';
import { formatCount } from '../text/count-of.ts';
import { nameSome } from '../text/name-some.ts';
import { oneLine } from '../text/outside-text.ts';
import { formatCost, formatTokens, spendOfStart, sumSpend } from './spend.ts';

/**
 * The description of a run's pull request: the recorded evidence. Texts from outside stand in code fences, where a forge
 * neither notifies the people that a text mentions nor closes the issues that it names.
 */
export interface PullRequestFacts {
  readonly summary: RunSummary;
  /** The task as it was given; null if the run has none. */
  readonly task: string | null;
  /** The issue that the work is for; merging closes it. */
  readonly issue: { readonly number: number; readonly isUnchanged: boolean } | null;
}

/** The forge accepts 65,536 characters; the rest is small. */
const MAX_TEXT = 20_000;
const MAX_NAMED = 10;
const END = '<!-- conductor:end -->';

/** The part of a description that conductor writes. What people write around it stays. */
export function pullRequestBody({ summary, task, issue }: PullRequestFacts): string {
  const sections = [
    ['What was asked', askedOf(summary, task)],
    ['Checks', checksOf(summary)],
    ['Claims', claimsOf(summary)],
    ['Flags', flagsOf(summary)],
    ["The agent's last message, which proves nothing", messageOf(summary)],
    ['Cost', [`${formatCost(spendOf(summary))}; tokens ${formatTokens(spendOf(summary))}`]],
    ['How to reproduce', reproduceOf(summary)],
  ] as const;
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `## ${title}\n\n${lines.join('\n')}`);
  const closes = issue === null ? [] : [`Closes #${issue.number}`];
  const edited =
    issue === null || issue.isUnchanged
      ? []
      : [
          `**Issue #${issue.number} was edited after the run read it.** Compare it with what was asked, below.`,
        ];
  return [formatMarker('run', summary.run_id), ...closes, ...edited, ...text, END].join('\n\n');
}

/** A description with conductor's part replaced. Without such a part, it is added at the end. */
export function replaceOwnPart(body: string, runId: string, part: string): string {
  const start = body.indexOf(formatMarker('run', runId));
  const end = body.indexOf(END, start);
  if (start === -1 || end === -1) return body.trim() === '' ? part : `${body.trimEnd()}\n\n${part}`;
  return `${body.slice(0, start)}${part}${body.slice(end + END.length)}`;
}

/** One line for the status of the commit. Forges cut it at 140 characters. */
export function statusLine({ outcome, awaiting, checks }: RunSummary): string {
  const state = outcome ?? (awaiting === null ? 'running' : `waiting at gate ${awaiting.step_id}`);
  const text = checks === null ? state : `${state}; ${checks.passed} of ${checks.total} checks passed`;
  return oneLine(text).slice(0, 140);
}

export function statusState({ outcome }: RunSummary): 'pending' | 'success' | 'failure' {
  return outcome === null ? 'pending' : outcome === 'success' ? 'success' : 'failure';
}

function askedOf({ title, workflow_id: workflow }: RunSummary, task: string | null): readonly string[] {
  return task === null ? [`\`${oneLine(title ?? workflow)}\``] : [fence(task)];
}

function checksOf({ baseline, checks, approved_after_decision: approved }: RunSummary): readonly string[] {
  const failing = (baseline?.validators ?? []).filter(({ failed }) => failed);
  const cases = failing.flatMap(({ failing_cases: names }) => names);
  const before =
    baseline === null || baseline.outcome === 'off'
      ? 'not recorded'
      : [
          baseline.outcome,
          ...(failing.length === 0
            ? []
            : [
                `failing: ${nameSome(
                  failing.map(({ id }) => id),
                  MAX_NAMED,
                )}`,
              ]),
          ...(cases.length === 0 ? [] : [`failing cases: ${nameSome(cases, MAX_NAMED)}`]),
        ].join('; ');
  const after =
    checks === null
      ? 'no check ran'
      : [
          `${checks.passed} of ${formatCount(checks.total, 'check')} passed`,
          ...(checks.failed.length === 0 ? [] : [`failed: ${nameSome(checks.failed, MAX_NAMED)}`]),
          ...(checks.cases === null ? [] : [`${checks.cases.passed} of ${checks.cases.total} cases passed`]),
        ].join('; ');
  return [
    '| before (base) | after |',
    '| --- | --- |',
    `| ${cell(before)} | ${cell(after)} |`,
    ...(approved ? ['', 'A person approved a gate after the last evaluation.'] : []),
  ];
}

function claimsOf({ claims }: RunSummary): readonly string[] {
  const { confirmed, contradicted, unverified, contradicted_texts: texts } = claims;
  if (confirmed + contradicted + unverified === 0) return [];
  const counts = `${confirmed} confirmed, ${contradicted} contradicted, ${unverified} unverified`;
  return texts.length === 0 ? [counts] : [counts, '', fence(texts.map(oneLine).join('\n'))];
}

function flagsOf({ decisions }: RunSummary): readonly string[] {
  return (decisions.at(-1)?.risk_flags ?? []).map((flag) => `- \`${oneLine(flag)}\``);
}

function messageOf({ last_message: message }: RunSummary): readonly string[] {
  if (message === null || message.lines.length === 0) return [];
  const more = message.more === 0 ? [] : [`… ${formatCount(message.more, 'more line')}`];
  return [fence([...message.lines.map(oneLine), ...more].join('\n'))];
}

function reproduceOf(summary: RunSummary): readonly string[] {
  const { run_id: id, workflow_id: workflow, workflow_version: version, base_sha: base } = summary;
  return [
    `Run \`${id}\` of workflow \`${oneLine(workflow)}\`, version ${version}, from \`${base.slice(0, 12)}\`:`,
    '',
    fence(
      [
        `conductor show ${id}`,
        `conductor diff ${id}`,
        `conductor verify ${id}`,
        `conductor replay ${id}`,
      ].join('\n'),
    ),
  ];
}

function spendOf({ starts }: RunSummary) {
  return sumSpend(starts.map(spendOfStart));
}

function cell(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '/')}\``;
}

/** Uses a fence longer than any in the text, so that the text can't close it. */
function fence(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[cut]` : text;
  const shown = withoutMarkers(cut).trimEnd();
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}text\n${shown}\n${marks}`;
}
