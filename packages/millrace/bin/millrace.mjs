#!/usr/bin/env node
// Plain JavaScript without features newer than Node 14.8 (top-level await), so that an old Node can find a newer one or say what is missing.
import { readFileSync } from 'node:fs'

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Answered here, because loading the command line takes longer.
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
} else {
  const { launch } = await import('./launch.mjs')
  await launch(argv)
}
