import { formatMarker, readMarker } from '../../forge/markers.ts';
import type { ProviderItem } from '../items/provider-values.ts';
import { formatLabel, formatProse, formatTitle, readProse } from './forge-text.ts';

/** The issue that shows an item. */
export interface IssuePlan {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly state: 'open' | 'closed';
  /** The body of the item is longer than a forge accepts, so that it can't be edited there. */
  readonly isCut: boolean;
}

export interface IssueContext {
  /** Identifies this repository's work items: another checkout has items with the same ids. */
  readonly owner: string;
  /** The issue of an item; null if it has none yet. */
  readonly numberOf: (itemId: string) => number | null;
}

const FOOTER = /^<sub>Work item .*<\/sub>$/;
const MARKER = /^<!-- conductor:[a-z-]+ \S+ -->$/;

export function planIssue({ item, body, labels }: ProviderItem, context: IssueContext): IssuePlan {
  const numbers = item.blockedBy.flatMap((id) => context.numberOf(id) ?? []);
  const { text, isCut } = formatProse(body);
  const blockers = numbers.map((number) => `#${number}`).join(', ');
  const notes = [
    `Work item ${item.id} of conductor`,
    ...(blockers === '' ? [] : [`blocked by ${blockers}`]),
    ...(isCut ? [`shortened; \`conductor work show ${item.id}\` shows all of it`] : []),
  ];
  const markers = [
    formatMarker('item', itemKey(context.owner, item.id)),
    ...(numbers.length === 0 ? [] : [formatMarker('blocked-by', numbers.join(','))]),
  ];
  return {
    title: formatTitle(item.title, `Work item ${item.id}`),
    body: [text, '', ...markers, `<sub>${notes.join('; ')}.</sub>`].join('\n').trimStart(),
    labels: [...new Set(labels.flatMap((label) => formatLabel(label) ?? []))],
    state: item.status === 'closed' ? 'closed' : 'open',
    isCut,
  };
}

/** The value of the marker in an item's issue. */
export function itemKey(owner: string, itemId: string): string {
  return `${owner}/${itemId}`;
}

export interface IssueReading {
  /** Without markers and footer. */
  readonly text: string;
  /** `itemKey` of the item; null if the issue shows none. */
  readonly itemKey: string | null;
  /** The numbers of blocking issues. Null if there is no marker. */
  readonly blockers: readonly number[] | null;
}

export function readIssue(body: string): IssueReading {
  const lines = body.replaceAll('\r\n', '\n').split('\n');
  const own = lines.filter((line) => !FOOTER.test(line.trim()) && !MARKER.test(line.trim()));
  const blockers = readMarker('blocked-by', body);
  return {
    text: readProse(own.join('\n')),
    itemKey: readMarker('item', body),
    blockers: blockers === null ? null : readNumbers(blockers),
  };
}

function readNumbers(list: string): number[] {
  return [...new Set(list.split(',').flatMap((each) => (/^\d{1,9}$/.test(each) ? [Number(each)] : [])))];
}
