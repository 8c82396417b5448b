import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/workflow/diagnostic-codes.ts';

/** People switch on these in scripts and search for them: a code is never renamed and never means two things. */
const ERRORS = `
  CF001 CF002 CF003 CF004 CF005 CF006 CF007 CF008 CF009 CF010 CF011 CF101 CF102 CF103 CF104 CF106 CF107 CF109
  PR001 PR002 PR003 PR004 PR005 PR006 PR007 PR008 PR009 PR010 PR011 PR101 PR102 PR103 PR104 PR107 PR108 PR109
  WF001 WF002 WF003 WF004 WF005 WF006 WF007 WF008 WF009 WF010 WF011
  WF102 WF103 WF104 WF105 WF106
  WF201 WF202 WF204 WF205 WF206 WF207 WF208
  WF301 WF302 WF303 WF304 WF305 WF306 WF307 WF308 WF310
  WF401 WF402 WF404
  WF501 WF502 WF503 WF504 WF505 WF506 WF507 WF508 WF509`;
const WARNINGS =
  'CF105 CF108 PR105 PR106 PR110 WF203 WF209 WF309 WF311 WF312 WF313 WF314 WF315 WF403 WF405 WF406 WF407 WF510';

describe('the codes of the diagnostics', () => {
  it.each([
    ['error', ERRORS],
    ['warning', WARNINGS],
  ])('stay the same: those of severity %s', (severity, codes) => {
    const found = Object.entries(CODES).filter(([, entry]) => entry.severity === severity);
    expect(found.map(([code]) => code).sort()).toEqual(codes.trim().split(/\s+/));
  });

  it('have titles that say what is wrong, in lower case and without an end', () => {
    const odd = Object.entries(CODES).filter(([, { title }]) => /^[A-Z][a-z]|[.!]$/.test(title));
    expect(odd).toEqual([]);
  });
});
