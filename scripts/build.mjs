// The library is what tsc emits. The command is bundled from it into few files, because loading many small
// modules costs more than running most verbs.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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
