import { describe, expect, it } from 'vitest';
import { classifyViolations } from '../../../harness/web/accessibility.ts';

const violation = (impact: string | null) => ({
  id: 'image-alt',
  impact,
  help: 'Images must have alternative text',
  nodes: [{ target: ['#a'] }, { target: ['main', 'img'] }],
});
const WORDS = 'Images must have alternative text (image-alt): #a, main img';

describe('an accessibility finding', () => {
  it.each([
    ['critical', 'error'],
    ['serious', 'warning'],
  ])('that is %s is a flag of severity %s, with the picture', (impact, severity) => {
    expect(classifyViolations([violation(impact)], 'screenshots/a.png')).toEqual({
      flags: [{ severity, area: 'accessibility', description: WORDS, evidence_ref: 'screenshots/a.png' }],
      observations: [],
    });
  });

  it.each(['moderate', 'minor', null])('that is %s is reported and flags nothing', (impact) => {
    expect(classifyViolations([violation(impact)], 'a.png')).toEqual({
      flags: [],
      observations: [`accessibility, ${impact ?? 'minor'}: ${WORDS}`],
    });
  });
});
