import type { Config } from '../../contracts/config/config.ts';
import type { PolicyDocument } from '../../contracts/documents/policy.ts';
import type { Prompt } from '../../contracts/documents/prompt.ts';
import { sortKeys } from '../../text/json.ts';

export interface SharedSettings {
  readonly config: Config;
  readonly policies: ReadonlyMap<string, readonly PolicyDocument[]>;
  /** Those of the repository and the user; the built-in ones belong to the version of conductor. */
  readonly prompts: ReadonlyMap<string, Prompt>;
}

/**
 * Everything in configuration, policies and prompts that decides what a run does, as text: two workers with the same
 * text do the same with a run. Folders, notifications and whatever else belongs to one machine or user are excluded.
 */
export function formatSharedSettings({ config, policies, prompts }: SharedSettings): string {
  const {
    agents,
    validators,
    prices,
    planner,
    limits,
    policy,
    protected_branches,
    entrypoints,
    environment,
    setup,
    baseline,
    tests,
    sandbox,
    answers,
  } = config;
  return JSON.stringify(
    sortKeys({
      agents,
      validators,
      prices,
      planner,
      limits,
      policy,
      protected_branches,
      entrypoints,
      environment,
      setup,
      baseline,
      tests,
      sandbox,
      answers,
      policies: Object.fromEntries(policies),
      prompts: Object.fromEntries(prompts),
    }),
  );
}
