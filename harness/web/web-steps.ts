import type { Page } from 'playwright-core';
import { PAGE_EXPECTATION, PAGE_STEP } from '../../src/contracts/documents/page-entries.ts';
import { messageOf } from '../../src/text/error-message.ts';
import type { TextExpectation, WebExpectation, WebStep } from '../case.ts';
import { findMismatches } from '../text-match.ts';

type StepKey = (typeof PAGE_STEP.keys)[number];
type ExpectationKey = (typeof PAGE_EXPECTATION.keys)[number];

const POLL_MS = 50;

/** The one key that determines what an entry does. */
function onlyKey<Key extends string>(
  entry: Readonly<Partial<Record<Key, unknown>>>,
  keys: readonly Key[],
  what: string,
): Key {
  const [key, second] = keys.filter((name) => entry[name] !== undefined);
  if (key === undefined || second !== undefined)
    throw new Error(`${what} needs exactly one of ${keys.join(', ')}: ${JSON.stringify(entry)}`);
  return key;
}

export async function takeStep(page: Page, step: WebStep, timeout: number): Promise<void> {
  const key: StepKey = onlyKey(step, PAGE_STEP.keys, 'a step');
  try {
    await performStep(page, step, key, timeout);
  } catch (error) {
    throw new Error(`the step ${JSON.stringify(step)} failed: ${firstMessageLine(error)}`);
  }
}

async function performStep(page: Page, step: WebStep, key: StepKey, timeout: number): Promise<void> {
  const target = step[key] ?? '';
  // Only visible elements can be used; if there are several, the first one is taken.
  const place = page
    .locator(key === 'press' || key === 'goto' ? (step.on ?? 'body') : target)
    .filter({ visible: true })
    .first();
  switch (key) {
    case 'goto':
      await page.goto(new URL(target, page.url()).href, { timeout });
      return;
    case 'click':
      return place.click({ timeout });
    case 'fill':
      return place.fill(step.with ?? '', { timeout });
    case 'press':
      return step.on === undefined ? page.keyboard.press(target) : place.press(target, { timeout });
    case 'select':
      await place.selectOption(step.with ?? '', { timeout });
      return;
    case 'wait':
      return place.waitFor({ state: 'visible', timeout });
  }
}

/**
 * Checks an expectation until it is met or the time is over, because pages change while they load. Returns
 * the problems.
 */
export async function checkPage(page: Page, expected: WebExpectation, timeout: number): Promise<string[]> {
  const key: ExpectationKey = onlyKey(expected, PAGE_EXPECTATION.keys, 'an expectation');
  switch (key) {
    case 'visible':
    case 'hidden':
      return checkVisibility(page, expected[key] ?? '', key, timeout);
    case 'text': {
      const place = expected.in ?? 'body';
      const read = async (): Promise<string> => (await page.locator(place).allInnerTexts()).join('\n');
      return pollText(`the text of ${place}`, read, expected.text ?? '', timeout);
    }
    case 'title':
      return pollText('the title', () => page.title(), expected.title ?? '', timeout);
    case 'url':
      return pollText('the address', () => Promise.resolve(page.url()), expected.url ?? '', timeout);
    case 'count': {
      const of = expected.of ?? '*';
      const wanted = expected.count ?? 0;
      return pollUntilMet(async () => {
        const found = await page.locator(of).count();
        return found === wanted ? [] : [`there are ${found} of ${of} instead of ${wanted}`];
      }, timeout);
    }
  }
}

function checkVisibility(
  page: Page,
  selector: string,
  state: 'visible' | 'hidden',
  timeout: number,
): Promise<string[]> {
  return pollUntilMet(async () => {
    const seen = await page.locator(selector).filter({ visible: true }).count();
    return seen > 0 === (state === 'visible') ? [] : [`${selector} is not ${state}`];
  }, timeout);
}

function pollText(
  subject: string,
  read: () => Promise<string>,
  expected: TextExpectation,
  timeout: number,
): Promise<string[]> {
  return pollUntilMet(async () => findMismatches(subject, await read(), expected), timeout);
}

async function pollUntilMet(look: () => Promise<string[]>, timeout: number): Promise<string[]> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const problems = await look().catch((error: unknown) => [firstMessageLine(error)]);
    if (problems.length === 0 || performance.now() > deadline) return problems;
    await new Promise((next) => setTimeout(next, POLL_MS));
  }
}

/** The other lines are a log of what the browser tried. */
export function firstMessageLine(error: unknown): string {
  const text = messageOf(error);
  return text.split('\n')[0] ?? text;
}
