// Takes memory and writes to it, 10 MB at a time, up to the megabytes in its argument, and stays for 20 seconds.
const taken = [];
for (let megabytes = 0; megabytes < Number(process.argv[2]); megabytes += 10) {
  taken.push(Buffer.alloc(10_000_000, 1));
  await new Promise((later) => setTimeout(later, 10));
}
setTimeout(() => process.exit(taken.length === 0 ? 1 : 0), 20_000);
