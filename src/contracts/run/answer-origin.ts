import * as z from 'zod/mini';
import { described, mapping } from '../forms.ts';

/** Where an answer came from, according to the operating system. The name in the answer is only a label. */
export const answerOriginSchema = mapping({
  user: described(z.string(), 'The operating-system user.'),
  terminal: described(z.nullable(z.string()), 'The terminal of the answer; null for a script.'),
  session: described(z.nullable(z.string()), 'The session of the web page; null elsewhere.'),
  address: z.optional(described(z.string(), 'The address that the page was opened from; missing elsewhere.')),
  account: z.optional(
    described(
      mapping({
        host: described(z.string(), 'The forge.'),
        id: z.optional(
          described(z.int(), 'The number of the account; missing if the forge does not say whose it is.'),
        ),
        login: z.optional(described(z.string(), 'Its name at that time.')),
      }),
      'The account on a forge that answered with a review; missing elsewhere.',
    ),
  ),
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

/** Whether the answer came from a terminal, a web page or a review on a forge, so a person can have given it. */
export function isInteractive({ terminal, session, account }: AnswerOrigin): boolean {
  return terminal !== null || session !== null || account !== undefined;
}

/** The label and the origin: `Ann (user alice, no terminal)`. */
export function answererText(by: string | null, from: AnswerOrigin | undefined): string {
  const name = by ?? 'no name';
  if (from === undefined) return name;
  const { account } = from;
  if (account !== undefined)
    return `${name} (${account.id === undefined ? account.host : `account ${account.id} of ${account.host}`})`;
  const place =
    from.session !== null
      ? `page session ${from.session}${from.address === undefined ? '' : ` at ${from.address}`}`
      : from.terminal === null
        ? 'no terminal'
        : `terminal ${from.terminal}`;
  return `${name} (user ${from.user}, ${place})`;
}
