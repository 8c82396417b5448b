/** Turns a title into the last part of a web address. */
export function slug(title) {
  return title.toLowerCase().replace(' ', '-');
}
