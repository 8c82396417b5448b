/** A request that can't be fulfilled: `message` names the problem, `help` the fix. */
export class UseCaseError extends Error {
  override readonly name = 'UseCaseError';
  readonly help: string | null;
  /** `usage`: the request itself is wrong. `failed`: it is right, but the state of things does not allow it. */
  readonly kind: 'usage' | 'failed';

  constructor(message: string, help: string | null, kind: 'usage' | 'failed' = 'usage') {
    super(message);
    this.help = help;
    this.kind = kind;
  }
}
