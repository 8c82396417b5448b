import * as z from 'zod/mini';
import { defineForm, described, durationSchema, mapping, NAME_PATTERN, text, wholeNumber } from '../forms.ts';

/** A declarative suite file: the features of the harness kit, without writing a program. */

const words = () => z.array(text()).check(z.minLength(1));

const expectation = () =>
  z.union([
    z.string(),
    mapping({
      equals: described(z.optional(z.string()), 'The whole text.'),
      contains: described(z.optional(z.union([z.string(), z.array(z.string())])), 'A part, or several.'),
      matches: described(z.optional(text()), 'A regular expression; `^` and `$` match at lines.'),
    }),
  ]);

const normaliser = () =>
  z.union([
    z.enum(['ansi', 'dates', 'paths']),
    mapping({
      replace: described(text(), 'A regular expression.'),
      with: described(z.string(), 'The replacement.'),
    }),
  ]);

const common = () => ({
  id: described(text(), 'The id of the case; unique in the suite.'),
  timeout: described(z.optional(durationSchema), 'Time limit of the whole case. Default: one minute.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is retried.'),
  env: described(z.optional(z.record(z.string(), z.string())), 'Additional environment variables.'),
});

const cwd = () =>
  described(z.optional(text()), 'The folder to run in, relative to the folder of the harness.');

const cliCase = mapping({
  kind: described(z.literal('cli'), 'A command.'),
  ...common(),
  cwd: cwd(),
  command: described(words(), 'Program and arguments, without a shell.'),
  stdin: described(z.optional(z.string()), 'Its standard input.'),
  exit: described(z.optional(wholeNumber(0)), 'The expected exit code. Default: 0.'),
  stdout: described(z.optional(expectation()), 'The expected standard output.'),
  stderr: described(z.optional(expectation()), 'The expected standard error.'),
  files: described(
    z.optional(z.record(z.string(), z.union([z.boolean(), expectation()]))),
    'By path: whether the file exists afterwards, or its expected content.',
  ),
  golden: described(z.optional(text()), 'The golden that standard output is compared with.'),
  normalise: described(z.optional(z.array(normaliser())), 'Normalisations before the comparison.'),
});

const step = mapping({
  goto: described(z.optional(text()), 'An address, relative to the page.'),
  click: described(z.optional(text()), 'The element to click.'),
  fill: described(z.optional(text()), 'The field to fill.'),
  press: described(z.optional(text()), 'A key, such as `Enter`.'),
  select: described(z.optional(text()), 'The list to select from.'),
  wait: described(z.optional(text()), 'The element to wait for.'),
  with: described(z.optional(z.string()), 'The value to fill in or select.'),
  on: described(z.optional(text()), 'The element that gets the key.'),
});

const pageExpectation = mapping({
  visible: described(z.optional(text()), 'An element that is visible.'),
  hidden: described(z.optional(text()), 'An element that is hidden.'),
  text: described(z.optional(expectation()), 'The expected text.'),
  title: described(z.optional(expectation()), 'The title of the page.'),
  url: described(z.optional(expectation()), 'The address of the page.'),
  count: described(z.optional(wholeNumber(0)), 'The number of elements.'),
  in: described(z.optional(text()), 'The element that contains the text.'),
  of: described(z.optional(text()), 'The elements to count.'),
});

const webCase = mapping({
  kind: described(z.literal('web'), 'A page in a browser.'),
  ...common(),
  cwd: cwd(),
  url: described(text(), 'The page; `{port}` becomes a free port.'),
  serve: described(z.optional(words()), 'A server that runs during the case.'),
  viewport: described(
    z.optional(
      mapping({
        width: described(wholeNumber(1), 'In pixels.'),
        height: described(wholeNumber(1), 'In pixels.'),
      }),
    ),
    'The size of the page; 1280 × 720 by default.',
  ),
  steps: described(z.optional(z.array(step)), 'Actions on the page, in order.'),
  expect: described(z.optional(z.array(pageExpectation)), 'The expected state of the page afterwards.'),
  quiet: described(z.optional(z.boolean()), 'Whether the page must log no errors.'),
  accessibility: described(z.optional(z.boolean()), 'False skips the accessibility check.'),
  golden: described(z.optional(text()), 'The golden that the screenshot is compared with.'),
  tolerance: described(
    z.optional(z.number().check(z.minimum(0), z.maximum(1))),
    'How much colours may differ, from 0 to 1.',
  ),
});

const docsCase = mapping({
  kind: described(z.literal('docs'), 'Markdown pages.'),
  ...common(),
  files: described(words(), 'Paths or globs.'),
  run: described(z.optional(words()), 'Languages whose examples are executed.'),
});

export const harnessSuiteSchema = mapping({
  suite_id: described(defineForm('suiteId', NAME_PATTERN), 'Identifier of the suite.'),
  goldens: described(z.optional(text()), 'The folder of the goldens; `goldens` by default.'),
  cases: described(
    z.array(z.discriminatedUnion('kind', [cliCase, webCase, docsCase])).check(z.minLength(1)),
    'The test cases, in order.',
  ),
});

export type HarnessSuite = z.infer<typeof harnessSuiteSchema>;
