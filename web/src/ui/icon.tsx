import type { JSX } from 'preact';

/** Drawn on a 16 px grid with one stroke, so that shapes look alike on every system. */
const SHAPES = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M4 8h8',
  bang: 'M8 3v6M8 12.2v.3',
  dot: '',
  ring: '',
  half: '',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  back: 'M10 4 6 8l4 4',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3.5 3.5',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  comment: 'M3 3h10v8H8l-3 2.5V11H3z',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  link: 'M7 9a2.5 2.5 0 0 0 3.5 0l2-2A2.5 2.5 0 0 0 9 3.5l-.7.7M9 7a2.5 2.5 0 0 0-3.5 0l-2 2A2.5 2.5 0 0 0 7 12.5l.7-.7',
  download: 'M8 2.5v7M4.5 7 8 10.5 11.5 7M3 13.5h10',
  first: 'M4 3v10M12 4 7 8l5 4',
  last: 'M12 3v10M4 4l5 4-5 4',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      {name === 'dot' ? (
        <circle cx="8" cy="8" r="4" class="icon-fill" />
      ) : name === 'ring' ? (
        <circle cx="8" cy="8" r="4.25" />
      ) : name === 'half' ? (
        <>
          <circle cx="8" cy="8" r="5" />
          <path d="M8 3a5 5 0 0 1 0 10z" class="icon-fill" />
        </>
      ) : (
        <path d={SHAPES[name]} />
      )}
    </svg>
  );
}
