/** A signal for calls that nothing interrupts. Each call gets its own: listeners would accumulate on a shared one. */
export function createUnabortedSignal(): AbortSignal {
  return new AbortController().signal;
}
