/** Where tokens of GitHub are found. */
export const PUBLIC_HOST = 'github.com';
export const PUBLIC_VARIABLES: readonly string[] = ['GH_TOKEN', 'GITHUB_TOKEN'];
/** As the command line of GitHub reads them: a token of one host must not reach another. */
export const ENTERPRISE_VARIABLES: readonly string[] = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
export const APP_ID_VARIABLE = 'GITHUB_APP_ID';
export const APP_KEY_VARIABLE = 'GITHUB_APP_PRIVATE_KEY';

/** All variables that hold a secret by their name alone. */
export const TOKEN_VARIABLES: readonly string[] = [
  ...PUBLIC_VARIABLES,
  ...ENTERPRISE_VARIABLES,
  APP_KEY_VARIABLE,
];

/** The host of git that belongs to the address of an API. */
export function hostOfApi(baseUrl: string): string {
  const { host } = new URL(baseUrl);
  return host === `api.${PUBLIC_HOST}` ? PUBLIC_HOST : host;
}
