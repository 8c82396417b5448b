/** A row of the file tree: a folder, or a file by its index in the list of changed files. */
export type TreeRow =
  | { readonly kind: 'folder'; readonly name: string; readonly depth: number }
  | { readonly kind: 'file'; readonly name: string; readonly depth: number; readonly file: number };

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly file: number }[];
}

/** Lays out paths as a tree. A folder with a single subfolder shares its row, such as `src/main/java`. */
export function layOutTree(paths: readonly string[]): TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const [file, path] of paths.entries()) {
    const names = path.split('/');
    const name = names.pop() ?? path;
    let folder = root;
    for (const part of names) {
      const next = folder.folders.get(part) ?? { folders: new Map(), files: [] };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push({ name, file });
  }
  const rows: TreeRow[] = [];
  addFolder(rows, root, 0);
  return rows;
}

function addFolder(rows: TreeRow[], folder: Folder, depth: number): void {
  for (const [first, child] of folder.folders) {
    let name = first;
    let inner = child;
    for (let only = onlyFolder(inner); only !== null; only = onlyFolder(inner)) {
      name = `${name}/${only[0]}`;
      inner = only[1];
    }
    rows.push({ kind: 'folder', name, depth });
    addFolder(rows, inner, depth + 1);
  }
  for (const { name, file } of folder.files) rows.push({ kind: 'file', name, depth, file });
}

function onlyFolder({ folders, files }: Folder): [string, Folder] | null {
  if (files.length > 0 || folders.size !== 1) return null;
  return [...folders][0] ?? null;
}
