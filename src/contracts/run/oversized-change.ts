import { ExpectedFailure } from '../expected-failure.ts';

/** A change that is too large for a snapshot. `restore` moves it out of the workspace. */
export class OversizedChange extends ExpectedFailure {
  override readonly name = 'OversizedChange';
  /** The folder that it is moved to. */
  readonly aside: string;

  constructor(message: string, aside: string) {
    super(message);
    this.aside = aside;
  }
}
