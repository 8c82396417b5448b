// A command and a page, tried by the harness kit: node examples/harness/shop-harness.mjs in a repository that has
// cli.mjs and server.mjs. docs/guide/checks/harness.md describes every option of a case.
const { harness } = await import(process.env.CONDUCTOR_HARNESS ?? 'tnh-conductor/harness');

await harness('shop', (t) => {
  t.cli('help', { command: ['node', 'cli.mjs', '--help'], stdout: /^Usage/, golden: 'help.txt' });
  t.cli('refuses', { command: ['node', 'cli.mjs', '--nonsense'], exit: 2, stderr: 'unknown option' });
  t.web('home', {
    url: 'http://127.0.0.1:{port}/',
    serve: ['node', 'server.mjs'],
    steps: [{ fill: '#name', with: 'Ann' }, { click: 'text=Save' }],
    expect: [{ text: 'Saved Ann' }],
    quiet: true,
    golden: 'home.png',
  });
});
