import type { LifecycleState } from '../../contracts/vocabulary.ts';
import type { FlowNode } from './flow-graph.ts';

const MAX_CHARACTERS = 40;

export type Tone =
  | 'agent'
  | 'validation'
  | 'evaluate'
  | 'gate'
  | 'rollback'
  | Exclude<LifecycleState, 'running' | 'waiting'>
  | 'mixed';

/** The lines of text in a node: its name, then its opcode and details. */
export function linesOf({ id, opcode, detail, lifecycles }: FlowNode): readonly string[] {
  if (opcode !== 'STOP') return [id, shorten(detail === null ? opcode : `${opcode} · ${detail}`)];
  const ends = lifecycles.join(' or ');
  const name = id.startsWith('STOP ') ? 'STOP' : id;
  const what = name === 'STOP' ? ends : ['STOP', ends].filter((word) => word !== '').join(' · ');
  return [name, what, ...(detail === null ? [] : [shorten(detail)])].filter((line) => line !== '');
}

/** The kind of a node, which decides its colours. */
export function toneOf({ opcode, lifecycles }: FlowNode): Tone {
  switch (opcode) {
    case 'RUN_AGENT':
      return 'agent';
    case 'RUN_VALIDATION':
      return 'validation';
    case 'EVALUATE':
      return 'evaluate';
    case 'GATE':
      return 'gate';
    case 'ROLLBACK':
      return 'rollback';
    case 'STOP': {
      const [only, second] = lifecycles;
      const single = second === undefined ? only : undefined;
      return single === 'completed' || single === 'blocked' || single === 'failed' ? single : 'mixed';
    }
  }
}

/** Makes a single line without control characters and truncates it by code points, not code units. */
function shorten(text: string): string {
  const characters = [...text.replace(/[\s\p{C}]+/gu, ' ').trim()];
  if (characters.length <= MAX_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
