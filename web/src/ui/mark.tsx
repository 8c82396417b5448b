import type { JSX } from 'preact';
import type { Tone, Verdict } from '../text/verdict.ts';
import { Icon, type IconName } from './icon.tsx';

const SHAPE_OF: Readonly<Record<Tone, IconName>> = {
  success: 'check',
  attention: 'half',
  danger: 'cross',
  neutral: 'dash',
  needs: 'dot',
  running: 'ring',
};

/** The shape of a verdict. Where its word isn't beside it, screen readers get it from here. */
export function Mark({
  verdict,
  silent = false,
}: {
  readonly verdict: Verdict;
  readonly silent?: boolean;
}): JSX.Element {
  return (
    <span class={`mark tone-${verdict.tone}`} title={verdict.word}>
      <Icon name={SHAPE_OF[verdict.tone]} />
      {silent ? null : <span class="sr-only">{verdict.word}</span>}
    </span>
  );
}

/** The shape with its word. */
export function VerdictText({
  verdict,
  text = verdict.word,
}: {
  readonly verdict: Verdict;
  readonly text?: string;
}): JSX.Element {
  return (
    <span class={`verdict tone-${verdict.tone}`}>
      <Icon name={SHAPE_OF[verdict.tone]} />
      <span>{text}</span>
    </span>
  );
}
