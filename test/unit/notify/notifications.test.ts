import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NotifyTarget } from '../../../src/contracts/config/notify-config.ts';
import { splitTopic } from '../../../src/contracts/config/ntfy-topic.ts';
import type { RunEvent } from '../../../src/contracts/run/event.ts';
import { type Notification, nameTargets } from '../../../src/notify/notification.ts';
import { notifyOfQuestion } from '../../../src/notify/question-notification.ts';
import {
  desktopCall,
  notificationDocument,
  ntfyRequest,
  signedText,
  slackRequest,
  webhookRequest,
} from '../../../src/notify/requests.ts';
import { isTransientStatus, nextTryMs, type SendResult } from '../../../src/notify/retry.ts';
import { kindsOfRunEvent, notifyOfRunEvent, type RunFacts } from '../../../src/notify/run-notification.ts';
import { findOpenQuestions } from '../../../src/work/items/questions.ts';
import { created, limits, moved, stateOf } from '../work/fixtures.ts';

const RUN_ID = '0199ab12-0000-7000-8000-000000000000';
const FACTS: RunFacts = {
  repository: 'shop',
  workflow: 'implement',
  title: 'Add a --quiet flag',
  change: { files: 2, insertions: 10, deletions: 1 },
  costUsd: 0.41,
  unknownCosts: 0,
  cause: 'the validator tests exited with 1',
  pageUrl: null,
};

function eventWith(event: { event_type: string; step_id: string | null; payload: object }): RunEvent {
  const common = { seq: 7, timestamp: '2026-11-18T02:00:00.000Z', run_id: RUN_ID, prev: '0'.repeat(64) };
  return { ...common, ...event } as RunEvent;
}

const gateWith = (reason: string, stepId = 'approve') =>
  eventWith({
    event_type: 'gate_requested',
    step_id: stepId,
    payload: { gate: 'requires_approval', attempt: 1, reason, approvers: [] },
  });
const endWith = (outcome: string, reason: string | null = null) =>
  eventWith({ event_type: 'run_completed', step_id: null, payload: { outcome, reason } });

const notify = (event: RunEvent, facts: RunFacts = FACTS): Notification => {
  const notification = notifyOfRunEvent(event, facts);
  if (notification === null) throw new Error('no notification');
  return notification;
};

describe('the kinds of an event', () => {
  test.each([
    ['a gate', gateWith('why'), ['gate']],
    ['success', endWith('success'), ['end']],
    ['every other end', endWith('unverified'), ['failed', 'end']],
    [
      'a parked step',
      eventWith({ event_type: 'step_waiting', step_id: 'a', payload: { until: '2026-11-18T03:00:00.000Z' } }),
      ['parked'],
    ],
    ['a step that waits at a gate', eventWith({ event_type: 'step_waiting', step_id: 'a', payload: {} }), []],
  ])('%s', (_name, event, kinds) => {
    expect(kindsOfRunEvent(event)).toEqual(kinds);
  });
});

test('a notification has the repository, workflow, title, what is asked, the change, the cost and how to answer', () => {
  const { text } = notificationDocument(notify(gateWith('evaluation `judge`: success')));
  expect(text).toBe(
    [
      'conductor: shop: approval needed at gate approve',
      'Add a --quiet flag · workflow implement',
      'evaluation `judge`: success',
      '2 files, +10 -1 · cost so far $0.41',
      `conductor show ${RUN_ID}`,
      `conductor approve ${RUN_ID} --resume`,
      `conductor reject ${RUN_ID} --resume`,
    ].join('\n'),
  );
});

test.each([
  ['success', null, null],
  ['partial', null, 'the validator tests exited with 1'],
  ['error', 'the agent exited with 1', 'the agent exited with 1'],
])('a run that ended as %s says why, if something went wrong', (outcome, reason, asked) => {
  expect(notify(endWith(outcome, reason)).asked).toBe(asked);
});

test('a cost that only some agents report is at least their sum, and small amounts are not zero', () => {
  const document = notificationDocument(notify(endWith('success'), { ...FACTS, unknownCosts: 1 }));
  expect(document.text).toContain('cost so far at least $0.41');
  expect(document).toMatchObject({ cost_usd: 0.41, cost_unknown_starts: 1 });
  const { text } = notificationDocument(notify(endWith('success'), { ...FACTS, costUsd: 0.0042 }));
  expect(text).toContain('cost so far $0.0042');
});

test('a cost that no agent reports is unknown, not zero', () => {
  const { text } = notificationDocument(notify(endWith('success'), { ...FACTS, costUsd: null }));
  expect(text).toContain('cost so far unknown');
});

test('ntfy gets its JSON at the root of the server, with the topic of the address', () => {
  const request = ntfyRequest('https://push.example/prefix/my-topic', 'tk', notify(gateWith('why')));
  expect(request?.url).toBe('https://push.example/prefix/');
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer tk',
    'idempotency-key': `${RUN_ID}:7`,
  });
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    topic: 'my-topic',
    title: 'conductor: shop: approval needed at gate approve',
    priority: 4,
    tags: ['raised_hand'],
  });
});

test.each([
  ['https://ntfy.sh/topic', 'topic'],
  ['https://ntfy.sh/', null],
  ['https://ntfy.sh/a b', null],
  ['not an address', null],
])('the topic of %s', (url, topic) => {
  expect(splitTopic(url)?.topic ?? null).toBe(topic);
});

