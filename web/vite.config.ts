import { join } from 'node:path';
import { defineConfig } from 'vite';

/** `scripts/build.mjs` builds the page with this; `npx vite web` serves it against a running `conductor serve`. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, '..', 'dist', 'bin', 'web'),
    emptyOutDir: true,
    // The first browsers with everything that the styles use: nesting, `light-dark()`, `dvh`.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    // A file that is inlined as `data:` can't be cached on its own.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4646' } },
});
