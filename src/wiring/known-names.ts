import { brokenPolicies, listPolicies } from '../adapters/project/policy-files.ts';
import { hasPrompts, indexPrompts } from '../adapters/prompts/prompt-files.ts';
import type { Config } from '../contracts/config/config.ts';
import { CONFIG_DEFAULTS } from '../contracts/config/config-defaults.ts';
import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import { parseDuration } from '../contracts/duration.ts';
import type { CheckContext, KnownNames } from '../workflow/rule.ts';

export async function knownNames(
  config: Config,
  folders: { readonly prompts: readonly string[]; readonly policies: readonly string[] },
): Promise<KnownNames> {
  return {
    agents: new Set(Object.keys(config.agents)),
    validators: new Set(Object.keys(config.validators)),
    policies: await listPolicies(folders.policies),
    brokenPolicies: await brokenPolicies(folders.policies),
    prompts: indexPrompts(folders.prompts, await loadReaderIfNeeded(folders.prompts.slice(0, -1))),
    entrypoints: new Set(config.entrypoints),
  };
}

/** The template engine takes longer to load than most checks; the built-in prompts (the last folder) need no check. */
async function loadReaderIfNeeded(ownFolders: readonly string[]): Promise<ReadTemplate | null> {
  return hasPrompts(ownFolders) ? loadTemplateReader() : null;
}

export async function loadTemplateReader(): Promise<ReadTemplate> {
  const { createTemplateReader } = await import('../adapters/prompts/template.ts');
  return createTemplateReader();
}

/** Limits for workflows that set none. */
export function limitDefaults(config: Config | null): CheckContext['defaults'] {
  const { timeout, idle_timeout, max_visits, park } = config?.limits ?? CONFIG_DEFAULTS.limits;
  return {
    timeoutMs: durationOf(timeout),
    idleTimeoutMs: durationOf(idle_timeout),
    maxVisits: max_visits,
    parkMs: durationOf(park),
  };
}

export function durationOf(value: string | number): number {
  const ms = parseDuration(value);
  if (ms === null) throw new Error(`${value} is not a duration`);
  return ms;
}
