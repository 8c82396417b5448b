// tsc emits every module into `dist`. The package contains only what is bundled from them: the command in `dist/bin`,
// because loading many small modules takes longer than most commands, and the library in `dist/lib`, because two thousand
// small files take more space on disk and more time to install.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const at = (...parts) => join(root, ...parts);

rmSync(at('dist'), { recursive: true, force: true });
const tsc = spawnSync(
  process.execPath,
  [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', at('tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
);
if (tsc.status !== 0) process.exit(1);

/** Commander loads what it needs to start verbs that are programs of their own. Conductor has none of them. */
const withoutExternalVerbs = {
  name: 'without-external-verbs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /node_modules[\\/]commander[\\/]/.test(importer ?? '')
      ? '\0nothing'
      : null,
  load: (id) => (id === '\0nothing' ? 'module.exports = {};' : null),
};

const bundle = await rolldown({
  input: { conductor: at('dist', 'src', 'main.js') },
  platform: 'node',
  logLevel: 'warn',
  plugins: [withoutExternalVerbs],
  // Few verbs need these, and they are large, or find files of theirs beside their own.
  external: ['axe-core', 'libsql', 'mdast-util-from-markdown', 'pixelmatch', 'playwright-core', 'pngjs'],
  // For Node this package offers only CommonJS, of which nothing can be left out.
  resolve: { alias: { yaml: at('node_modules', 'yaml', 'browser', 'index.js') } },
});
await bundle.write({
  dir: at('dist', 'bin'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  // One file with everything that is always needed next, instead of one for each thing that two verbs share.
  codeSplitting: {
    groups: [
      { name: 'package', test: /src[\\/]package-root\.js$/, priority: 3 },
      { name: 'program', test: /cli[\\/]program\.js$/, priority: 2 },
      { name: 'check', test: /(?:workflow[\\/]validate|src[\\/]wiring)\.js$/, priority: 1 },
    ],
  },
});
await bundle.close();
chmodSync(at('dist', 'bin', 'conductor.js'), 0o755);

const { dependencies, peerDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const packages = Object.keys({ ...dependencies, ...peerDependencies });
const library = await rolldown({
  input: {
    index: at('dist', 'src', 'index.js'),
    harness: at('dist', 'harness', 'index.js'),
    testing: at('dist', 'testing', 'index.js'),
    'model-server': at('dist', 'testing', 'model-server', 'main.js'),
  },
  platform: 'node',
  logLevel: 'warn',
  external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
});
await library.write({
  dir: at('dist', 'lib'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Stack traces of the library keep the names of functions.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await library.close();

/** Copies the declarations that the entries of the library refer to; nobody can import the others. */
function copyDeclarations(entries) {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(file, 'utf8');
    for (const [, path] of text.matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      found.add(join(dirname(file), `${path}.d.ts`));
    const copy = at('dist', 'lib', 'types', relative(at('dist'), file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
}

copyDeclarations(['src', 'harness', 'testing'].map((folder) => at('dist', folder, 'index.d.ts')));
