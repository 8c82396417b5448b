import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import { renderBoard, renderItems } from '../../../src/surfaces/cli/output/work/board.ts';
import { createEventLines } from '../../../src/surfaces/cli/output/work/event-lines.ts';
import { createWorkProgress } from '../../../src/surfaces/cli/output/work/progress.ts';
import {
  accepted,
  checked,
  created,
  ended,
  entriesOf,
  limits,
  made,
  moved,
  reviewed,
  stateOf,
} from '../work/fixtures.ts';
import { listeningTerminal } from './listening-terminal.ts';

const state = stateOf(
  created({ id: '1', title: 'A long title that says more than fits on a narrow terminal' }),
  created({ id: '12', title: 'Waits\u001b[31m for it', blockedBy: ['1'] }),
  created({ id: '3', title: 'Which unit?', type: 'refinement', status: 'ready', priority: 'high' }),
  created({ id: '4', title: 'Gone', status: 'closed' }),
  moved('1', 'pending', 'ready'),
);
const snapshot = { state, limits: limits() };
const items = [...state.items.values()];

describe('the board', () => {
  it('has a section for each status that has items, with why each of them waits', () => {
    const { paint } = listeningTerminal().terminal;
    expect(renderBoard({ paint, width: 44 }, snapshot, items)).toBe(
      [
        'PENDING 1',
        '  12  medium    Waits for it',
        '      └ blocked by 1 (ready)',
        'READY 2',
        '  1   medium    A long title that says more…',
        '  3   question  Which unit?',
        '      └ waiting for an answer: it is a…',
        'CLOSED 1',
        '  4   medium    Gone',
        '',
      ].join('\n'),
    );
  });

  it('is a line for each item without a terminal', () => {
    expect(renderItems(snapshot, items).split('\n')[1]).toMatch(
      /^12 +pending +medium +Waits for it +blocked by 1 \(ready\)$/,
    );
  });
});

describe('a line about an item', () => {
  it.each([
    ['its creation', created({ id: '5', title: 'New' }), '+ 5     New'],
    ['a move', moved('1', 'ready', 'in-progress', 'engine', 'a\nb'), '→ 1     ready → in-progress  a'],
    ['a start', accepted('run-1', 'implementor', '1'), '▶ 1     implementor, run run-1'],
    [
      'a failed run, by its run',
      [accepted('run-1', 'implementor', '1'), ended('run-1', false, 'fell over')],
      '✗ 1     run run-1 failed  fell over',
    ],
    ['a run that went well', ended('run-1', true), null],
    [
      'its checks, by its revision',
      [made('1'), checked('1', 'failure', 'red')],
      '✗ 1     checks: failure  red',
    ],
    ['its review', [made('1'), reviewed('1', 'approve')], expect.stringContaining('1     review: approve')],
    ['an internal event', { type: 'command_done', key: 'k' }, null],
  ] as [string, WorkEvent | WorkEvent[], unknown][])('tells of %s', (_, events, line) => {
    const lineOf = createEventLines(listeningTerminal().terminal.paint, state, (id) => id);
    const lines = entriesOf([events].flat()).map(lineOf);
    expect(lines.at(-1)).toEqual(line);
  });
});

describe('the progress of work', () => {
  it('does not report a refused command twice', () => {
    const { terminal, written } = listeningTerminal();
    const progress = createWorkProgress(terminal);
    progress.begin(state, (id) => id);
    const refused = {
      type: 'command_refused',
      key: 'k',
      kind: 'merge',
      item_id: '1',
      code: 'c',
      reason: 'no',
    } as const;
    for (const by of ['ann', 'engine'])
      progress.onEvent({ seq: 1, at: '2026-01-01T00:00:00.000Z', event: { ...refused, by } });
    progress.stop();
    expect(written.err).toBe('! 1     merge refused  no\n');
  });
});
