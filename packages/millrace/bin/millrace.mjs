#!/usr/bin/env node
// Plain JavaScript without features newer than Node 14.8, so that an old Node can show this message.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Millrace needs Node 24, this is ${process.version}. Run \`npm ci\` and then \`npx millrace\`, which installs and uses its own Node.`)
  process.exit(1)
}

const { main } = await import('@millrace/cli/main.ts')
await main(process.argv.slice(2))
