/** A certificate with its key, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** SHA-256, as browsers show it. */
  readonly fingerprint: string;
}

/** What the page does on this machine besides listening. */
export interface PageMachine {
  /** The generated certificate for an address: kept, and renewed before it expires. */
  readonly certificateFor: (address: string) => Promise<TlsIdentity>;
  /** A certificate of the user. Throws if it can't be read, or if the key is not its own. */
  readonly readCertificate: (certPath: string, keyPath: string) => Promise<TlsIdentity>;
  /**
   * Opens an address in the user's browser, without the address in any command line. Returns how to remove what was
   * left for the browser.
   */
  readonly openBrowser: (url: string) => Promise<() => Promise<void>>;
}
