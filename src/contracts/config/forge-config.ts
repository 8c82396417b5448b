import * as z from 'zod/mini';
import { defineForm, described, mapping, textSchema } from '../forms.ts';
import { CONFIG_DEFAULTS, PUBLISH_DEFAULTS } from './config-defaults.ts';

/** Which forge, and as whom: read only from the user's own file, because a repository must not redirect a token. */
export const forgeSchema = mapping({
  kind: described(z.optional(z.enum(['github'])), 'The forge: `github`, also for GitHub Enterprise.'),
  remote: described(z.optional(textSchema), 'The git remote whose address names the repository.'),
  repository: described(
    z.optional(z.nullable(defineForm('forgeRepository', /^[\w.-]+\/[\w.-]+$/))),
    'The repository as `owner/name`, if the address of the remote does not name it.',
  ),
  base_url: described(
    z.optional(z.nullable(defineForm('forgeUrl', /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/))),
    'The address of the API, if it is not the usual one of the host.',
  ),
  token_env: described(
    z.optional(z.nullable(textSchema)),
    'The environment variable with the token; null for the usual ones, and then `gh auth token`.',
  ),
});
type ForgeDocument = z.infer<typeof forgeSchema>;

export const publishSchema = mapping({
  when: described(
    z.optional(z.enum(['success', 'end', 'never'])),
    'When a run publishes its work by itself: after a success, after every end, or never; `pull_request` gates always do.',
  ),
  draft: described(z.optional(z.boolean()), 'Whether new pull requests are drafts.'),
});
type PublishDocument = z.infer<typeof publishSchema>;

export interface ForgeConfig {
  readonly kind: 'github';
  readonly remote: string;
  readonly repository: string | null;
  readonly base_url: string | null;
  readonly token_env: string | null;
}

export interface PublishConfig {
  readonly when: 'success' | 'end' | 'never';
  readonly draft: boolean;
}

export function completeForge(document: ForgeDocument | undefined): ForgeConfig {
  const { forge } = CONFIG_DEFAULTS;
  return {
    kind: document?.kind ?? forge.kind,
    remote: document?.remote ?? forge.remote,
    repository: document?.repository ?? forge.repository,
    base_url: document?.base_url ?? forge.base_url,
    token_env: document?.token_env ?? forge.token_env,
  };
}

/** Null if no file has the section: then no run and no gate publishes anything. */
export function completePublish(document: PublishDocument | undefined): PublishConfig | null {
  if (document === undefined) return null;
  const { when = PUBLISH_DEFAULTS.when, draft = PUBLISH_DEFAULTS.draft } = document;
  return { when, draft };
}
