import { pathIn } from './command-part.ts';

/** Folders of the code under test, which a check imports as well. */
const CODE_FOLDERS = new Set(['', 'src', 'lib', 'app', 'source']);
const SCRIPT = /\.[cm]?[jt]sx?$/;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '/index.js'];

/**
 * The files that a check script imports from its own folder, which are part of the check. Imports from elsewhere
 * may be the code under test. A name without an extension is returned with each possible one.
 */
export function importedFiles(path: string, text: string): string[] {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (CODE_FOLDERS.has(folder)) return [];
  if (path.endsWith('.py')) {
    const modules = [...text.matchAll(/^[ \t]*(?:import|from)[ \t]+\.?([A-Za-z_]\w{0,80})/gm)];
    return modules.map(([, name = '']) => `${folder}/${name}.py`);
  }
  if (!SCRIPT.test(path)) return [];
  const names = [
    ...text.matchAll(/(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'](\.\/[^"'\n]{1,200})["']/g),
  ];
  return names.flatMap(([, name = '']) =>
    ENDINGS.flatMap((ending) => pathIn(folder, `${name}${ending}`) ?? []),
  );
}
