import * as z from 'zod/mini';
import { defineForm, described, describedHere, mapping, textSchema } from '../forms.ts';
import type { Command } from './setup-config.ts';

/** What a notification is about. `failed` is an end other than success; such an event is an `end` as well. */
export const NOTIFY_KINDS = ['gate', 'question', 'parked', 'end', 'failed'] as const;
export type NotifyKind = (typeof NOTIFY_KINDS)[number];

const DEFAULT_KINDS: readonly NotifyKind[] = ['gate', 'question', 'end'];
/** The kinds of the earlier form `notify: { command: […] }`. */
const EARLIER_KINDS: readonly NotifyKind[] = ['gate', 'end', 'parked'];

const kindOf = <const Word extends string>(word: Word, description: string) =>
  described(z.literal(word), description);
const on = described(
  z.optional(z.array(z.enum(NOTIFY_KINDS)).check(z.minLength(1))),
  'What to send: `gate`, `question`, `parked`, `end`, `failed`; by default gate, question and end.',
);
const commandLine = () => z.array(textSchema).check(z.minLength(1));
const variable = () => defineForm('variableName', /^[A-Za-z_][A-Za-z0-9_]*$/);

const target = z.discriminatedUnion('kind', [
  mapping({
    kind: kindOf('ntfy', 'A topic of an ntfy server.'),
    url: describedHere(textSchema, 'The address of the topic.'),
    token_env: described(z.optional(variable()), 'The environment variable with the access token.'),
    on,
  }),
  mapping({
    kind: kindOf('slack', 'An incoming webhook of Slack.'),
    url: described(z.optional(textSchema), 'The address of the webhook. It is a secret: prefer `url_env`.'),
    url_env: described(z.optional(variable()), 'The environment variable with the address of the webhook.'),
    on,
  }),
  mapping({
    kind: kindOf('webhook', 'Any HTTP endpoint; requests are signed.'),
    url: describedHere(textSchema, 'The address that gets the notification as JSON.'),
    secret_env: described(variable(), 'The environment variable with the secret for the signature.'),
    on,
  }),
  mapping({ kind: kindOf('desktop', 'The desktop of the machine that drives the run.'), on }),
  mapping({
    kind: kindOf('command', 'A program that gets the event as JSON on standard input.'),
    command: described(commandLine(), 'Program and arguments, without a shell.'),
    on,
  }),
]);

export const notifySchema = z.union([
  z.array(target),
  mapping({
    command: described(commandLine(), 'The earlier form: program and arguments of one `command` target.'),
  }),
]);
export type NotifyDocument = z.infer<typeof notifySchema>;

interface TargetBase {
  readonly on: readonly NotifyKind[];
}
export type NotifyTarget = TargetBase &
  (
    | { readonly kind: 'ntfy'; readonly url: string; readonly token_env: string | null }
    | { readonly kind: 'slack'; readonly url: string | null; readonly url_env: string | null }
    | { readonly kind: 'webhook'; readonly url: string; readonly secret_env: string }
    | { readonly kind: 'desktop' }
    | { readonly kind: 'command'; readonly command: Command }
  );

/** The targets of one file, with defaults. The earlier form is one command. */
export function completeNotify(document: NotifyDocument | undefined): readonly NotifyTarget[] {
  if (document === undefined) return [];
  if (!Array.isArray(document))
    return [{ kind: 'command', command: asCommand(document.command), on: EARLIER_KINDS }];
  return document.map(completeTarget);
}

function completeTarget(entry: z.infer<typeof target>): NotifyTarget {
  const kinds = entry.on ?? DEFAULT_KINDS;
  switch (entry.kind) {
    case 'ntfy':
      return { kind: 'ntfy', url: entry.url, token_env: entry.token_env ?? null, on: kinds };
    case 'slack':
      return { kind: 'slack', url: entry.url ?? null, url_env: entry.url_env ?? null, on: kinds };
    case 'webhook':
      return { kind: 'webhook', url: entry.url, secret_env: entry.secret_env, on: kinds };
    case 'desktop':
      return { kind: 'desktop', on: kinds };
    case 'command':
      return { kind: 'command', command: asCommand(entry.command), on: kinds };
  }
}

/** The schema has already rejected an empty list, which the type doesn't express. */
function asCommand([program = '', ...rest]: readonly string[]): Command {
  return [program, ...rest];
}