test('the signature of a webhook covers its id, its time and its body', () => {
  const notification = notify(endWith('success'));
  const body = JSON.stringify(notificationDocument(notification));
  const signature = createHmac('sha256', 'key')
    .update(signedText(notification.id, 12, body))
    .digest('base64');
  const request = webhookRequest('https://hook.example/x', notification, body, { timestamp: 12, signature });
  expect(request.headers).toMatchObject({
    'webhook-id': `${RUN_ID}:7`,
    'webhook-timestamp': '12',
    'webhook-signature': `v1,${signature}`,
  });
});

describe('hostile text of agents, workflows, branches and items', () => {
  const HOSTILE = [
    '\u001b[31mred\u001b[2J\u001b]0;title\u0007',
    '\u202egnp.exe\u2066\u200b',
    '<!channel> <https://evil.example|click> &amp; `$(rm -rf ~)`',
    'first\r\nsecond\u2028third',
    '"; display dialog "x',
    'x'.repeat(2_000),
  ].join(' ');
  const facts = { ...FACTS, repository: HOSTILE, workflow: HOSTILE, title: HOSTILE };
  const state = stateOf(
    created({ id: '1', title: HOSTILE, status: 'in-progress' }),
    moved('1', 'in-progress', 'blocked', 'engine', HOSTILE),
  );
  const [question] = findOpenQuestions({ state, limits: limits() });
  if (question === undefined) throw new Error('no question');
  const notifications = {
    gate: notify(gateWith(HOSTILE, HOSTILE), facts),
    end: notify(endWith('error', HOSTILE), facts),
    question: notifyOfQuestion(question, HOSTILE),
  };
  const texts = Object.entries(notifications).flatMap(([kind, notification]) => {
    const ntfy = JSON.parse(ntfyRequest('https://ntfy.example/t', null, notification)?.body ?? '');
    const slack = JSON.parse(slackRequest('https://slack.example/x', notification).body);
    return [
      [`${kind} to ntfy`, `${ntfy.title}\n${ntfy.message}`],
      [`${kind} to Slack`, slack.text],
      [`${kind} to a webhook`, JSON.stringify(notificationDocument(notification))],
      ...['linux', 'darwin', 'win32'].map((platform) => {
        const { command, env } = desktopCall(platform, notification);
        return [`${kind} on the desktop of ${platform}`, [...command, ...Object.values(env)].join('\n')];
      }),
    ] as [string, string][];
  });

  test.each(texts)('%s has no control, reordering or invisible character and stays short', (_name, text) => {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b]/u);
    expect(text.length).toBeLessThan(4_000);
    // Nothing that follows a line feed is text of an agent.
    expect(text).not.toMatch(/^\s*second/m);
  });

  test.each(Object.entries(notifications))('Slack reads no markup in a %s', (_kind, notification) => {
    const { text, mrkdwn } = JSON.parse(slackRequest('https://slack.example/x', notification).body);
    expect(text).not.toMatch(/[<>]/);
    expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
    expect(mrkdwn).toBe(false);
  });

  test.each(['linux', 'darwin', 'win32'])('a script on %s never contains text', (platform) => {
    const plain = desktopCall(platform, notify(gateWith('why')));
    const hostile = desktopCall(platform, notifications.gate);
    const scripts = ({ command }: typeof plain) => command.filter((word) => /display|Windows\.UI/.test(word));
    const fixed = scripts(plain);
    expect(scripts(hostile).filter((word) => fixed.includes(word))).toEqual(fixed);
    expect(hostile.command[0]).toBe(plain.command[0]);
    expect(hostile.command).toHaveLength(plain.command.length);
  });
});

describe('retries', () => {
  const failed = (more: Partial<SendResult & { ok: false }> = {}): SendResult => ({
    ok: false,
    message: 'm',
    isTransient: true,
    retryAfterMs: null,
    ...more,
  });
  test.each<[string, SendResult, number, number | null]>([
    ['back off', failed(), 1, 500],
    ['back off further', failed(), 3, 2_000],
    ['end after five tries', failed(), 5, null],
    ['wait for as long as the target asks', failed({ retryAfterMs: 9_000 }), 1, 9_000],
    ['give up if the target asks for too long', failed({ retryAfterMs: 600_000 }), 1, null],
    ["don't repeat what is wrong", failed({ isTransient: false }), 1, null],
    ["don't repeat what arrived", { ok: true }, 1, null],
  ])('%s', (_name, result, tries, delayMs) => {
    expect(nextTryMs(result, tries, 1)).toBe(delayMs);
  });
  test.each([
    [500, true],
    [429, true],
    [408, true],
    [403, false],
    [404, false],
  ])('HTTP %i may succeed later: %s', (status, isTransient) => {
    expect(isTransientStatus(status)).toBe(isTransient);
  });
});

test('the name of a target contains neither a topic nor the path of a webhook', () => {
  const on = ['gate'] as const;
  const targets: NotifyTarget[] = [
    { kind: 'ntfy', url: 'https://ntfy.sh/secret-topic', token_env: null, on },
    { kind: 'slack', url: 'https://hooks.slack.com/services/T0/secret', url_env: null, on },
    { kind: 'slack', url: null, url_env: 'SLACK_WEBHOOK', on },
    { kind: 'webhook', url: 'https://hook.example/secret', secret_env: 'S', on },
    { kind: 'webhook', url: 'https://hook.example/other', secret_env: 'S', on },
    { kind: 'desktop', on },
    { kind: 'command', command: ['/opt/tools/notify.sh', 'secret'], on },
  ];
  expect(nameTargets(targets).map(({ name }) => name)).toEqual([
    'ntfy:ntfy.sh',
    'slack:hooks.slack.com',
    'slack:SLACK_WEBHOOK',
    'webhook:hook.example',
    'webhook:hook.example#2',
    'desktop',
    'command:notify.sh',
  ]);
});
