import { describe, expect, it } from 'vitest';
import { configDocumentSchema } from '../../src/contracts/config/config.ts';
import { EVENT_TYPES } from '../../src/contracts/run/event.ts';
import { statusSchema } from '../../src/contracts/run/run-files.ts';
import { RUN_OUTCOMES, type RunOutcome } from '../../src/contracts/vocabulary.ts';
import { EXIT, exitCodeOfOutcome } from '../../src/surfaces/cli/exit-codes.ts';
import { codeWords, readPage, rowsOf, sectionOf } from './markdown.ts';

const exitCodes = Object.values(EXIT).map(String);

describe('the tables of the documentation', () => {
  it.each([
    ['README.md', '## Exit codes'],
    ['docs/reference/command-line.md', '# Command line'],
  ])('give every exit code once: %s', async (path, heading) => {
    const section = sectionOf(await readPage(path), heading);
    const codes = rowsOf(section).map(([code]) => code);
    expect(codes.filter((code) => /^\d+$/.test(code ?? ''))).toEqual(exitCodes);
  });

  it('give every outcome the exit code it has', async () => {
    const rows = rowsOf(sectionOf(await readPage('docs/guide/workflows/README.md'), '## How a run ends'));
    const wrong = rows.filter(
      ([, , outcome, code]) => String(exitCodeOfOutcome(outcome as RunOutcome)) !== code,
    );
    expect(wrong).toEqual([]);
    expect(new Set(rows.map(([, , outcome]) => outcome))).toEqual(new Set(RUN_OUTCOMES));
  });

  it('list every event type', async () => {
    const section = sectionOf(await readPage('docs/reference/run-directory.md'), '## Events');
    const listed = codeWords(section).filter((word) => /^[a-z]+_[a-z_]+$/.test(word));
    const envelope = ['run_id', 'step_id', 'event_type'];
    const types = new Set(listed.filter((word) => !envelope.includes(word)));
    expect([...types].sort()).toEqual([...EVENT_TYPES].sort());
  });

  it('list every key of status.json', async () => {
    const section = sectionOf(await readPage('docs/reference/run-directory.md'), '## Status');
    const words: readonly string[] = section.match(/\w+/g) ?? [];
    expect(Object.keys(statusSchema.shape).filter((key) => !words.includes(key))).toEqual([]);
  });

  it('list every key of the configuration', async () => {
    const rows = rowsOf((await readPage('docs/reference/configuration.md')).text);
    const words = rows.flatMap(([key]) => codeWords(key ?? '')).map((word) => word.split('.')[0]);
    expect(Object.keys(configDocumentSchema.shape).filter((key) => !words.includes(key))).toEqual([]);
  });
});
