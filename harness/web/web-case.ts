import type { Browser, Page } from 'playwright-core';
import { messageOf } from '../../src/text/error-message.ts';
import { type Attempt, addReference } from '../attempt.ts';
import type { WebOptions } from '../case.ts';
import { type CaseContext, formatSeconds, parseTimeoutMs } from '../case-context.ts';
import { toFileName } from '../out-folder.ts';
import { classifyViolations, findViolations } from './accessibility.ts';
import type { Browsers } from './browser.ts';
import { startServer } from './web-server.ts';
import { checkPage, firstMessageLine, takeStep } from './web-steps.ts';

/** Time limit of one step or expectation; the case as a whole has its own timeout. */
const STEP_TIMEOUT_MS = 5_000;
const VIEWPORT = { width: 1280, height: 720 } as const;

/** Opens a page in a browser, runs the steps, checks the expectations and takes a screenshot. */
export async function runWebCase(
  context: CaseContext,
  browsers: Browsers,
  id: string,
  options: WebOptions,
  attempt: Attempt,
): Promise<void> {
  const timeoutMs = parseTimeoutMs(options.timeout);
  const browser = await browsers.open();
  if ('why' in browser) {
    attempt.skipped = `${browser.why}; ${browser.help}`;
    return;
  }
  const served = await startServer(context, options, timeoutMs);
  // The start time of the browser and the server does not count against the timeout.
  const deadline = performance.now() + timeoutMs;
  try {
    await visitPage({ context, browser, id, options: { ...options, url: served.url }, attempt, deadline });
  } finally {
    await served.stop();
    const output = served.output();
    if (output !== null && output.length > 0)
      addReference(attempt, context.out.write('logs', `${toFileName(id)}.serve.txt`, output));
  }
}

interface PageVisit {
  readonly context: CaseContext;
  readonly browser: Browser;
  readonly id: string;
  readonly options: WebOptions;
  readonly attempt: Attempt;
  readonly deadline: number;
}

async function visitPage({ context, browser, id, options, attempt, deadline }: PageVisit): Promise<void> {
  const browserContext = await browser.newContext({
    viewport: options.viewport ?? VIEWPORT,
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  try {
    const page = await browserContext.newPage();
    const errors = listenForErrors(page);
    await openPage(page, options.url, Math.max(1, deadline - performance.now()));
    attempt.problems.push(...(await runStepsAndExpectations(page, options, deadline)));
    if (options.quiet === true)
      attempt.problems.push(...errors.map((text) => `the page logged an error: ${text}`));
    // The screenshot is kept even if the case failed, to show why.
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
    const evidenceRef = context.out.write('screenshots', `${toFileName(id)}.png`, picture);
    addReference(attempt, evidenceRef);
    if (options.accessibility !== false) await checkAccessibility(page, attempt, evidenceRef);
    if (options.golden !== undefined && attempt.problems.length === 0)
      await context.goldens.compare(id, attempt, options.golden, picture, { tolerance: options.tolerance });
  } finally {
    await browserContext.close();
  }
}

async function openPage(page: Page, url: string, timeout: number): Promise<void> {
  try {
    await page.goto(url, { timeout, waitUntil: 'load' });
  } catch (error) {
    throw new Error(`the page ${url} could not be opened: ${firstMessageLine(error)}`);
  }
}

function listenForErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** Stops at the first failed step, because the expectations don't apply to that page. */
async function runStepsAndExpectations(page: Page, options: WebOptions, deadline: number): Promise<string[]> {
  const left = (): number => Math.max(1, Math.min(STEP_TIMEOUT_MS, deadline - performance.now()));
  const isLate = (): boolean => performance.now() > deadline;
  const late = `timed out after ${formatSeconds(parseTimeoutMs(options.timeout))}`;
  for (const step of options.steps ?? []) {
    if (isLate()) return [late];
    try {
      await takeStep(page, step, left());
    } catch (error) {
      return [messageOf(error)];
    }
  }
  const problems: string[] = [];
  for (const expected of options.expect ?? []) {
    if (isLate()) return [...problems, late];
    problems.push(...(await checkPage(page, expected, left())));
  }
  return problems;
}

/** A failed accessibility check does not fail the case, but it is reported. */
async function checkAccessibility(page: Page, attempt: Attempt, evidenceRef: string): Promise<void> {
  try {
    const { flags, observations } = classifyViolations(await findViolations(page), evidenceRef);
    attempt.uxFlags.push(...flags);
    attempt.observations.push(...observations);
  } catch (error) {
    attempt.observations.push(`accessibility could not be checked: ${firstMessageLine(error)}`);
  }
}
