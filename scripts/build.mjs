// tsc emits every module into `dist`. The package contains only what is bundled from them: the command in `dist/bin`,
// because loading many small modules takes longer than most commands, and the library in `dist/lib`, because two thousand
// small files take more space on disk and more time to install. Vite bundles the page in `web` into `dist/bin/web`.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { build } from 'vite';

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

/** Commander imports `node:child_process` for subcommands that are separate programs. Conductor has none of them. */
const withoutExternalCommands = {
  name: 'without-external-commands',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /node_modules[\\/]commander[\\/]/.test(importer ?? '') ? '\0empty' : null,
  load: (id) => (id === '\0empty' ? 'module.exports = {};' : null),
};

const bundle = await rolldown({
  input: { conductor: at('dist', 'src', 'main.js') },
  platform: 'node',
  logLevel: 'warn',
  plugins: [withoutExternalCommands],
  // Few commands need these packages, and they are large or read files next to their own code.
  external: ['axe-core', 'libsql', 'pg', 'pg-boss', 'pixelmatch', 'playwright-core', 'pngjs'],
  // The package's Node build is CommonJS, which can't be tree-shaken; its browser build can.
  resolve: { alias: { yaml: at('node_modules', 'yaml', 'browser', 'index.js') } },
});
const { output: commandFiles } = await bundle.write({
  dir: at('dist', 'bin'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  // One chunk for what every command needs, instead of one for each module that two commands share.
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

const { output: pageFiles } = await build({ configFile: at('web', 'vite.config.ts') });

/** Below this, the compressed file is hardly smaller. */
const MIN_BYTES_TO_COMPRESS = 512;

/** Writes `.br` and `.gz` beside the files of the page, so that the server never compresses while someone waits. */
function compressFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|css|html|svg|webmanifest)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.length < MIN_BYTES_TO_COMPRESS) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

compressFiles(at('dist', 'bin', 'web'));

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
const { output: libraryFiles } = await library.write({
  dir: at('dist', 'lib'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await library.close();

/** Copies the declarations that the entries of the library refer to; the others can't be imported. */
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

/** Folders of the packages whose code is in these files. */
function packageFolders(files) {
  const folders = files
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort((a, b) => (a < b ? -1 : 1));
}

/** The licence of a package, as it asks to be passed on with its code. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|-mit|$)/i.test(entry));
  const text =
    file === undefined ? 'The package has no file with the text.' : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version}, ${license}\n\n${text.trim()}\n`;
}

const bundled = packageFolders([...commandFiles, ...pageFiles, ...libraryFiles]);
writeFileSync(
  at('dist', 'bin', 'licenses.txt'),
  [...new Set(bundled.map(licenceOf))].join(`\n${'-'.repeat(80)}\n\n`),
);
