import { createHmac } from 'node:crypto';
import type { NamedTarget, Notification } from '../../notify/notification.ts';
import {
  desktopCall,
  notificationDocument,
  ntfyRequest,
  signedText,
  slackRequest,
  webhookRequest,
} from '../../notify/requests.ts';
import { failPermanently, type SendResult } from '../../notify/retry.ts';
import type { Notifier } from '../../ports/notifier.ts';
import { formatJson } from '../../text/outside-text.ts';
import { post } from './post.ts';
import { type ProcessPlace, startProgram } from './start-program.ts';

export interface NotifierDeps {
  readonly targets: readonly NamedTarget[];
  /** The value of an environment variable; null if it is unset or empty. */
  readonly variable: (name: string) => string | null;
  /** Where commands are started. */
  readonly place: ProcessPlace;
  readonly desktop: ProcessPlace;
  readonly platform: string;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  return {
    targets: deps.targets,
    send: async (name, about, signal) => {
      const target = deps.targets.find((each) => each.name === name);
      return target === undefined
        ? failPermanently(`${name} is not configured`)
        : sendTo(deps, target, about, signal);
    },
  };
}

async function sendTo(
  { variable, place, desktop, platform }: NotifierDeps,
  target: NamedTarget,
  { notification, event }: { readonly notification: Notification; readonly event: object },
  signal: AbortSignal,
): Promise<SendResult> {
  switch (target.kind) {
    case 'ntfy': {
      const token = target.token_env === null ? null : variable(target.token_env);
      if (target.token_env !== null && token === null) return refuseUnset(target.token_env);
      const request = ntfyRequest(target.url, token, notification);
      return request === null ? failPermanently('the address names no topic') : post(request, signal);
    }
    case 'slack': {
      const url = target.url ?? variable(target.url_env ?? '');
      if (url === null) return refuseUnset(target.url_env ?? '');
      if (!URL.canParse(url)) return failPermanently(`${target.url_env ?? 'url'} is not an address`);
      return post(slackRequest(url, notification), signal);
    }
    case 'webhook': {
      const secret = variable(target.secret_env);
      if (secret === null) return refuseUnset(target.secret_env);
      const body = JSON.stringify(notificationDocument(notification));
      const timestamp = Math.floor(Date.now() / 1_000);
      const signature = createHmac('sha256', keyOf(secret))
        .update(signedText(notification.id, timestamp, body))
        .digest('base64');
      return post(webhookRequest(target.url, notification, body, { timestamp, signature }), signal);
    }
    case 'desktop': {
      const { command, env } = desktopCall(platform, notification);
      return startProgram(command, { cwd: desktop.cwd, env: { ...desktop.env, ...env } }, '', signal);
    }
    case 'command': {
      const document = { ...event, notification: notificationDocument(notification) };
      return startProgram(target.command, place, `${formatJson(document, 0)}\n`, signal);
    }
  }
}

/** Standard Webhooks: a secret with this prefix is base64. Any other secret is used as it is. */
const ENCODED_PREFIX = 'whsec_';

function keyOf(secret: string): Buffer {
  return secret.startsWith(ENCODED_PREFIX)
    ? Buffer.from(secret.slice(ENCODED_PREFIX.length), 'base64')
    : Buffer.from(secret);
}

function refuseUnset(name: string): SendResult {
  return failPermanently(`the environment variable ${name} is not set`);
}
