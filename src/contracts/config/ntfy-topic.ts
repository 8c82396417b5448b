/** The server and the topic of an ntfy address; null if it has no topic. */
export function splitTopic(url: string): { readonly server: string; readonly topic: string } | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  const [, folder = '/', topic = ''] = /^(.*\/)([-\w]{1,64})$/.exec(pathname) ?? [];
  return topic === '' ? null : { server: `${origin}${folder}`, topic };
}
