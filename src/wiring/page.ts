import { join } from 'node:path';
import { createSessionFiles } from '../adapters/page/session-files.ts';
import { systemFiles } from '../adapters/project/files.ts';
import { createRecordFiles } from '../adapters/run-store/record-files.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createFolderWatch } from '../adapters/system/folder-watch.ts';
import { createRunObjects } from '../adapters/workspace/run-objects.ts';
import type { PageTools } from '../app/page/page-tools.ts';
import { packageRoot } from '../package-root.ts';
import { openConfigured } from './open.ts';

export function createPageTools(): PageTools {
  const folder = join(stateFolderOf(process.env), 'serve');
  return {
    sessions: createSessionFiles(join(folder, 'sessions')),
    watch: createFolderWatch(),
    files: createRecordFiles(),
    projectFiles: systemFiles,
    openObjects: async (startDir) => {
      const opened = await openConfigured(startDir);
      if (!opened.ok) return opened;
      const { config, ...repository } = opened.value;
      return { ok: true, value: { objects: createRunObjects(repository), tests: config.tests } };
    },
    webFolder: join(packageRoot(), 'dist', 'bin', 'web'),
  };
}
