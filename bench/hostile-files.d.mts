export const HOSTILE_FILES: Readonly<Record<string, () => string | Uint8Array>>;
export const LARGE_FILES: Readonly<Record<string, () => string>>;
