import { join } from 'node:path';
import { createSessionFiles } from '../adapters/page/session-files.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createFolderWatch } from '../adapters/system/folder-watch.ts';
import type { PageTools } from '../app/page/page-tools.ts';
import { packageRoot } from '../package-root.ts';

export function createPageTools(): PageTools {
  const folder = join(stateFolderOf(process.env), 'serve');
  return {
    sessions: createSessionFiles(join(folder, 'sessions')),
    watch: createFolderWatch(),
    webFolder: join(packageRoot(), 'dist', 'bin', 'web'),
  };
}
