#!/usr/bin/env node
// Plain JavaScript, without anything newer than Node 12, because it has to be understood by a Node that is too old for the rest.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Millrace needs Node 24 and this is ${process.version}: run \`npm ci\` and then \`npx millrace\`, which brings and uses its own.`)
  process.exit(1)
}

if (process.argv[2] === 'server' && process.argv[3] === 'start') {
  // The script reads the arguments of the process itself.
  process.argv.splice(2, 2)
  await import('../../../scripts/start.mjs')
} else {
  const { run } = await import('../src/command.ts')
  process.exitCode = await run(process.argv.slice(2))
}
