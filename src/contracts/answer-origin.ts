import * as z from 'zod/mini';
import { described, mapping } from './forms.ts';

/** Where an answer came from, as the operating system says. The name that an answer gives is a label beside it. */
export const answerOriginSchema = mapping({
  user: described(z.string(), 'The operating-system user.'),
  terminal: described(z.nullable(z.string()), 'The terminal it was typed on; null for a script.'),
  session: described(z.nullable(z.string()), 'The session of the web page; null elsewhere.'),
  process: described(
    mapping({
      pid: described(z.int(), 'Its process id.'),
      host: described(z.string(), 'The machine.'),
      parent: described(
        z.nullable(z.string()),
        'The program that started it; null where the system does not say.',
      ),
    }),
    'The process that gave it.',
  ),
});
export type AnswerOrigin = z.infer<typeof answerOriginSchema>;

/** Whether a person can have typed it, as far as the system can tell. */
export function isInteractive({ terminal, session }: AnswerOrigin): boolean {
  return terminal !== null || session !== null;
}

/** `Ann (user alice, no terminal)`: the label, and what the system knows. */
export function answererText(by: string | null, from: AnswerOrigin | undefined): string {
  const name = by ?? 'no name';
  if (from === undefined) return name;
  const place =
    from.session !== null
      ? `page session ${from.session}`
      : from.terminal === null
        ? 'no terminal'
        : `terminal ${from.terminal}`;
  return `${name} (user ${from.user}, ${place})`;
}
