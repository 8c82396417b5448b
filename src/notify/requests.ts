import type { NotifyKind } from '../contracts/config/notify-config.ts';
import { bodyLines, type Notification, subjectOf } from './notification.ts';

/** An HTTP POST as a value. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const URGENT: readonly NotifyKind[] = ['gate', 'question', 'failed'];

/** Emoji short codes of ntfy. */
const TAGS: Readonly<Record<NotifyKind, string>> = {
  gate: 'raised_hand',
  question: 'question',
  parked: 'hourglass',
  end: 'white_check_mark',
  failed: 'x',
};

/** The server and the topic of an ntfy address; null if it has no topic. */
export function splitTopic(url: string): { readonly server: string; readonly topic: string } | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  const [, folder = '/', topic = ''] = /^(.*\/)([-\w]{1,64})$/.exec(pathname) ?? [];
  return topic === '' ? null : { server: `${origin}${folder}`, topic };
}

/** Publishes as JSON: text in header fields would need an encoding and could end a field. */
export function ntfyRequest(
  url: string,
  token: string | null,
  notification: Notification,
): PostRequest | null {
  const place = splitTopic(url);
  if (place === null) return null;
  return {
    url: place.server,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': notification.id,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      topic: place.topic,
      title: subjectOf(notification),
      message: bodyLines(notification).join('\n'),
      priority: URGENT.includes(notification.kind) ? 4 : 3,
      tags: [TAGS[notification.kind]],
      // It only opens the page, which asks: a notification never answers by itself.
      ...(notification.url === undefined
        ? {}
        : { actions: [{ action: 'view', label: 'Open the gate', url: notification.url }] }),
    }),
  };
}

/** Slack reads `<!channel>` and links only between unescaped angle brackets; formatting and link previews are off. */
export function slackRequest(url: string, notification: Notification): PostRequest {
  const text = [subjectOf(notification), ...bodyLines(notification)].join('\n');
  return {
    url,
    headers: { 'content-type': 'application/json', 'idempotency-key': notification.id },
    body: JSON.stringify({
      text: escapeMarkup(text),
      mrkdwn: false,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    }),
  };
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The JSON that webhooks get, and commands as `notification`. */
export function notificationDocument(notification: Notification) {
  return {
    schema_version: 1,
    ...notification,
    text: [subjectOf(notification), ...bodyLines(notification)].join('\n'),
  };
}

/** The text that the signature of a webhook covers, as in the Standard Webhooks specification. */
export function signedText(id: string, timestamp: number, body: string): string {
  return `${id}.${timestamp}.${body}`;
}

/** `signature` is the base64 of the HMAC-SHA256 over `signedText`. */
export function webhookRequest(
  url: string,
  { id }: Notification,
  body: string,
  { timestamp, signature }: { readonly timestamp: number; readonly signature: string },
): PostRequest {
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': id,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}

/** A program to start, without a shell. */
export interface DesktopCall {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** The text only ever is an argument or a variable, never part of a script. */
export function desktopCall(platform: string, notification: Notification): DesktopCall {
  const subject = subjectOf(notification);
  const body = bodyLines(notification).join('\n');
  switch (platform) {
    case 'darwin':
      // The subject never starts with a hyphen, and osascript reads no option after it.
      return {
        command: ['osascript', ...APPLE_SCRIPT.flatMap((line) => ['-e', line]), subject, body],
        env: {},
      };
    case 'win32':
      return {
        command: ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', TOAST_SCRIPT],
        env: { CONDUCTOR_SUBJECT: subject, CONDUCTOR_BODY: body },
      };
    default:
      return {
        // notify-send resolves backslash escapes in the body, and servers may read it as markup.
        command: [
          'notify-send',
          '--app-name=conductor',
          '--',
          subject,
          escapeMarkup(body).replaceAll('\\', '\\\\'),
        ],
        env: {},
      };
  }
}

const APPLE_SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

const TOAST_SCRIPT = [
  '[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)',
  "$texts = $xml.GetElementsByTagName('text')",
  '[void]$texts.Item(0).AppendChild($xml.CreateTextNode($env:CONDUCTOR_SUBJECT))',
  '[void]$texts.Item(1).AppendChild($xml.CreateTextNode($env:CONDUCTOR_BODY))',
  "[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('conductor').Show([Windows.UI.Notifications.ToastNotification]::new($xml))",
].join('; ');
