import { createEvidenceTools, type EvidenceTools } from './evidence/evidence-tools.ts';
import type { OpenObjects, PageTools } from './page-tools.ts';
import { createRunCatalog, type RunCatalog } from './run-catalog.ts';
import { expectOpened, type ServedRepository } from './served-repository.ts';

/** What routes read with. It remembers where things are, so that a page of something large costs little. */
export interface PageReader {
  readonly evidence: EvidenceTools;
  readonly projectFiles: PageTools['projectFiles'];
  readonly catalog: (repo: ServedRepository) => RunCatalog;
  readonly openObjects: (repo: ServedRepository) => Promise<OpenObjects>;
  readonly close: () => Promise<void>;
}

export function createPageReader(
  tools: Pick<PageTools, 'files' | 'projectFiles' | 'openObjects'>,
): PageReader {
  const catalogs = new Map<string, RunCatalog>();
  const objects = new Map<string, Promise<OpenObjects>>();
  return {
    evidence: createEvidenceTools(tools.files),
    projectFiles: tools.projectFiles,
    catalog: ({ id, records }) => {
      const catalog = catalogs.get(id) ?? createRunCatalog(records);
      catalogs.set(id, catalog);
      return catalog;
    },
    openObjects: ({ id, root }) => {
      const opening = objects.get(id) ?? tools.openObjects(root).then(expectOpened);
      objects.set(id, opening);
      // A repository that can't be opened now may be all right for the next request.
      opening.catch(() => objects.delete(id));
      return opening;
    },
    close: async () => {
      for (const opening of objects.values()) await (await opening).objects.close();
    },
  };
}
