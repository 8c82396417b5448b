/** Debian's chromium, as the scripts that look at the page start it. */
export const BROWSER = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** A browser context that is paired with the server. */
export async function openPaired(browser, pairUrl, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(pairUrl);
  await page.waitForSelector('.shell h1');
  await page.close();
  return context;
}
