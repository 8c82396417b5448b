import * as z from 'zod/mini';
import { described, mapping } from '../forms.ts';

/** Where an answer came from, according to the operating system. The name in the answer is only a label. */
export const answerOriginSchema = mapping({
  user: described(z.string(), 'The operating-system user.'),
  terminal: described(z.nullable(z.string()), 'The terminal of the answer; null for a script.'),
  session: described(z.nullable(z.string()), 'The session of the web page; null elsewhere.'),
  address: z.optional(described(z.string(), 'The address that the page was opened from; missing elsewhere.')),
  process: described(
    mapping({
      pid: described(z.int(), 'Its process id.'),
      host: described(z.string(), 'The machine.'),
      parent: described(z.nullable(z.string()), 'The program that started it; null if unknown.'),
    }),
    'The process that gave it.',
  ),
});
export type AnswerOrigin = z.infer<typeof answerOriginSchema>;

/** Whether the answer came from a terminal or a web page, so a person can have given it. */
export function isInteractive({ terminal, session }: AnswerOrigin): boolean {
  return terminal !== null || session !== null;
}

/** The label and the origin: `Ann (user alice, no terminal)`. */
export function answererText(by: string | null, from: AnswerOrigin | undefined): string {
  const name = by ?? 'no name';
  if (from === undefined) return name;
  const place =
    from.session !== null
      ? `page session ${from.session}${from.address === undefined ? '' : ` at ${from.address}`}`
      : from.terminal === null
        ? 'no terminal'
        : `terminal ${from.terminal}`;
  return `${name} (user ${from.user}, ${place})`;
}
