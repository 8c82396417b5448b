import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_RULES } from './tidy/all-rules.ts';
import { readProject } from './tidy/project-files.ts';

const project = await readProject(join(import.meta.dirname, '..'));

describe.each(ALL_RULES)('the project $name', (rule) => {
  const seen = project.filter(({ path }) => rule.covers(path));

  it('in every file that the rule is about', () => {
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.map(({ path }) => path)).toEqual(expect.arrayContaining([...rule.mustSee]));
    expect(rule.check(seen)).toEqual([]);
  });

  it.each(Object.entries(rule.bad))('and the rule reports %s', (_, files) => {
    expect(files.filter(({ path }) => rule.covers(path))).toEqual(files);
    expect(rule.check(files)).not.toEqual([]);
  });

  it.each(Object.entries(rule.good))('and the rule accepts %s', (_, files) => {
    expect(files.filter(({ path }) => rule.covers(path))).toEqual(files);
    expect(rule.check(files)).toEqual([]);
  });
});
