#!/usr/bin/env node
// Plain JavaScript without features newer than Node 14.8, so that an old Node can show this message.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Millrace needs Node 24, this is ${process.version}. Run \`npm ci\` and then \`npx millrace\`, which installs and uses its own Node.`)
  process.exit(1)
}

if (process.argv[2] === 'server' && process.argv[3] === 'start') {
  // The script reads the arguments of the process itself.
  process.argv.splice(2, 2)
  await import('../../../scripts/start.mjs')
} else if (['adopt', 'retention', 'secrets'].includes(process.argv[2])) {
  const { run } = await import('../../cli/src/local/command.ts')
  process.exitCode = await run(process.argv.slice(2))
} else {
  const { main } = await import('../../cli/src/main.ts')
  await main(process.argv.slice(2))
}
