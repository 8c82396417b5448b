import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../contracts/duration.ts';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { TlsIdentity } from '../../ports/page-machine.ts';
import { messageOf } from '../../text/error-message.ts';

/** Browsers of Apple refuse certificates that are valid for longer. */
const VALID_DAYS = 825;
const RENEW_DAYS = 30;

/** The certificate in a folder of the user. It is kept, so that a browser that trusts it once needs no new question. */
export async function keepCertificate(folder: string, address: string, now: Date): Promise<TlsIdentity> {
  const path = join(folder, `${address.replaceAll(':', '_')}.pem`);
  const kept = await readFile(path, 'utf8').catch(() => null);
  const found = kept === null ? null : identityOf(kept, kept);
  if (found !== null && isValid(found.cert, address, now)) return found;
  const pem = await generate(address, now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeAtomically(path, pem, { mode: 0o600 });
  const made = identityOf(pem, pem);
  if (made === null) throw new Error('the generated certificate does not belong to its key');
  return made;
}

export async function readCertificate(certPath: string, keyPath: string): Promise<TlsIdentity> {
  const read = (path: string) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      throw new ExpectedFailure(`${path} can't be read: ${messageOf(error)}`);
    });
  const identity = identityOf(await read(certPath), await read(keyPath));
  if (identity !== null) return identity;
  throw new ExpectedFailure(`${certPath} and ${keyPath} are no certificate with its private key, in PEM`);
}

/** Null if the texts are no certificate and key, or don't belong together. */
function identityOf(cert: string, key: string): TlsIdentity | null {
  try {
    const parsed = new X509Certificate(cert);
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return null;
    return { cert, key, fingerprint: parsed.fingerprint256 };
  } catch {
    return null;
  }
}

function isValid(cert: string, address: string, now: Date): boolean {
  const parsed = new X509Certificate(cert);
  const untilMs = Date.parse(parsed.validTo) - RENEW_DAYS * DAY_MS;
  return parsed.checkIP(address) !== undefined && untilMs > now.getTime();
}

/** A certificate with its key as one PEM text. */
async function generate(address: string, now: Date): Promise<string> {
  // The library's dependency injection needs it.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: 'CN=conductor',
    // A phone's clock may be a little late.
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + (VALID_DAYS - 2) * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: address },
        { type: 'dns', value: 'localhost' },
      ]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = key.match(/.{1,64}/g) ?? [];
  return `${cert.toString('pem')}\n-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
