/** Exits 1 when a limit is broken, 2 when nothing could be measured. */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}
