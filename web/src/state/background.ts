/** Starts work that shows its own failures; an unexpected one is reported to the browser's console. */
export function background(work: Promise<unknown>): void {
  work.then(undefined, (cause: unknown) => reportError(cause));
}
