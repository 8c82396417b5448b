interface Lock {
  packages: Record<
    string,
    { version?: string; optionalDependencies?: Record<string, string>; dev?: boolean }
  >;
}

export function completeLock(lock: Lock): string[];
